/** Fetches the pages of an imported feed and converts failures into API errors with their code. */
import { getFetchSettings } from "../database/fetch_settings.ts";
import { FetchError, requireOk, safeFetch } from "../safe_fetch/safe_fetch.ts";
import type { FetchPage } from "../feed_reader/pages.ts";
import { FeedError } from "../feed_reader/parse.ts";
import { ApiError } from "../runtime/api_error.ts";
import { routeService } from "../database/service.ts";
import { authorizationFor, type Login } from "./feed_login.ts";
import { createWaitLimit } from "./wait_limit.ts";

/** What the servers of a feed may take in all: connections, redirects, pages and bodies, but not staging what they send. */
const FEED_TIMEOUT_MS = 20_000;

/** What the whole reading of a feed may take in a request, which the platform ends after 150 s. */
export const MAX_READING_MS = 60_000;

/** For `onChunk`: ends a reading that the worker does not continue. */
export function endReadingAfter(maxMs: number): () => void {
  const end = performance.now() + maxMs;
  return () => {
    if (performance.now() >= end) throw new FetchError("TIMEOUT", "The feed is too long to be read within a minute");
  };
}

/** Fetches pages of an import's feed, within one timeout for all of them. */
export async function createImportPageFetcher(importId: string): Promise<FetchPage> {
  return await createPageFetcher(await routeService("read_import_login", { importId }) as Login | null);
}

/** Fetches pages of a feed, within one timeout for all of them. */
export async function createPageFetcher(login: Login | null): Promise<FetchPage> {
  const settings = await getFetchSettings();
  const wait = createWaitLimit(FEED_TIMEOUT_MS);
  return async (url) => {
    const { url: lastUrl, status, headers, body } = await wait.count(safeFetch(url, {
      idleMs: FEED_TIMEOUT_MS,
      signal: wait.signal,
      ...settings,
      headers: { ...REQUEST_HEADERS, ...authorizationFor(url, login) },
    }));
    if (status === 401) {
      await body.cancel();
      throw new FetchError("HTTP_ERROR", login ? REJECTED_LOGIN : MISSING_LOGIN, { status, headers });
    }
    requireOk({ url: lastUrl, status, headers, body });
    return { url: lastUrl, headers, body: wait.read(body) };
  };
}

const MISSING_LOGIN = "The feed requires a user name and a password (status 401)";
const REJECTED_LOGIN = "The feed's server rejects the user name or the password (status 401)";

/** Of requests of feeds. Not brotli: it is decompressed in JavaScript, gzip natively. */
export const REQUEST_HEADERS = {
  accept: "application/rss+xml, application/atom+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.1",
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
