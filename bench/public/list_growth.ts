// The list of a podcast's episodes, first page and a page from the middle: of 1,000,000 episodes against 1,000. Goal: at
// most 1.3 times. Pages of listen pages have numbers, so they count the episodes and skip to the page, at most half of
// them, both in the index. Goal: at most 250 ms of 1,000,000, for the newest, the middle and the oldest page.
// node local/deno.mjs bench/public/list_growth.ts
import type postgres from "postgres";
import { connected } from "../../local/postgres/client.ts";
import { createFeedDatabase, makePodcast } from "../../tests/feed_writer/feed_database.ts";
import { median } from "../feed/large_podcast.ts";

const SIZES = { small: 1000, large: 1_000_000 }, ROUNDS = 400;

await using scratch = await createFeedDatabase();
const { sql } = scratch;
for (const [slug, count] of Object.entries(SIZES)) {
  const id = await makePodcast(sql, { slug });
  await connected(
    scratch.url.replace("//postgres:", "//supabase_admin:"),
    (admin) => fill(admin, id, count),
  );
}
await connected(
  scratch.url.replace("//postgres:", "//supabase_admin:"),
  async (admin) => {
    await admin`vacuum analyze public.episodes`;
  },
);

const pages: Record<string, { slug: string; cursor: string | null }[]> = {
  "first page": [],
  "middle page": [],
};
for (const [slug, count] of Object.entries(SIZES)) {
  const [{ cursor }] = await sql<{ cursor: string }[]>`
    select private.encode_cursor(e.published_at, e.id) as cursor from public.episodes e
    join public.podcasts p on p.id = e.podcast_id where p.slug = ${slug} and e.slug = ${`e-${count / 2}`}`;
  pages["first page"].push({ slug, cursor: null });
  pages["middle page"].push({ slug, cursor });
}

for (const [name, both] of Object.entries(pages)) {
  const times: number[][] = [[], []];
  for (let round = -20; round < ROUNDS; round++) { // in turns, so that the machine's moods fall on both
    for (const [n, { slug, cursor }] of both.entries()) {
      const from = performance.now();
      const [{ count }] = await sql`
        select jsonb_array_length(public.list_public_episodes(${slug}, 25, ${cursor}) -> 'data') as count`;
      if (count !== 25) throw new Error(`${name}: ${count} episodes`);
      if (round >= 0) times[n].push(performance.now() - from);
    }
  }
  const [small, large] = times.map(median);
  console.log(
    `${name}: ${(large / small).toFixed(2)} times (goal: 1.3); ` +
      `${small.toFixed(2)} ms of 1,000 episodes, ${large.toFixed(2)} ms of 1,000,000`,
  );
}
const lastPage = SIZES.large / 20;
for (
  const [name, page] of Object.entries({
    newest: null,
    middle: lastPage / 2,
    oldest: 1,
  })
) {
  const times: number[] = [];
  for (let round = -2; round < ROUNDS / 20; round++) {
    const from = performance.now();
    const [{ count }] = await sql`
      select jsonb_array_length(public.list_public_episode_page('large', ${page}) -> 'data') as count`;
    if (count !== (page === null ? 40 : 20)) {
      throw new Error(`${name}: ${count} episodes`);
    }
    if (round >= 0) times.push(performance.now() - from);
  }
  console.log(
    `${name} numbered page: ${median(times).toFixed(1)} ms of 1,000,000 (goal: 250)`,
  );
}
Deno.exit(0);

/** Inserts published episodes without triggers, a minute apart. */
async function fill(admin: postgres.Sql, podcastId: string, count: number) {
  await admin`set session_replication_role = replica`;
  await admin`
    insert into public.episodes (podcast_id, slug, guid, title, status, published_at, first_published_at, summary,
      audio_url, audio_file_size_bytes, audio_content_type, audio_duration_seconds)
    select ${podcastId}, 'e-' || n, 'guid-' || n, 'Episode ' || n, 'published', now() - n * interval '1 minute',
      now() - n * interval '1 minute', 'Part ' || n, 'https://media.example/' || n || '.mp3', 1000, 'audio/mpeg', 60
    from generate_series(1, ${count}::int) n`;
}
