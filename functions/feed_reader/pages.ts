/** Reads a feed of several documents (RFC 5005): paged (`next`) or archived (`prev-archive`). */
import { FetchError } from "../safe_fetch/fetch_error.ts";
import { FeedError, MAX_FEED_BYTES, parseFeed, type ParseOptions, type Sink } from "./parse.ts";
import { createGuidIndex } from "./guid_index.ts";
import type { ByteStream } from "../compression/peek_head.ts";
import type { Feed } from "./feed.ts";
import { joinLosses } from "./losses.ts";
import { createWarning, createWarningCounter, type WarningCode } from "./warnings.ts";

/** A response with a success status, as requireOk returns it. */
interface Page {
  /** URL after redirects. */
  url: string;
  headers: Headers;
  body: ByteStream;
}

export type FetchPage = (url: string) => Promise<Page>;

const MAX_PAGES = 200;

interface ReadOptions extends Omit<ParseOptions, "guidIndex"> {
  /** 200 by default. */
  maxPages?: number;
}
/** One page may repeat known items: an archive contains those of the document before it. */
const MAX_REPEATED_PAGES = 2;

/**
 * Reads the whole feed; the channel is that of the first document, with the duplicate items of all as its losses. Each
 * page is fetched after the one before was read. Items go to the sink as in parseFeed, each GUID once over all pages.
 * Reading ends at a page without a successor or without items; at a page read before, after two pages without new
 * items, or after `maxPages` (PAGINATION_LOOP); and at an unreadable page, or where all pages together have more than
 * `maxBytes` (PAGE_FETCH_FAILED). Errors of the first page, and a TIMEOUT of any page, are thrown.
 */
export async function readFeed(
  url: string,
  fetchPage: FetchPage,
  sink: Sink,
  { maxBytes = MAX_FEED_BYTES, maxPages = MAX_PAGES, onChunk, acceptsPart }: ReadOptions = {},
): Promise<Feed> {
  const guidIndex = createGuidIndex();
  const warnings = createWarningCounter();
  const warn = (code: WarningCode, page: string) => warnings.add([createWarning(code, page)]);
  let bytes = 0;
  const read = async (pageUrl: string) => {
    const { url, headers, body } = await fetchPage(pageUrl);
    const contentType = headers.get("content-type"), contentEncoding = headers.get("content-encoding");
    const options = { maxBytes: maxBytes - bytes, onChunk, acceptsPart, guidIndex };
    const feed = await parseFeed(body, { url, contentType, contentEncoding }, sink, options);
    bytes += feed.bytes;
    return { url, feed };
  };

  const first = await read(url);
  warnings.add(first.feed.warnings);
  const { channel } = first.feed;
  const visited = new Set([url, first.url].map(withoutFragment));
  let next = first.feed.nextPage;
  let repeatedPages = 0, pages = 1;
  while (next) {
    const isLoop = visited.has(withoutFragment(next)) || repeatedPages >= MAX_REPEATED_PAGES;
    if (isLoop || pages >= maxPages) {
      warn("PAGINATION_LOOP", next);
      break;
    }
    visited.add(withoutFragment(next));
    pages++;
    const outcome = await read(next).catch(pageErrorOrEnd);
    if (outcome instanceof Error) {
      warn("PAGE_FETCH_FAILED", next);
      break;
    }
    next = outcome?.feed.nextPage ?? null;
    if (outcome) {
      warnings.add(outcome.feed.warnings);
      const dropped = outcome.feed.channel.losses.filter(({ reason }) => reason === "DUPLICATE");
      channel.losses = joinLosses(channel.losses, dropped);
    }
    repeatedPages = outcome?.feed.itemCount ? 0 : repeatedPages + 1;
  }
  return { channel, itemCount: guidIndex.newest.size, warnings: warnings.list(), nextPage: null, bytes };
}

/** A page without items ends the feed; an unreadable page is returned as its error. */
function pageErrorOrEnd(error: unknown): Error | undefined {
  if (error instanceof FeedError) return error.code === "EMPTY_FEED" ? undefined : error;
  if (error instanceof FetchError && error.code !== "TIMEOUT") return error;
  throw error;
}

const withoutFragment = (url: string) => url.replace(/#.*$/s, "");
