// A database with the project's schema, and the functions' modules running on it in this process.
import type postgres from "postgres";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { connectTo } from "../database.ts";
import { createProjectDatabase, type ProjectDatabase } from "../project_cluster.ts";

export interface FeedDatabase extends AsyncDisposable {
  /** Connection as `postgres`, like the functions. */
  sql: postgres.Sql;
  url: string;
  /** For functions in another process. */
  env: Record<string, string>;
}

/**
 * Creates a database, or takes `made`, and points this file's functions at it, `through` another URL and with `more`
 * variables. Import them afterwards.
 */
export async function createFeedDatabase(
  through = (url: string) => url,
  more: Record<string, string> = {},
  made?: ProjectDatabase,
): Promise<FeedDatabase> {
  const database = made ?? await createProjectDatabase(), { url } = database;
  const sql = connectTo(url, 4);
  await sql`select private.set_setting('public_url', 'https://api.example'), private.set_setting('pages_url', '{public_api_url}')`;
  const env = { ...UNREACHABLE_ENV, SUPABASE_DB_URL: through(url), ...more };
  await withEnvironment(env, () => import("../../functions/runtime/env.ts"));
  return {
    env,
    sql,
    url,
    async [Symbol.asyncDispose]() {
      const { closePool } = await import("../../functions/database/pool.ts");
      await closePool();
      await sql.end({ timeout: 1 });
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Creates a podcast with a new account; returns its id. */
export async function makePodcast(sql: postgres.Sql, row: Record<string, unknown> = {}): Promise<string> {
  const [user] = await sql`
    insert into auth.users (id, email, email_confirmed_at, aud, role)
    values (gen_random_uuid(), gen_random_uuid() || '@test.local', now(), 'authenticated', 'authenticated') returning id`;
  const [podcast] = await sql`
    insert into public.podcasts ${sql({ owner_id: user.id, title: "Night Trains", ...row })} returning id`;
  return podcast.id;
}

/** Creates published episodes, newest first: `paris-0`, `paris-1` … one hour apart. */
export async function makeEpisodes(sql: postgres.Sql, podcastId: string, count: number, notes = "<p>Notes</p>") {
  await sql`
    insert into public.episodes (podcast_id, slug, title, guid, status, published_at, show_notes_html, audio_url,
      audio_file_size_bytes, audio_content_type, audio_duration_seconds)
    select ${podcastId}, 'paris-' || n, 'Paris ' || n, 'guid-' || n, 'published', now() - n * interval '1 hour',
      ${notes} || n, 'https://media.example/' || n || '.mp3', 1000 + n, 'audio/mpeg', 60 + n
    from generate_series(0, ${count - 1}::int) n`;
}
