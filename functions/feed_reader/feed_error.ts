/** Why what an address holds is no podcast's feed. */

/**
 * - `NOT_XML`: a web page, a PDF, or whatever else is no XML, or cannot be decompressed.
 * - `NOT_RSS`: XML, but no RSS: Atom, OPML, a sitemap.
 * - `EMPTY_FEED`: nothing at all, or a feed without an item that could become an episode.
 * - `TOO_LARGE`: over the ceiling, as it is or decompressed, in bytes or in items.
 */
export const FEED_ERROR_CODES = ["NOT_XML", "NOT_RSS", "EMPTY_FEED", "TOO_LARGE"] as const;
export type FeedErrorCode = typeof FEED_ERROR_CODES[number];

/** The one error of reading a feed; its sentence may be shown. What fetching it throws passes through (FetchFailure). */
export class FeedError extends Error {
  override readonly name = "FeedError";

  constructor(readonly code: FeedErrorCode, message: string, about: { cause?: unknown } = {}) {
    super(message, { cause: about.cause });
  }
}

/** Compressed bytes are damaged, or end before they should: what came out before holds. Never leaves this folder. */
export class DecompressionError extends Error {
  override readonly name = "DecompressionError";
}
