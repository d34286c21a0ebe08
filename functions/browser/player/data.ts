/** The player's data: /v1 of its own API, or JSON that the page contains. */
import type { z } from "zod";
import type { PublicEpisode, PublicPodcast } from "../../../types/public.ts";

type PublicPodcastFields = z.infer<typeof PublicPodcast>;
type PublicEpisodeFields = z.infer<typeof PublicEpisode>;

/** The fields of /v1 that the player needs, and those that it shows if they are present. */
export type Podcast =
  & Pick<PublicPodcastFields, "slug" | "title">
  & Partial<Pick<PublicPodcastFields, "language" | "link" | "listenUrl" | "feedUrl" | "coverImageUrl" | "funding">>;

type Episode =
  & Pick<PublicEpisodeFields, "id" | "podcastSlug" | "title" | "audioUrl">
  & Partial<Pick<PublicEpisodeFields, "durationSeconds" | "coverImageUrl" | "listenUrl" | "embedUrl">>
  & Partial<Pick<PublicEpisodeFields, "credits" | "transcripts" | "chapters">>;

export type Credit = PublicEpisodeFields["credits"][number];
export type TranscriptFile = PublicEpisodeFields["transcripts"][number];

export interface Media {
  podcast: Podcast;
  episode: Episode;
}

export interface Chapter {
  startTime: number;
  title: string;
  url?: string;
}

interface Line {
  startTime: number;
  speaker?: string | null;
  text: string;
}

/** Whether the API has no such resource, so that another attempt would have the same result. */
export const isNotFound = ({ message }: Error) => message === "404";

const TIMEOUT_MS = 15_000;

/** The URL of the API that this script belongs to. Modules have no currentScript. */
const script = (document.currentScript ?? document.querySelector("script[src*='/player/v1.js']")) as HTMLScriptElement;
export const scriptBase = script?.src.split("/player/")[0];

export async function getJson(url: string, signal: AbortSignal) {
  const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) })
    .catch(() => undefined);
  if (!response?.ok) throw new Error(String(response?.status));
  return await response.json();
}

/** Reads an episode, or a podcast's latest one, and its podcast. */
export async function loadMedia(
  base: string,
  id: string | null,
  slug: string | null,
  signal: AbortSignal,
): Promise<Media> {
  const read = async (path: string) => (await getJson(`${base}/v1/${path}`, signal)).data;
  const podcastPath = (slug: string) => `podcasts/${encodeURIComponent(slug)}`;
  if (!id && !slug) throw new Error("404");
  const episode: Episode = await read(
    id ? `episodes/${encodeURIComponent(id)}` : `${podcastPath(slug!)}/episodes/latest`,
  );
  return { episode, podcast: await read(podcastPath(episode.podcastSlug)) };
}

/** JSON that the page contains as `<script type="application/json">` in the element. It may be incomplete. */
export function inlineMedia(element: Element): Media | null | undefined {
  try {
    return JSON.parse(element.querySelector(":scope > script")!.textContent!);
  } catch { /* absent or incomplete: the API has the data */ }
}

/** Whether the API has the chapters. Documents on other hosts are not read. */
export const hasOwnChapters = ({ id, chapters }: Episode) => chapters?.url.endsWith(`/chapters/${id}.json`);

export async function loadChapters(base: string, { id }: Episode, signal: AbortSignal): Promise<Chapter[]> {
  const document = await getJson(`${base}/chapters/${id}.json`, signal);
  return (document.chapters as (Chapter & { toc?: boolean })[])
    .filter(({ title, toc }) => title && toc !== false)
    .sort(byStart);
}

const byStart = (a: { startTime: number }, b: { startTime: number }) => a.startTime - b.startTime;

/** The lines of a transcript that the API has as JSON. */
export async function loadLines(base: string, { id }: TranscriptFile, signal: AbortSignal): Promise<Line[]> {
  const { segments } = await getJson(`${base}/transcripts/${id}.json`, signal);
  return joinLines(
    segments.map(({ body, ...line }: Omit<Line, "text"> & { body: string }) => ({ ...line, text: body.trim() }))
      .sort(byStart), // a file may have any order
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
    else joined.push(line);
  }
  return joined;
}

export const hasTimes = ({ formats }: TranscriptFile) => formats.some(({ type }) => type === "application/json");
