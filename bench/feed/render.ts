// One changed episode in a feed of 1,000 with all tags: the worker's time from claiming the message to acknowledging it, against
// feedsmith generating the same document from objects in memory. Goal: 5 times faster.
// node local/deno.mjs bench/feed/render.ts
import { generateRssFeed } from "feedsmith";
import { gunzipSync } from "node:zlib";
import { TAXONOMY } from "../../functions/feed_writer/taxonomy.ts";
import type { Credit } from "../../functions/feed_writer/feed_rows.ts";
import { createFeedDatabase } from "../../tests/feed_writer/feed_database.ts";
import { EPISODE_VALUES, EPISODES, makeLargePodcast, median, PODCAST_VALUES } from "./large_podcast.ts";
import { namespaceOf } from "./feedsmith_values.ts";
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";

const ROUNDS = 40;

await using scratch = await createFeedDatabase();
const { sql } = scratch;
const { drain } = await import("../../functions/worker/loop.ts");
const { renderFeedJob } = await import("../../functions/worker/jobs/render_feed.ts");
const id = await makeLargePodcast(sql);

const startedAt = performance.now();
await drain(renderFeedJob as Job, timeBudget(60_000));
const firstTime = performance.now() - startedAt;

async function document() {
  const [row] = await sql`select gzip from private.get_feed_gzip(${id})`;
  return { xml: gunzipSync(row.gzip).toString(), zipped: row.gzip.length };
}

const episodes = await sql`
  select e.*, (select json_agg(c order by c.display_order) from public.episode_credits c where c.episode_id = e.id) as credits
  from public.episodes e where e.podcast_id = ${id} order by e.published_at desc`;
const [podcast] = await sql`select * from public.podcasts where id = ${id}`;
const peer = () =>
  generateRssFeed({
    title: podcast.title,
    link: "https://api.example",
    description: podcast.description,
    language: podcast.language,
    generator: "Castbase",
    lastBuildDate: new Date(),
    atom: { links: [{ href: "https://api.example/feed.xml", rel: "self", type: "application/rss+xml" }] },
    itunes: {
      author: podcast.author,
      image: podcast.cover_image_url,
      explicit: false,
      type: "episodic",
      categories: [{ text: "Society & Culture", categories: [{ text: "Places & Travel" }] }],
    },
    categories: PODCAST_VALUES.tags.map(({ text, domain }) => ({ name: text, domain })),
    podcast: {
      ...{ guid: podcast.podcast_guid, locked: { value: true }, medium: "podcast" },
      ...namespaceOf(PODCAST_VALUES),
      fundings: PODCAST_VALUES.funding.map(({ url, text }) => ({ url, display: text })),
      txts: PODCAST_VALUES.verify_texts.map(({ text, purpose }) => ({ display: text, purpose })),
      updateFrequency: { display: PODCAST_VALUES.update_frequency.text, rrule: PODCAST_VALUES.update_frequency.rrule },
    },
    items: episodes.map((e) => ({
      title: e.title,
      description: e.summary,
      content: { encoded: e.show_notes_html },
      link: `https://api.example/listen/night-trains/${e.slug}`,
      guid: { value: e.guid, isPermaLink: false },
      pubDate: e.published_at,
      enclosures: [{ url: e.audio_url, length: Number(e.audio_file_size_bytes), type: e.audio_content_type }],
      itunes: {
        title: e.title,
        duration: e.audio_duration_seconds,
        explicit: e.explicit,
        image: podcast.cover_image_url,
        season: e.season_number,
        episode: e.episode_number,
        episodeType: "full",
      },
      categories: EPISODE_VALUES.tags.map(({ text, domain }) => ({ name: text, domain })),
      podcast: {
        ...namespaceOf(EPISODE_VALUES),
        season: { number: e.season_number, name: e.season_name },
        episode: { number: e.episode_number, display: e.episode_display },
        transcripts: e.transcripts,
        soundbites: EPISODE_VALUES.soundbites.map(({ start_seconds, duration_seconds, title }) => ({
          startTime: start_seconds,
          duration: duration_seconds,
          display: title,
        })),
        alternateEnclosures: EPISODE_VALUES.alternate_enclosures.map(({ sources, ...enclosure }) => ({
          ...enclosure,
          sources: sources.map(({ uri }) => ({ uri })),
        })),
        txts: EPISODE_VALUES.texts.map(({ text, purpose }) => ({ display: text, purpose })),
        chapters: { url: e.chapters_url, type: "application/json+chapters" },
        persons: e.credits.map((c: Credit) => ({ display: c.name, ...TAXONOMY[c.role_label], href: c.external_url! })),
      },
    })),
  });

// One after the other, so that each pays for its own garbage collection.
const ours: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const which = 1 + (round * 37) % EPISODES;
  // after the second of the last edit; two edits within one second wait, which is not work
  await sql`update private.feed_documents set last_modified = last_modified - interval '1 minute' where podcast_id = ${id}`;
  await sql`
    update public.episodes set title = ${`Round ${round}`} where podcast_id = ${id} and episode_number = ${which}`;
  const start = performance.now();
  await drain(renderFeedJob as Job, timeBudget(60_000));
  ours.push(performance.now() - start);
}
const theirs: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const start = performance.now();
  peer();
  theirs.push(performance.now() - start);
}

const { xml, zipped } = await document();
const ms = (value: number) => `${value.toFixed(1)} ms`;
console.log(`feed of ${EPISODES} items: ${(xml.length / 1e6).toFixed(1)} MB, ${(zipped / 1e6).toFixed(2)} MB gzipped`);
console.log(`feedsmith's document: ${(peer().length / 1e6).toFixed(1)} MB`);
console.log(`first rendering of all items: ${ms(firstTime)}`);
console.log(`one changed episode, in the worker with the database: ${ms(median(ours))} (median of ${ROUNDS})`);
console.log(`feedsmith generates it: ${ms(median(theirs))}`);
console.log(`ratio: ${(median(theirs) / median(ours)).toFixed(1)} (goal: 5)`);
