// Podcasts with published episodes for tests of the pages: real audio, chapters, transcripts, long titles, foreign images.
import { uploaded } from "../http/api/transcripts.ts";
import { type Episode, person, type Podcast, podcast, sql, stackInfo } from "../http/harness.ts";

const owner = await person("owner");

/** Nine seconds of the demo episode. */
const [{ audio_url: DEMO_AUDIO }] = await sql`
  select audio_url from public.episodes where id = '22222222-2222-4222-8222-222222222222'`;
export const FOREIGN_AUDIO = "https://audio.example/1.mp3", FOREIGN_IMAGE = "https://images.example/1.png";

export const LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";

interface EpisodeRow {
  title: string;
  audio_url?: string;
  cover_image_url?: string;
  show_notes_html?: string;
  audio_duration_seconds?: number;
}

export interface Show extends Podcast {
  url: string;
  episodes: (Episode & { url: string; embedUrl: string })[];
}

/** Newest first. */
export async function publish(title: string, episodes: EpisodeRow[], row: Record<string, unknown> = {}): Promise<Show> {
  const show = await podcast(title), pages = `${stackInfo.functionsUrl}/public`;
  if (Object.keys(row).length) await sql`update public.podcasts set ${sql(row)} where id = ${show.id}`;
  const published: Show["episodes"] = [];
  const url = `${pages}/listen/${encodeURIComponent(show.slug)}`;
  for (const [n, episode] of episodes.entries()) {
    const values = {
      ...{ podcast_id: show.id, summary: `Summary of ${episode.title}`, audio_url: DEMO_AUDIO },
      ...{ audio_file_size_bytes: 38034, audio_content_type: "audio/mpeg", audio_duration_seconds: 9 },
      ...{ status: "published", published_at: new Date(Date.now() - (n + 1) * 3_600_000), created_by: owner.id },
      ...episode,
    };
    const [made] = await sql<Episode[]>`insert into public.episodes ${sql(values)} returning id, slug`;
    published.push({
      ...made,
      url: `${url}/${encodeURIComponent(made.slug)}`,
      embedUrl: `${pages}/ep/${made.id}`,
    });
  }
  return { ...show, url, episodes: published };
}

/** Three chapters, and six lines of two speakers, each of a second. */
export async function addChaptersAndTranscript(show: Show, episode: Episode) {
  const chapters = [0, 3, 6].map((startTime, n) => ({ startTime, title: `Part ${n + 1}` }));
  await uploaded(show, episode, {
    type: "application/json+chapters",
    body: JSON.stringify({ version: "1.2.0", chapters }),
  });
  const lines = Array.from(
    { length: 6 },
    (_, n) => `00:0${n}.000 --> 00:0${n + 1}.000\n<v ${n % 2 ? "Ben" : "Ana"}>Line ${n}`,
  );
  await uploaded(show, episode, { body: `WEBVTT\n\n${lines.join("\n\n")}\n` });
}
