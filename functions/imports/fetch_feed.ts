/** The feed that is imported, as its server gives it: what goes wrong there is a refusal with the code of what it was. */
import { getAllowedHosts } from "../app/allowed_hosts.ts";
import { FetchError, requireOk, safeFetch } from "../safe_fetch/safe_fetch.ts";
import type { FetchPage } from "../feed_reader/pages.ts";
import { FeedError } from "../feed_reader/parse.ts";
import { ApiError } from "../app/errors.ts";

/** For all of a feed: its redirects, its pages, and reading them. */
const FEED_TIMEOUT_MS = 20_000;

/** Fetches one page after another; the time of all of them runs from here on. */
export async function createPageFetcher(): Promise<FetchPage> {
  const hosts = await getAllowedHosts();
  const end = performance.now() + FEED_TIMEOUT_MS;
  return async (url) => {
    const timeoutMs = Math.max(0, end - performance.now());
    return requireOk(await safeFetch(url, { timeoutMs, allowedHosts: hosts, headers: REQUEST_HEADERS }));
  };
}

/** No brotli: it would be undone in JavaScript, where gzip is the platform's own. */
const REQUEST_HEADERS = {
  accept: "application/rss+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1",
  "accept-encoding": "gzip",
};

/** What reading a feed threw, as the contract has it: 504 for the time, 400 for the feed. */
export function toApiError(error: unknown): unknown {
  if (!(error instanceof FetchError || error instanceof FeedError)) return error;
  const { code, message, cause } = error;
  return new ApiError(code === "TIMEOUT" ? 504 : 400, message, { code, cause });
}
