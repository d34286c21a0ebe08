/** Fetches the pages of an imported feed and converts failures into API errors with their code. */
import { getFetchSettings } from "../database/fetch_settings.ts";
import { FetchError, requireOk, safeFetch } from "../safe_fetch/safe_fetch.ts";
import type { FetchPage } from "../feed_reader/pages.ts";
import { FeedError } from "../feed_reader/parse.ts";
import { ApiError } from "../runtime/api_error.ts";

/** Timeout of the whole feed: redirects, pages, and reading them. */
const FEED_TIMEOUT_MS = 20_000;

/** Fetches pages; the timeout of all of them starts now. */
export async function createPageFetcher(): Promise<FetchPage> {
  const settings = await getFetchSettings();
  const end = performance.now() + FEED_TIMEOUT_MS;
  return async (url) => {
    const timeoutMs = Math.max(0, end - performance.now());
    return requireOk(await safeFetch(url, { timeoutMs, ...settings, headers: REQUEST_HEADERS }));
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
