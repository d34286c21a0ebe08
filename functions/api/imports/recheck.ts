/** For an import that waits for the consent of the feed's owner: reads what the feed says about itself now. */
import { serviceSql, withRetry } from "../../database/db.ts";
import { parseFeed, type Sink } from "../../feed_reader/parse.ts";
import type { Channel } from "../../feed_reader/types.ts";
import { createPageFetcher, toApiError } from "../../imports/fetch_feed.ts";

/** What begin_feed_recheck says. */
interface FeedRecheck {
  feedUrl: string;
  /** Whom a code that is mailed now is charged to. */
  caller: string;
}

/** What became of the import, as JSON. */
export async function recheckFeed(importId: string, { feedUrl, caller }: FeedRecheck): Promise<string> {
  const channel = await fetchChannel(withCacheBuster(feedUrl)).catch((error) => Promise.reject(toApiError(error)));
  const [{ text }] = await withRetry(() =>
    serviceSql<{ text: string }[]>`
      select private.finish_feed_recheck(${importId}, ${JSON.stringify(channel)}::text::jsonb, ${caller})::text as text`
  );
  return text;
}

/** Of the first page, and all of it: a channel may go on behind its items. */
async function fetchChannel(feedUrl: string): Promise<Channel> {
  const { url, headers, body } = await (await createPageFetcher())(feedUrl);
  const contentType = headers.get("content-type"), contentEncoding = headers.get("content-encoding");
  return (await parseFeed(body, { url, contentType, contentEncoding }, discardItems)).channel;
}

const discardItems: Sink = { take: () => false, flush: () => Promise.resolve() };

/**
 * An address that no cache has seen: what the publisher changed just now counts. What stands in the query stays as it is,
 * letter for letter, for it may be signed: `searchParams` would write all of it anew.
 */
function withCacheBuster(feedUrl: string): string {
  const url = new URL(feedUrl);
  url.search += `${url.search ? "&" : "?"}castbase=${crypto.randomUUID()}`;
  return url.href;
}
