/** A feed in several documents (RFC 5005): paged, newest first (`next`), or with archives (`prev-archive`). */
import { FetchError } from "../safe_fetch/fetch_error.ts";
import { FeedError, parseFeed, type ParseOptions, type Sink } from "./parse.ts";
import { createGuidIndex } from "./guid_index.ts";
import type { ByteStream } from "./peek_head.ts";
import type { Feed } from "./types.ts";
import { createWarning, createWarningCounter, type WarningCode } from "./warnings.ts";

/** An answer whose status is a success: what requireOk of a guarded fetch gives. */
export interface Page {
  /** After redirects. */
  url: string;
  headers: Headers;
  body: ByteStream;
}

export type FetchPage = (url: string) => Promise<Page>;

const MAX_PAGES = 200;
/** One may repeat all that is known: an archive holds what the document before it has. */
const MAX_REPEATED_PAGES = 2;

/**
 * The whole feed; the channel is that of its first document. Each page is fetched when the one before is read; items
 * go to the sink as in parseFeed, every GUID once over all pages. It ends where there is no further page, or an empty
 * one; also at a page that was read before, after two without anything new and after 200 (PAGINATION_LOOP), and at one
 * that cannot be read (PAGE_FETCH_FAILED). What fails on the first page is thrown, and so is a TIMEOUT on any.
 */
export async function readFeed(
  url: string,
  fetchPage: FetchPage,
  sink: Sink,
  limits: Omit<ParseOptions, "seen"> = {},
): Promise<Feed> {
  const guidIndex = createGuidIndex();
  const warnings = createWarningCounter();
  const warn = (code: WarningCode, page: string) => warnings.add([createWarning(code, page)]);
  const read = async (address: string) => {
    const { url, headers, body } = await fetchPage(address);
    const contentType = headers.get("content-type"), contentEncoding = headers.get("content-encoding");
    return { url, feed: await parseFeed(body, { url, contentType, contentEncoding }, sink, { ...limits, guidIndex }) };
  };

  const first = await read(url);
  warnings.add(first.feed.warnings);
  const visited = new Set([url, first.url].map(withoutFragment));
  let next = first.feed.nextPage;
  let repeatedPages = 0;
  while (next) {
    const isLoop = visited.has(withoutFragment(next)) || repeatedPages >= MAX_REPEATED_PAGES;
    if (isLoop || visited.size >= MAX_PAGES) {
      warn("PAGINATION_LOOP", next);
      break;
    }
    visited.add(withoutFragment(next));
    const outcome = await read(next).catch(pageErrorOrEnd);
    if (outcome instanceof Error) {
      warn("PAGE_FETCH_FAILED", next);
      break;
    }
    next = outcome?.feed.nextPage ?? null;
    if (outcome) warnings.add(outcome.feed.warnings);
    repeatedPages = outcome?.feed.itemCount ? 0 : repeatedPages + 1;
  }
  return { channel: first.feed.channel, itemCount: guidIndex.newest.size, warnings: warnings.list(), nextPage: null };
}

/** A page without an episode is the end; one that cannot be read is told. */
function pageErrorOrEnd(error: unknown): Error | undefined {
  if (error instanceof FeedError) return error.code === "EMPTY_FEED" ? undefined : error;
  if (error instanceof FetchError && error.code !== "TIMEOUT") return error;
  throw error;
}

const withoutFragment = (url: string) => url.replace(/#.*$/s, "");
