/** The player's data: /v1 of its own API, or JSON that the page contains. */

/** The fields of /v1 that the player reads. Those of other people's pages may be incomplete. */
export interface Podcast {
  slug: string;
  title: string;
  language?: string;
  link?: string | null;
  listenUrl?: string | null;
  feedUrl?: string | null;
  coverImageUrl?: string | null;
  funding?: { url: string; text: string }[];
}

export interface Episode {
  id: string;
  podcastSlug: string;
  title: string;
  durationSeconds?: number | null;
  audioUrl?: string | null;
  coverImageUrl?: string | null;
  listenUrl?: string | null;
  embedUrl?: string | null;
  credits?: Credit[];
  transcripts?: TranscriptFile[];
  chapters?: { url: string } | null;
}

export interface Credit {
  name: string;
  roleLabel: string;
  avatarUrl?: string | null;
  externalUrl?: string | null;
}

export interface TranscriptFile {
  id: string;
  language?: string | null;
  url: string;
  formats: { type: string; url: string }[];
}

export interface Media {
  podcast: Podcast;
  episode: Episode;
}

export interface Chapter {
  startTime: number;
  title: string;
  url?: string;
}

export interface Line {
  startTime: number;
  speaker?: string;
  text: string;
}

/** Another attempt would have the same result. */
export const NOT_FOUND = new Error("The API has no such episode");

const TIMEOUT_MS = 15_000;

/** The URL of the API that this script belongs to. Modules have no currentScript. */
export const scriptBase = ((document.currentScript as HTMLScriptElement | null)?.src ||
  document.querySelector<HTMLScriptElement>("script[src*='/player/v1.js']")?.src || "").split("/player/v1.js")[0];

async function getJson(url: string, signal: AbortSignal) {
  const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) })
    .catch(() => undefined);
  if (response && !response.ok && response.status < 500) throw NOT_FOUND;
  if (!response?.ok) throw new Error("The API is not available");
  return await response.json();
}

/** Reads an episode, or a podcast's latest one. */
export async function loadMedia(
  base: string,
  id: string | null,
  slug: string | null,
  signal: AbortSignal,
): Promise<Media> {
  const read = async (path: string) => (await getJson(`${base}/v1/${path}`, signal)).data;
  const podcastPath = (slug: string) => `podcasts/${encodeURIComponent(slug)}`;
  if (id) {
    const episode: Episode = await read(`episodes/${encodeURIComponent(id)}`);
    return { episode, podcast: await read(podcastPath(episode.podcastSlug)) };
  }
  if (!slug) throw NOT_FOUND;
  const [podcast, episode] = await Promise.all([read(podcastPath(slug)), read(`${podcastPath(slug)}/episodes/latest`)]);
  return { podcast, episode };
}

/** JSON that the page contains as `<script type="application/json">` in the element. */
export function inlineMedia(element: Element): Media | undefined {
  const script = element.querySelector(":scope > script");
  try {
    const media = JSON.parse(script!.textContent!);
    if (media.podcast.title && media.episode.id) return media;
  } catch { /* absent or incomplete: the API has the data */ }
}

/** Whether the API has the chapters. Documents on other hosts are not read. */
export const hasOwnChapters = ({ id, chapters }: Episode) => chapters?.url.endsWith(`/chapters/${id}.json`);

export async function loadChapters(base: string, { id }: Episode, signal: AbortSignal): Promise<Chapter[]> {
  const document = await getJson(`${base}/chapters/${id}.json`, signal);
  return (document.chapters as (Chapter & { toc?: boolean })[])
    .filter(({ title, toc }) => title && toc !== false)
    .sort((a, b) => a.startTime - b.startTime);
}

/** The lines of a transcript that the API has as JSON. */
export async function loadLines(base: string, { id }: TranscriptFile, signal: AbortSignal): Promise<Line[]> {
  const { segments } = await getJson(`${base}/transcripts/${id}.json`, signal);
  return joinLines(
    segments.map(({ startTime, speaker, body }: { startTime: number; speaker?: string; body: string }) => ({
      startTime,
      speaker: speaker ?? undefined,
      text: body.trim(),
    })),
  );
}

/** Files may time each word: short segments of a sentence become one line. */
function joinLines(lines: Line[]): Line[] {
  const joined: Line[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    const isContinued = last && last.speaker === line.speaker && last.text.length + line.text.length < 90 &&
      !/[.!?…]["”»)]*$/.test(last.text);
    if (isContinued) last.text += ` ${line.text}`;
    else joined.push({ ...line });
  }
  return joined;
}

export const hasTimes = ({ formats }: TranscriptFile) => formats.some(({ type }) => type === "application/json");
