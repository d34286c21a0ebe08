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

/** Creates the podcast; returns its id. */
export async function makeLargePodcast(sql: postgres.Sql): Promise<string> {
  const id = await makePodcast(sql, {
    title: "Night Trains",
    slug: "night-trains",
    description: "One line at a time.",
    author: "Ana",
    cover_image_url: "https://media.example/cover.jpg",
    categories: sql.json([{ category: "Society & Culture", subcategory: "Places & Travel" }]),
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
    insert into public.episode_credits (episode_id, name, role_label, external_url, display_order)
    select e.id, c.name || ' ' || e.slug, c.label, 'https://people.example/' || e.slug, c.place
    from public.episodes e, (values ('Ana', 'Host'::public.credit_role_label, 0), ('Bo', 'Guest', 1), ('Cy', 'Producer', 2))
      c (name, label, place)
    where e.podcast_id = ${id}`;
  return id;
}

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
