// Uploads of every kind as the routes run them: the object is stored, then its finishing function runs.
import type { RaceDatabase } from "./race_database.ts";
import { outcome } from "./race_database.ts";
import { callParameters, callStatement, type Operation } from "../../functions/database/operations.ts";

/** Accounts that exceed their allowance, or whose usage differs from the ledger's sum. */
export const WRONG_ACCOUNTS = `
  select a.user_id, a.storage_bytes_used, coalesce(m.bytes, 0) as bytes, private.storage_allowance_bytes(a.user_id) as allowed
  from public.billing_accounts a
  left join (select account_id, sum(bytes) as bytes from private.media_objects where released_at is null group by 1) m
    on m.account_id = a.user_id
  where a.storage_bytes_used <> coalesce(m.bytes, 0) or a.storage_bytes_used > private.storage_allowance_bytes(a.user_id)`;

/** Live objects that are charged to an account other than their podcast's owner. */
export const WRONG_OWNERS = `
  select m.path from private.media_objects m join public.podcasts p on p.id = m.podcast_id
  where m.released_at is null and m.account_id <> p.owner_id`;

/** Columns whose object is not live, and live objects that their column does not reference. */
export const WRONG_PLACES = `
  with places as (
    select e.podcast_id, e.id as episode_id, 'audio' as usage, e.audio_url as url from public.episodes e
    union all select e.podcast_id, e.id, 'episode_cover', e.cover_image_url from public.episodes e
    union all select p.id, null, i.usage, i.url from public.podcasts p, lateral (values ('cover', p.cover_image_url),
      ('header', p.header_image_url), ('banner', p.banner_image_url), ('profile', p.profile_image_url)) i (usage, url))
  select m.path, m.usage, w.url
  from places w full join (select * from private.media_objects where released_at is null and usage <> 'temporary') m
    on m.podcast_id = w.podcast_id and m.episode_id is not distinct from w.episode_id and m.usage = w.usage
  where case when m.path is null
    then exists (select from private.media_objects o where o.path = private.own_object_path(w.url) and o.podcast_id = w.podcast_id
      and o.episode_id is not distinct from w.episode_id and o.usage = w.usage)
    else private.own_object_path(w.url) is distinct from m.path end`;

export const EXTENSIONS: Record<string, string> = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" };
const SQUARE = '{"width":1400,"height":1400}';

export function media({ sql, id }: RaceDatabase) {
  async function stored(path: string, bytes: number): Promise<string> {
    await sql`insert into storage.objects (bucket_id, name, metadata) values ('media', ${path}, jsonb_build_object('size', ${bytes}::bigint))`;
    return path;
  }
  /** Runs a finishing function as the functions do, with two retries after a conflict. */
  async function finished(run: () => Promise<unknown>): Promise<string> {
    for (let tries = 1;; tries++) {
      const ended = await outcome(run());
      if (tries === 3 || !/^40(001|P01)$/.test(ended)) return ended;
    }
  }
  const self = {
    stored,
    finished,
    /** Calls an operation as a person, and returns its result. */
    async resultOf(person: string, operation: Operation, args: Record<string, unknown>) {
      const claims = JSON.stringify({ role: "authenticated", sub: await id(person) });
      const [{ text }] = await sql.unsafe(callStatement(operation), callParameters(claims, args));
      return JSON.parse(text);
    },
    /** Finishes an upload as PUT /api/media/audio/upload does after it has stored the object. */
    async audio(by: string, show: string, episode: string, bytes: number, expected: string | null = null) {
      const [actor, podcastId, episodeId] = await Promise.all([id(by), id(show), id(episode)]);
      const path = await stored(`podcasts/${podcastId}/e/${episodeId}/audio/${crypto.randomUUID()}.mp3`, bytes);
      return await finished(() =>
        sql`select private.finish_audio_upload(${actor}, ${podcastId}, ${episodeId}, ${path}, ${bytes}, 'audio/mpeg', 1, ${expected})`
      );
    },
    /** Begins a direct upload and stores the bytes; returns the completion after the copy. */
    async direct(by: string, show: string, episode: string, bytes: number): Promise<() => Promise<string>> {
      const [actor, podcastId, episodeId] = await Promise.all([id(by), id(show), id(episode)]);
      const args = { podcastId, episodeId, contentType: "audio/wav", filename: "a.wav", fileSize: bytes };
      const { uploadPath, finalPath } = await self.resultOf(by, "begin_direct_upload", args);
      await stored(uploadPath, bytes);
      await stored(finalPath, bytes);
      const [{ url }] = await sql`select audio_url as url from public.episodes where id = ${episodeId}`;
      return () =>
        finished(() =>
          sql`select private.finish_audio_upload(${actor}, ${podcastId}, ${episodeId}, ${finalPath}, ${bytes}, 'audio/wav', 1, ${url})`
        );
    },
    /** Finishes an upload as PUT /api/media/upload does after it has stored the object; an episode_cover needs `episode`. */
    async image(by: string, show: string, place: string, bytes: number, type = "image/jpeg", episode?: string) {
      const [actor, podcastId, episodeId] = await Promise.all([id(by), id(show), episode ? id(episode) : null]);
      const folder = episodeId ? `e/${episodeId}/images` : `images/${place}`;
      const path = await stored(`podcasts/${podcastId}/${folder}/${crypto.randomUUID()}.${EXTENSIONS[type]}`, bytes);
      return await finished(() =>
        sql`select private.finish_image_upload(${actor}, ${podcastId}, ${place}, ${path}, ${bytes}, ${type}, ${SQUARE}::text::jsonb, ${episodeId})`
      );
    },
    /** Finishes an import as POST /api/media/import-artwork does without a podcast. Also returns the path. */
    async temporary(by: string, bytes: number): Promise<{ path: string; ended: string }> {
      const actor = await id(by);
      const path = await stored(`imports/${actor}/${crypto.randomUUID()}.jpg`, bytes);
      const ended = await finished(() =>
        sql`select private.finish_artwork_import(${actor}, ${path}, ${bytes}, 'image/jpeg', ${SQUARE}::text::jsonb)`
      );
      return { path, ended };
    },
    /** Finishes a move as POST /api/media/move-artwork does after the copy. */
    async move(by: string, source: string, show: string, place: string, bytes: number): Promise<string> {
      const [actor, podcastId] = await Promise.all([id(by), id(show)]);
      const path = `podcasts/${podcastId}/images/${place}/${source.split("/").pop()}`;
      await sql`insert into storage.objects (bucket_id, name, metadata)
        values ('media', ${path}, jsonb_build_object('size', ${bytes}::bigint)) on conflict do nothing`;
      return await finished(() =>
        sql`select private.finish_artwork_move(${actor}, ${source}, ${podcastId}, ${place}, ${path})`
      );
    },
  };
  return self;
}

/** Runs `query` repeatedly during the work; returns all rows that it found. */
export async function whileSampling(
  { sql }: RaceDatabase,
  query: string,
  work: () => Promise<unknown>,
): Promise<unknown[]> {
  let busy = true;
  const seen: unknown[] = [];
  const watching = (async () => {
    while (busy) seen.push(...await sql.unsafe(query));
  })();
  await work().finally(() => busy = false);
  await watching;
  return seen;
}
