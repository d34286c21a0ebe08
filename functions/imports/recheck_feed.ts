/** Rechecks the feed of an import that waits for its owner's consent. */
import { routeService } from "../database/service.ts";
import { parseFeed, type Sink } from "../feed_reader/parse.ts";
import type { Channel } from "../feed_reader/feed.ts";
import { createImportPageFetcher, endReadingAfter, MAX_READING_MS, toApiError } from "./fetch_feed.ts";

/** The result of begin_feed_recheck. */
interface FeedRecheck {
  feedUrl: string;
  /** The user whose budget of emails counts a code. */
  callerId: string;
}

/** Returns the import's new state as JSON. */
export async function recheckFeed(importId: string, { feedUrl, callerId }: FeedRecheck): Promise<string> {
  const channel = await fetchChannel(importId, withCacheBuster(feedUrl)).catch((error) =>
    Promise.reject(toApiError(error))
  );
  return (await routeService.text("finish_feed_recheck", { importId, channel, callerId }))!;
}

/** Reads the whole first page, because a channel may continue after its items. */
async function fetchChannel(importId: string, feedUrl: string): Promise<Channel> {
  const onChunk = endReadingAfter(MAX_READING_MS);
  const { url, headers, body } = await (await createImportPageFetcher(importId))(feedUrl);
  const contentType = headers.get("content-type"), contentEncoding = headers.get("content-encoding");
  return (await parseFeed(body, { url, contentType, contentEncoding }, discardItems, { onChunk })).channel;
}

const discardItems: Sink = { take: () => false, flush: () => Promise.resolve() };

/**
 * Adds a random parameter so that no cache responds. The query stays unchanged, because it may be signed;
 * `searchParams` would re-encode it.
 */
function withCacheBuster(feedUrl: string): string {
  const url = new URL(feedUrl);
  url.search += `${url.search ? "&" : "?"}castbase=${crypto.randomUUID()}`;
  return url.href;
}
