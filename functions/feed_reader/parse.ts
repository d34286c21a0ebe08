/**
 * Parses a podcast feed (RSS or Atom) as a stream and passes each item on as it ends: memory holds one item and one
 * chunk, however long the feed is. Unambiguous mistakes are repaired, each with a warning.
 */
import type { Sink } from "./batches.ts";
import { finishChannel, nextPageUrl } from "./channel.ts";
import { decodeStream } from "./charset.ts";
import { createDocument } from "./document.ts";
import { DecompressionError } from "../compression/inflate.ts";
import { FeedError } from "./feed_error.ts";
import { FetchError } from "../safe_fetch/fetch_error.ts";
import type { ByteStream } from "../compression/peek_head.ts";
import { type ByteLimit, decompress } from "./decompress.ts";
import { finishItem, type ItemDraft } from "./item.ts";
import type { WarnFn } from "./warn.ts";
import { createScanner } from "./scan.ts";
import { compareGuid, createGuidIndex, type GuidIndex } from "./guid_index.ts";
import type { Feed } from "./feed.ts";
import { documentBase } from "./xml_base.ts";
import { addWarning, createWarning, createWarningCounter } from "./warnings.ts";

export { batchItems, batchJson, type Sink } from "./batches.ts";
export { FeedError, type FeedErrorCode } from "./feed_error.ts";

/** Properties of a document besides its bytes. */
export interface DocumentInfo {
  /** URL after redirects, the base of relative URLs. */
  url: string;
  contentType?: string | null;
  contentEncoding?: string | null;
}

export interface ParseOptions {
  /** Limit in bytes, compressed or not, 200,000,000 by default. */
  maxBytes?: number;
  /** Called for each chunk of bytes; an error that it throws ends the reading. */
  onChunk?: () => void;
  /** A document that is TOO_LARGE, or for which onChunk says so, ends there as if it broke off. */
  acceptsPart?: boolean;
  /** Shared by all pages of a feed. */
  guidIndex?: GuidIndex;
}

export const MAX_FEED_BYTES = 200_000_000;
/** As many as one response of `GET /api/imports/{id}` shows. */
const MAX_ITEMS = 25_000;

/**
 * Passes each GUID to the sink once, and again only for a newer item that replaces it (GUID_DUPLICATE). Throws
 * FeedError, including EMPTY_FEED if the document has no item or no page so far has an identified one, and the errors
 * of `body` and the sink. A truncated body or document is accepted if at least one of its items is complete.
 */
export async function parseFeed(
  body: ByteStream,
  info: DocumentInfo,
  sink: Sink,
  options: ParseOptions = {},
): Promise<Feed> {
  const { maxBytes = MAX_FEED_BYTES, onChunk, acceptsPart = false, guidIndex = createGuidIndex() } = options;
  const base = documentBase(info.url);
  const limit: ByteLimit = { maxBytes, bytes: 0, onChunk };
  const warnings = createWarningCounter();
  const warn: WarnFn = (code, excerpt) => warnings.add([createWarning(code, excerpt)]);
  const before = { guids: guidIndex.newest.size, items: guidIndex.itemCount };
  let isFull = false;

  function addItem(draft: ItemDraft) {
    if (guidIndex.itemCount >= MAX_ITEMS) {
      throw new FeedError("TOO_LARGE", `The feed has more than ${MAX_ITEMS.toLocaleString("en")} items`);
    }
    const item = finishItem(draft, guidIndex.itemCount++, base);
    if (!item) return warn("ITEM_UNIDENTIFIED");
    const order = compareGuid(guidIndex, item);
    if (order !== "first") {
      warn("GUID_DUPLICATE", item.guid);
      // the title of an earlier item that a newer one replaces is no longer known
      const title = order === "older" && item.title && item.title !== item.guid ? ` (${item.title})` : "";
      feedDocument.channel.lose("item", "DUPLICATE", item.guid + title);
    }
    if (order === "older") return;
    warnings.add(item.warnings);
    if (order === "newer") addWarning(item.warnings, "GUID_DUPLICATE", item.guid);
    isFull = sink.take(item);
  }

  const feedDocument = createDocument(base, warn, addItem, () => scan.position(), () => isFull);
  const scan = createScanner(feedDocument);
  async function runScanner() {
    while (scan.run()) {
      isFull = false;
      await sink.flush();
    }
  }

  let cause: Error | undefined; // cause of a truncation: the first one, which causes the others
  const onBroken = (broken: unknown) => void (cause ??= truncationCause(broken, acceptsPart));
  const plain = decompress(body, info.contentEncoding, limit, onBroken);
  for await (const text of decodeStream(plain, info.contentType, warn)) {
    scan.add(text);
    await runScanner();
  }
  scan.end();
  await runScanner();
  await sink.flush();
  const itemCount = guidIndex.newest.size - before.guids;
  if (cause && !itemCount) throw cause;
  if (feedDocument.end() || scan.isTruncated() || cause) warn("DOCUMENT_TRUNCATED");
  if (!guidIndex.newest.size || guidIndex.itemCount === before.items) {
    throw new FeedError("EMPTY_FEED", "The feed has no episodes");
  }
  const channel = finishChannel(feedDocument.channel, info.url, base, warn);
  return {
    channel,
    itemCount,
    nextPage: nextPageUrl(feedDocument.channel, base, warn),
    warnings: warnings.list(),
    bytes: limit.bytes,
  };
}

/** Returns the error of a truncation, whose items so far are kept; throws other errors. */
function truncationCause(cause: unknown, acceptsPart: boolean): Error {
  if (acceptsPart && cause instanceof FeedError && cause.code === "TOO_LARGE") return cause;
  if (cause instanceof DecompressionError) return new FeedError("NOT_XML", cause.message, { cause });
  if (cause instanceof FetchError && cause.code === "FETCH_FAILED") return cause;
  throw cause;
}
