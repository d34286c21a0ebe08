/** Checks where the redirect of one of our feeds leads: to a feed, of the same podcast, with the same episodes? */
import { service } from "../../database/service.ts";
import { readFeed } from "../../feed_reader/pages.ts";
import { batchItems, FeedError } from "../../feed_reader/parse.ts";
import { createPageFetcher, isFeedFailure, MAX_READING_MS } from "../fetch_feed.ts";
import { PermanentImportError, toUserFacingError } from "../import_errors.ts";

interface Redirect {
  url: string;
  podcast_guid: string;
  /** Public episodes here. */
  episodes: number;
  is_last_attempt: boolean;
}

/** As private.finish_redirect_check stores it. */
interface RedirectCheck {
  /** Why the check failed; absent if it did not. */
  code?: string;
  message?: string;
  is_same_podcast?: boolean | null;
  matching_episodes?: number;
  episodes: number;
}

/** What a check reads, because any owner can make it read any host. What follows is not compared. */
const [MAX_BYTES, MAX_PAGES, MAX_ITEMS] = [20_000_000, 10, 20_000];

/**
 * Checks and stores the result; nothing if the redirect has ended. Throws what may succeed later, unless it is the last
 * attempt.
 */
export async function checkRedirect(podcastId: string, attempt: number, maxMs = MAX_READING_MS): Promise<void> {
  const redirect = await service("begin_redirect_check", { podcastId, attempt }) as Redirect | null;
  if (!redirect) return;
  const { url, episodes, is_last_attempt } = redirect;
  let result: RedirectCheck;
  try {
    result = await compare(podcastId, redirect, maxMs);
  } catch (error) {
    if (!isFeedFailure(error)) throw error;
    const failure = toUserFacingError(error, attempt);
    if (!(failure instanceof PermanentImportError) && !is_last_attempt) throw failure;
    result = { code: error.code, message: error.message, episodes };
  }
  await service("finish_redirect_check", { podcastId, url, result });
}

/** Reads the feed up to the limits. Throws FetchError and FeedError. */
async function compare(
  podcastId: string,
  { url, podcast_guid, episodes }: Redirect,
  maxMs: number,
): Promise<RedirectCheck> {
  const counted = new Set<string>();
  let matching = 0;
  const sink = batchItems(async (batch) => {
    const guids = batch.map(({ guid }) => guid).filter((guid) => !counted.has(guid)); // a newer item may repeat one
    for (const guid of guids) counted.add(guid);
    matching += await service("count_public_guids", { podcastId, guids: [...new Set(guids)] }) ?? 0;
  });
  const end = performance.now() + maxMs;
  const endReading = () => {
    if (counted.size < MAX_ITEMS && performance.now() < end) return;
    throw new FeedError("TOO_LARGE", "The feed is too long to be read within a minute");
  };
  const limits = { maxBytes: MAX_BYTES, maxPages: MAX_PAGES, onChunk: endReading, acceptsPart: true };
  const { channel } = await readFeed(url, await createPageFetcher(null), sink, limits);
  const { podcastGuid } = channel;
  const isSame = podcastGuid === null ? null : podcastGuid.toLowerCase() === podcast_guid;
  const found = { is_same_podcast: isSame, matching_episodes: matching, episodes };
  return isSame || matching || !episodes ? found : {
    ...found,
    code: "OTHER_PODCAST",
    message: "The feed has another podcast:guid, or none, and none of the episodes",
  };
}
