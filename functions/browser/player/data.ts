/** The player's data: /v1 of its own API, or JSON that the page contains. */
import type { z } from "zod";
import type { PublicEpisode, PublicPodcast } from "../../../types/public.ts";

type PublicPodcastFields = z.infer<typeof PublicPodcast>;
type PublicEpisodeFields = z.infer<typeof PublicEpisode>;

/** The fields of /v1 that the player needs, and those that it shows if they are present. */
export type Podcast =
  & Pick<PublicPodcastFields, "slug" | "title">
  & Partial<Pick<PublicPodcastFields, "language" | "link" | "listenUrl" | "feedUrl" | "funding" | "directoryLinks">>
  & Cover;

export type Episode =
  & Pick<PublicEpisodeFields, "id" | "podcastSlug" | "title" | "audioUrl">
  & Partial<Pick<PublicEpisodeFields, "durationSeconds" | "listenUrl" | "embedUrl" | "publishedAt">>
  & Partial<Pick<PublicEpisodeFields, "credits" | "transcripts" | "chapters">>
  & Cover;

type Cover = Partial<Pick<PublicEpisodeFields, "coverImageUrl" | "coverCopies">>;

/** An image, and its smaller copies by width. */
export interface Picture {
  url: string | null | undefined;
  copies?: PublicEpisodeFields["coverCopies"];
}

export type Credit = PublicEpisodeFields["credits"][number];
export type TranscriptFile = PublicEpisodeFields["transcripts"][number];

export interface Media {
  podcast: Podcast;
  episode: Episode;
  /** Of images that the page may show, if it restricts them. */
  imageOrigins?: string[];
}

export interface Chapter {
  startTime: number;
  title: string;
  img?: string;
  /** Of `img`, by width. */
  imageCopies?: PublicEpisodeFields["coverCopies"];
  url?: string;
}

/** The episode's cover, else the podcast's. */
export function coverOf({ podcast, episode }: Media): Picture {
  const { coverImageUrl: url, coverCopies: copies } = episode.coverImageUrl ? episode : podcast;
  return { url, copies };
}

/** Whether the API has no such resource, so that another attempt would have the same result. */
export const isNotFound = ({ message }: Error) => message === "404";

const TIMEOUT_MS = 15_000;

/** The URL of the API that this script belongs to. Modules have no currentScript, and only an error names theirs. */
const place = (document.currentScript as HTMLScriptElement)?.src ?? Error().stack;
export const scriptBase = /https?:\S+?(?=\/player\/)/.exec(place)?.[0];

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

/** Whether the page may show an image: pages of our own ask no other host for one. */
export const canShow = ({ imageOrigins }: Pick<Media, "imageOrigins">, url: string | null | undefined) =>
  !imageOrigins || imageOrigins.some((origin) => url?.startsWith(`${origin}/`));

/** Whether the API has the chapters. Documents on other hosts are not read. */
export const hasOwnChapters = ({ id, chapters }: Episode) => chapters?.url.endsWith(`/chapters/${id}.json`);

export async function loadChapters(base: string, { id }: Episode, signal: AbortSignal): Promise<Chapter[]> {
  const document = await getJson(`${base}/chapters/${id}.json`, signal);
  return (document.chapters as (Chapter & { toc?: boolean })[])
    .filter(({ title, toc }) => title && toc !== false)
    .sort((a, b) => a.startTime - b.startTime);
}
