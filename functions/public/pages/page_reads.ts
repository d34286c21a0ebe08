/** Reads of pages: the public reads of /v1 with their copies, and what remains of deleted podcasts. */
import type { Context } from "hono";
import type { AppEnv } from "../../app/app.ts";
import { toErrorResponse } from "../../app/errors.ts";
import type { CacheableBody } from "../../app/reply.ts";
import type { CopiedRead, Staleness } from "../../app/stale_copies.ts";
import type { Arguments } from "../../database/operations.ts";
import { toRedirect } from "../../text/uri.ts";
import { readChaptersDocument } from "../v1/chapters.ts";
import { readThroughCopies } from "../v1/copied_reads.ts";
import { EPISODE_NOT_FOUND, PageError } from "./error_page.ts";
import type { Episode, Podcast } from "./page.ts";
import type { PageSettings } from "./page_settings.ts";

/** A page of the episodes that a search found. */
interface FoundEpisodes {
  data: Episode[];
  pagination: { nextCursor: string | null };
}

/** A numbered page of a podcast's episodes, or its newest ones. */
interface EpisodePage {
  data: Episode[];
  olderPage: number | null;
  /** Null for the newest ones. */
  newerPage: number | null;
}

interface Neighbor {
  slug: string;
  title: string;
}

/** The episodes that were published before and after one. */
export interface Neighbors {
  previous: Neighbor | null;
  next: Neighbor | null;
}

/** A chapter of the JSON chapters document. */
export interface Chapter {
  startTime: number;
  title?: string;
  url?: string;
  img?: string;
  imageCopies?: Podcast["coverCopies"];
  toc?: false;
}

interface PublicResults {
  get_public_podcast: { data: Podcast };
  get_public_episode: { data: Episode };
  get_public_episode_by_id: { data: Episode };
  get_latest_public_episode: { data: Episode };
  get_public_neighbors: Neighbors;
  list_public_episode_page: EpisodePage;
  list_public_episodes: FoundEpisodes;
}

/** Runs a public read and parses its JSON. 410 if the podcast of the slug or the episode was deleted. */
export async function callPublic<O extends keyof PublicResults>(
  c: Context<AppEnv>,
  operation: O,
  args: Arguments<O>,
): Promise<PublicResults[O]> {
  try {
    return parseRead(c, await readThroughCopies(c, operation, args));
  } catch (error) {
    if ((error as { code?: string }).code !== "PT404") throw error;
    await throwIfDeleted(c, args);
    if ("episodeId" in args) throw new PageError(404, "Episode not found", EPISODE_NOT_FOUND);
    throw error;
  }
}

function parseRead(c: Context<AppEnv>, found: CopiedRead<CacheableBody>) {
  noteStaleness(c, found);
  return JSON.parse(decoder.decode(found.value.bytes));
}
const decoder = new TextDecoder();

/** A page is as old as the oldest copy that it shows. */
export function noteStaleness(c: Context<AppEnv>, { ageSeconds, cause }: Staleness): void {
  if ((ageSeconds ?? -1) > (c.get("staleness")?.ageSeconds ?? -1)) c.set("staleness", { ageSeconds, cause });
}

/** Leaves out a part of a page that cannot be read. No cache keeps the page if the part may be there soon. */
export function leaveOut(c: Context<AppEnv>, cause: unknown): undefined {
  c.env.cause = cause;
  const { status } = toErrorResponse(cause, { requestId: "", isSignedIn: false });
  if (status >= 500) noteStaleness(c, { ageSeconds: 0, cause });
}

/** The chapters that an episode's page lists. Documents on other hosts are not read. */
export async function readChapters(
  c: Context<AppEnv>,
  { id, chapters }: Episode,
  { public_api_url }: PageSettings,
): Promise<Chapter[]> {
  if (chapters?.url !== `${public_api_url}/chapters/${id}.json`) return [];
  const found = await readChaptersDocument(c, { episodeId: id }).catch((cause) => leaveOut(c, cause));
  if (!found) return [];
  const listed: Chapter[] = parseRead(c, found).chapters;
  return listed.filter(({ title, toc }) => title && toc !== false);
}

/** Throws 410 if the podcast of this slug, or of this public episode, was deleted. */
async function throwIfDeleted({ var: { reads } }: Context<AppEnv>, { slug = null, episodeId = null }: {
  slug?: string | null;
  episodeId?: string | null;
}): Promise<void> {
  const [tombstone] = await reads.serviceSql<Tombstone[]>`
    select private.redirect_in_effect(redirect => r) as redirect_url, t.language
    from private.find_podcast_tombstone(_slug => ${slug}, _episode_id => ${episodeId}) t
    left join private.feed_redirects r on r.podcast_id = t.podcast_id
    where t.slug is not null`;
  if (tombstone) throw new PageError(410, "The podcast was deleted", deletedPage(tombstone), "PODCAST_DELETED");
}

interface Tombstone {
  redirect_url: string | null;
  language: string;
}

const deletedPage = ({ redirect_url, language }: Tombstone) =>
  redirect_url && toRedirect(redirect_url)
    ? { title: "moved", advice: "movedAdvice", redirectUrl: redirect_url, language } as const
    : { title: "deleted", advice: "deletedAdvice", language } as const;
