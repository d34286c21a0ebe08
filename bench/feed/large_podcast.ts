// The podcast of the feed benchmarks: 1,000 published episodes, a document of about 7 MB.
import type postgres from "postgres";
import { makePodcast } from "../../tests/feed_writer/feed_database.ts";

export const EPISODES = 1000;

const WORDS =
  ("night train sleeper couchette border station platform whistle dining carriage timetable morning frost " +
    "conductor ticket window corridor luggage delay departure arrival tunnel bridge river mountain valley plain signal " +
    "engine steam electric gauge island harbour ferry customs passport language stranger story coffee bread lamp")
    .split(" ");

/** Realistic notes: paragraphs with links, about 6 KB of HTML, different for each n. */
function notes(n: number): string {
  let seed = n + 1;
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const sentence = () => Array.from({ length: 9 }, () => WORDS[Math.floor(next() * WORDS.length)]).join(" ");
  let html = "";
  while (html.length < 5000) {
    html += `<p>${sentence()} — ${sentence()}. <a href="https://example.com/${
      Math.floor(next() * 1e6)
    }">${sentence()}</a></p>\n`;
  }
  return html;
}

const REMOTE_ITEM = { feed_guid: "29cdca4a-32d8-56ba-b48b-09a011c5daa9", feed_url: "https://rss.example/1.rss" };

/** Feed values that fill every tag which podcasts and episodes share. */
const SHARED = {
  license: "cc-by-4.0",
  license_url: "https://creativecommons.org/licenses/by/4.0/",
  funding: [{ url: "https://nighttrains.example/give", text: "Buy us a ticket" }],
  locations: [{ name: "Vienna", rel: "creator", geo: "geo:48.2082,16.3738", osm: "R109166", country: "AT" }],
  images: [{
    href: "https://media.example/wide.jpg",
    alt: "A train",
    aspect_ratio: "16/9",
    width: 1920,
    purpose: "social",
  }],
  social_interactions: [{
    protocol: "activitypub",
    uri: "https://social.example/@ana/1",
    account_id: "@ana",
    priority: 1,
  }],
  value_blocks: [{
    ...{ type: "lightning", method: "keysend", suggested: "0.00000005000" },
    recipients: [1, 2, 3].map((n) => ({
      name: `Payee ${n}`,
      type: "node",
      address: `02d5c1bf8b940dc9cadca8${n}`,
      split: 30,
    })),
  }],
  keywords: ["trains", "night", "sleeper"],
  tags: [{ text: "Railways" }, { text: "Travel", domain: "https://directory.example/" }],
};

/** Feed values of the podcast. */
export const PODCAST_VALUES = {
  ...SHARED,
  verify_texts: [{ text: "S6lpp-7ZCn8", purpose: "verify" }],
  update_frequency: { text: "Every Monday", rrule: "FREQ=WEEKLY;BYDAY=MO" },
  podroll: [REMOTE_ITEM],
  publisher: REMOTE_ITEM,
  directory_blocks: [{ id: "google", is_blocked: true }],
};

/** Feed values of each episode. */
export const EPISODE_VALUES = {
  ...SHARED,
  season_name: "The first one",
  episode_display: "Ch. 1",
  texts: [{ text: "true", purpose: "ai-content" }],
  soundbites: [{ start_seconds: 73, duration_seconds: 60, title: "The border" }],
  content_links: [{ href: "https://video.example/watch", text: "Watch this episode" }],
  alternate_enclosures: [{
    ...{ type: "audio/opus", length: 32400000, bitrate: 96000, title: "High quality" },
    sources: [{ uri: "https://media.example/high.opus" }, { uri: "ipfs://QmX33FYehk6ckGQ6g1D9D3F" }],
    integrity: { type: "sri", value: "sha384-ExVqijgYHm15PqQqdXfW95x+Rs6C+d6E" },
  }],
};

/** Creates the podcast; returns its id. */
export async function makeLargePodcast(sql: postgres.Sql): Promise<string> {
  const id = await makePodcast(sql, {
    title: "Night Trains",
    slug: "night-trains",
    description: "One line at a time.",
    author: "Ana",
    cover_image_url: "https://media.example/cover.jpg",
    categories: sql.json([{ category: "Society & Culture", subcategory: "Places & Travel" }]),
    ...columns(sql, PODCAST_VALUES),
  });
  const rows = Array.from({ length: EPISODES }, (_, n) => ({ n, show_notes_html: notes(n) }));
  await sql`
    insert into public.episodes (podcast_id, slug, title, guid, status, published_at, summary, show_notes_html, audio_url,
      audio_file_size_bytes, audio_content_type, audio_duration_seconds, episode_number, season_number, chapters_url)
    select ${id}, 'paris-' || n, 'Paris by night, part ' || n, 'guid-' || n, 'published', now() - n * interval '1 hour',
      'Part ' || n || ' of the line to Paris.', show_notes_html, 'https://media.example/' || n || '.mp3', 1000 + n,
      'audio/mpeg', 1800 + n, n + 1, 1, 'https://media.example/' || n || '.json'
    from jsonb_to_recordset(${sql.json(rows)}) r (n int, show_notes_html text)`;
  await sql`
    update public.episodes set ${sql(columns(sql, EPISODE_VALUES))} where podcast_id = ${id}`;
  await sql`
    insert into public.episode_transcripts (episode_id, type, language, url)
    select e.id, 'text/vtt', 'en', 'https://media.example/1.vtt' from public.episodes e where e.podcast_id = ${id}`;
  await sql`
    insert into public.episode_credits (episode_id, name, role_label, external_url, display_order)
    select e.id, c.name || ' ' || e.slug, c.label, 'https://people.example/' || e.slug, c.place
    from public.episodes e, (values ('Ana', 'Host'::public.credit_role_label, 0), ('Bo', 'Guest', 1), ('Cy', 'Producer', 2))
      c (name, label, place)
    where e.podcast_id = ${id}`;
  return id;
}

/** Values for a statement: lists and objects as JSON. */
function columns(sql: postgres.Sql, values: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(values).map((
      [name, value],
    ) => [name, typeof value === "object" ? sql.json(value as postgres.JSONValue) : value]),
  );
}

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
