/** The errors of reading a feed. */

/**
 * - `NOT_XML`: a web page, a PDF or other data that is not XML, or that cannot be decompressed.
 * - `NOT_RSS`: XML other than RSS, such as Atom, OPML or a sitemap.
 * - `EMPTY_FEED`: an empty response, or a feed without a usable item.
 * - `TOO_LARGE`: over the limit in bytes (compressed or not) or in items.
 */
export type FeedErrorCode = "NOT_XML" | "NOT_RSS" | "EMPTY_FEED" | "TOO_LARGE";

/** The error that reading a feed throws; its message may be shown to users. FetchError passes through. */
export class FeedError extends Error {
  override readonly name = "FeedError";

  constructor(readonly code: FeedErrorCode, message: string, about: { cause?: unknown } = {}) {
    super(message, { cause: about.cause });
  }
}
