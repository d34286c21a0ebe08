/** Fetches the pages of an imported feed and converts failures into API errors with their code. */
import { getFetchSettings } from "../database/fetch_settings.ts";
import { FetchError, requireOk, safeFetch } from "../safe_fetch/safe_fetch.ts";
import type { FetchPage } from "../feed_reader/pages.ts";
import { FeedError } from "../feed_reader/parse.ts";
import { ApiError } from "../runtime/api_error.ts";
import { createWaitLimit } from "./wait_limit.ts";

/** What the servers of a feed may take in all: connections, redirects, pages and bodies, but not staging what they send. */
const FEED_TIMEOUT_MS = 20_000;

/** Fetches pages, within one timeout for all of them. */
export async function createPageFetcher(): Promise<FetchPage> {
  const settings = await getFetchSettings();
  const wait = createWaitLimit(FEED_TIMEOUT_MS);
  const options = { idleMs: FEED_TIMEOUT_MS, signal: wait.signal, ...settings, headers: REQUEST_HEADERS };
  return async (url) => {
    const { url: lastUrl, headers, body } = requireOk(await wait.count(safeFetch(url, options)));
    return { url: lastUrl, headers, body: wait.read(body) };
  };
}

/** Of requests of feeds. Not brotli: it is decompressed in JavaScript, gzip natively. */
export const REQUEST_HEADERS = {
  accept: "application/rss+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1",
  "accept-encoding": "gzip",
};

/** Whether an error is the feed's or its server's, so that its message may be shown. */
export const isFeedFailure = (error: unknown): error is FetchError | FeedError =>
  error instanceof FetchError || error instanceof FeedError;

/** Converts an error of reading a feed: 504 for a timeout, 400 for the feed. */
export function toApiError(error: unknown): unknown {
  if (!isFeedFailure(error)) return error;
  const { code, message, cause } = error;
  return new ApiError(code === "TIMEOUT" ? 504 : 400, message, { code, cause });
}
