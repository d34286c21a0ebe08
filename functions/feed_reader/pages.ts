/** A feed in several documents (RFC 5005): paged, newest first (`next`), or with archives (`prev-archive`). */
import { FetchError } from "../safe_fetch/fetch_error.ts";
import { FeedFailure, type Limits, parseFeed, type Sink } from "./parse.ts";
import { nothingSeen } from "./guid_index.ts";
import type { Bytes } from "./peek_head.ts";
import type { Feed } from "./types.ts";
import { tally, warning, type WarningCode } from "./warnings.ts";

/** An answer whose status is a success: what requireOk of a guarded fetch gives. */
export interface Page {
  /** After redirects. */
  url: string;
  headers: Headers;
  body: Bytes;
}

export type FetchPage = (url: string) => Promise<Page>;

const MOST_PAGES = 200;
/** One may repeat all that is known: an archive holds what the document before it has. */
const MOST_WITHOUT_NEWS = 2;

/**
 * The whole feed; the channel is that of its first document. Each page is fetched when the one before is read; items
 * go to the sink as in parseFeed, every GUID once over all pages. It ends where there is no further page, or an empty
 * one; also at a page that was read before, after two without anything new and after 200 (PAGES_ENDLESS), and at one
 * that cannot be read (PAGE_FAILED). What fails on the first page is thrown, and so is a TIMEOUT on any.
 */
export async function readFeed(
  url: string,
  fetchPage: FetchPage,
  sink: Sink,
  limits: Omit<Limits, "seen"> = {},
): Promise<Feed> {
  const seen = nothingSeen();
  const counts = tally();
  const note = (code: WarningCode, page: string) => counts.add([warning(code, page)]);
  const read = async (address: string) => {
    const { url, headers, body } = await fetchPage(address);
    const contentType = headers.get("content-type"), contentEncoding = headers.get("content-encoding");
    return { url, feed: await parseFeed(body, { url, contentType, contentEncoding }, sink, { ...limits, seen }) };
  };

  const first = await read(url);
  counts.add(first.feed.warnings);
  const visited = new Set([url, first.url].map(withoutFragment));
  let next = first.feed.nextPage;
  let withoutNews = 0;
  while (next) {
    const isCircle = visited.has(withoutFragment(next)) || withoutNews >= MOST_WITHOUT_NEWS;
    if (isCircle || visited.size >= MOST_PAGES) {
      note("PAGES_ENDLESS", next);
      break;
    }
    visited.add(withoutFragment(next));
    const outcome = await read(next).catch(orEnd);
    if (outcome instanceof Error) {
      note("PAGE_FAILED", next);
      break;
    }
    next = outcome?.feed.nextPage ?? null;
    if (outcome) counts.add(outcome.feed.warnings);
    withoutNews = outcome?.feed.items ? 0 : withoutNews + 1;
  }
  return { channel: first.feed.channel, items: seen.newest.size, warnings: counts.list(), nextPage: null };
}

/** A page without an episode is the end; one that cannot be read is told. */
function orEnd(error: unknown): Error | undefined {
  if (error instanceof FeedFailure) return error.code === "EMPTY_FEED" ? undefined : error;
  if (error instanceof FetchError && error.code !== "TIMEOUT") return error;
  throw error;
}

const withoutFragment = (url: string) => url.replace(/#.*$/s, "");
