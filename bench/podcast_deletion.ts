// Deletes a podcast with 10,000 episodes, as many stored objects, import items and rendered items, 50,000 credits,
// chat messages, roster entries and queue messages, by the one statement of the job podcast_deletions. Goals: at most a
// tenth of its statement timeout of 60 s, and at most 15 times the deletion of a tenth.
// node local/deno.mjs bench/podcast_deletion.ts
import type postgres from "postgres";
import { createFeedDatabase, makePodcast } from "../tests/feed_writer/feed_database.ts";

const EPISODES = 10_000, PER_EPISODE = 5, STATEMENT_TIMEOUT_MS = 60_000;

await measure();
Deno.exit(0);

async function measure() {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  const podcasts = [EPISODES / 10, EPISODES, EPISODES, EPISODES].map((count) => makeFullPodcast(sql, count));
  const [tenth, ...full] = await Promise.all(podcasts);
  await sql.unsafe("vacuum analyze");
  const small = await deletionMs(sql, tenth), times: number[] = [];
  for (const id of full) times.push(await deletionMs(sql, id));
  const worst = Math.max(...times);
  console.log(`${EPISODES / 10} episodes: ${Math.round(small)} ms`);
  console.log(`${EPISODES} episodes: ${times.map((ms) => `${Math.round(ms)} ms`).join(", ")}`);
  console.log(`worst / statement timeout: ${(worst / STATEMENT_TIMEOUT_MS).toFixed(2)} (goal: 0.1)`);
  console.log(`worst / a tenth of the episodes: ${(worst / small).toFixed(1)} (goal: 15)`);
}

async function deletionMs(sql: postgres.Sql, id: string): Promise<number> {
  const start = performance.now();
  const [{ is_deleted }] =
    await sql`select private.delete_due_podcast(${id}, now() + interval '91 days') as is_deleted`;
  if (!is_deleted) throw new Error("The podcast was not deleted");
  return performance.now() - start;
}

/** A podcast with rows in every table, pending deletion. Returns its id. */
async function makeFullPodcast(sql: postgres.Sql, count: number): Promise<string> {
  const id = await makePodcast(sql);
  await sql`
    insert into public.episodes (podcast_id, slug, title, status, published_at, audio_url, audio_file_size_bytes, audio_content_type)
    select ${id}, 'part-' || n, 'Part ' || n, 'published', now() - n * interval '1 hour', 'https://media.example/' || n, 1000, 'audio/mpeg'
    from generate_series(1, ${count}::int) n`;
  await sql`
    insert into public.episode_credits (episode_id, name, role_label, display_order)
    select e.id, 'Person ' || n, 'Host', n - 1
    from public.episodes e, generate_series(1, ${PER_EPISODE}::int) n where e.podcast_id = ${id}`;
  await sql`
    insert into public.episode_people (episode_id, source_type, name)
    select e.id, 'external', 'Person ' || n
    from public.episodes e, generate_series(1, ${PER_EPISODE}::int) n where e.podcast_id = ${id}`;
  await sql`
    insert into public.podcast_guests (podcast_id, display_name, email)
    select ${id}, 'Guest ' || n, n || '@guest.example' from generate_series(1, 100) n`;
  await sql`
    insert into public.episode_guests (episode_id, podcast_guest_id)
    select e.id, g.id from (
      select e.id, row_number() over () as n from public.episodes e where e.podcast_id = ${id}) e
    join (select g.id, row_number() over () as n from public.podcast_guests g where g.podcast_id = ${id}) g on g.n = 1 + e.n % 100`;
  await sql`
    insert into public.episode_messages (episode_id, sender_guest_id, sender_user_id, body)
    select g.episode_id, g.id, null, 'Hello' from public.episode_guests g, generate_series(1, ${PER_EPISODE}::int)
    where g.podcast_id = ${id}`;
  await sql`
    with path as (
      select format('podcasts/%s/e/%s/audio/%s.mp3', e.podcast_id, e.id, gen_random_uuid()) as path, e.id
      from public.episodes e where e.podcast_id = ${id}
    ), stored as (
      insert into storage.objects (bucket_id, name, metadata) select 'media', p.path, '{"size": 1000}' from path p
    )
    insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes, content_type)
    select p.path, o.owner_id, o.id, p.id, 'audio', 1000, 'audio/mpeg' from path p, public.podcasts o where o.id = ${id}`;
  await sql`
    insert into private.feed_items (podcast_id, episode_id, episode_updated_at, context_hash, deflated, crc32, uncompressed_bytes, digest)
    select e.podcast_id, e.id, e.updated_at, '', sha256(e.id::text::bytea), 1, 1, '' from public.episodes e where e.podcast_id = ${id}`;
  const [{ import_id }] = await sql`
    insert into public.podcast_imports (podcast_id, feed_url, created_by) values (${id}, 'https://feed.example', null) returning id as import_id`;
  await sql`
    with item as (
      insert into public.podcast_import_items (import_id, podcast_id, position, guid, parsed_payload, episode_id, status)
      select ${import_id}, ${id}, row_number() over (), e.guid, '{}', e.id, 'completed' from public.episodes e where e.podcast_id = ${id}
      returning id
    )
    insert into public.podcast_import_item_texts (import_item_id, podcast_id, description) select i.id, ${id}, 'Text' from item i`;
  await sql`
    select pgmq.send_batch('feed_invalidation', array_agg(jsonb_build_object('type', 'episode.updated', 'podcast_id', ${id}::uuid,
      'podcast_slug', 'slug', 'episode_id', gen_random_uuid(), 'timestamp', now())))
    from generate_series(1, ${count * PER_EPISODE}::int)`;
  await sql`
    update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(),
      deletion_scheduled_at = now() + interval '90 days' where id = ${id}`;
  return id;
}
