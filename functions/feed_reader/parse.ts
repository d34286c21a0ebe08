/**
 * Reads a podcast's feed (RSS 2.0) as it comes, and hands each item on as it ends: no more of it is held than one item
 * and a piece of text, however long it is. What feeds get wrong is repaired where that is no guess, and every repair is
 * a warning.
 */
import type { Sink } from "./batches.ts";
import { finishChannel, nextPageUrl } from "./channel.ts";
import { decodeStream } from "./charset.ts";
import { createDocument } from "./document.ts";
import { DecompressionError, FeedError } from "./feed_error.ts";
import { FetchError } from "../safe_fetch/fetch_error.ts";
import type { ByteStream } from "./peek_head.ts";
import { decompress } from "./decompress.ts";
import { finishItem, type ItemDraft } from "./item.ts";
import type { WarnFn } from "./warn.ts";
import { createScanner } from "./scan.ts";
import { compareGuid, createGuidIndex, type GuidIndex } from "./guid_index.ts";
import type { Feed } from "./types.ts";
import { addWarning, createWarning, createWarningCounter } from "./warnings.ts";

export { batchItems, batchJson, type Sink } from "./batches.ts";
export { FeedError, type FeedErrorCode } from "./feed_error.ts";

/** What is known of a document besides its bytes. */
export interface DocumentInfo {
  /** Where it came from, after redirects: relative addresses are relative to it. */
  url: string;
  contentType?: string | null;
  contentEncoding?: string | null;
}

export interface ParseOptions {
  /** In bytes, decompressed: 200,000,000 by default. */
  maxBytes?: number;
  /** For the second page of a feed and all that follow: what the ones before had. */
  guidIndex?: GuidIndex;
}

const MAX_FEED_BYTES = 200_000_000;
/** As many as `GET /api/imports/{id}` can show in one answer. */
const MAX_ITEMS = 25_000;

/**
 * Each GUID goes to the sink once; again only for an item that is newer than the one before (GUID_DUPLICATE), which it
 * replaces. Throws FeedError (EMPTY_FEED where a document has no item, or no page so far one with a name), and what `body` or the sink throw. A body that ends early counts as far as it came, when
 * an item of it is whole (FETCH_FAILED of a guarded request, damaged compression); so does a document that ends early.
 */
export async function parseFeed(
  body: ByteStream,
  about: DocumentInfo,
  sink: Sink,
  limits: ParseOptions = {},
): Promise<Feed> {
  const { maxBytes = MAX_FEED_BYTES, guidIndex = createGuidIndex() } = limits;
  const warnings = createWarningCounter();
  const warn: WarnFn = (code, excerpt) => warnings.add([createWarning(code, excerpt)]);
  const before = { guids: guidIndex.newest.size, items: guidIndex.itemCount };
  let isFull = false;

  function addItem(draft: ItemDraft) {
    if (guidIndex.itemCount >= MAX_ITEMS) {
      throw new FeedError("TOO_LARGE", `The feed has more than ${MAX_ITEMS.toLocaleString("en")} items`);
    }
    const item = finishItem(draft, guidIndex.itemCount++, about.url);
    if (!item) return warn("ITEM_UNIDENTIFIED");
    const order = compareGuid(guidIndex, item);
    if (order !== "first") warn("GUID_DUPLICATE", item.guid);
    if (order === "older") return;
    warnings.add(item.warnings);
    if (order === "newer") addWarning(item.warnings, "GUID_DUPLICATE", item.guid);
    isFull = sink.take(item);
  }

  const feedDocument = createDocument(warn, addItem, () => scan.position(), () => isFull);
  const scan = createScanner(feedDocument);
  async function runScanner() {
    while (scan.run()) {
      isFull = false;
      await sink.flush();
    }
  }

  let cause: Error | undefined; // why it ended before its end: the first counts, others follow from it
  const plain = decompress(body, about.contentEncoding, maxBytes, (broken) => void (cause ??= truncationCause(broken)));
  for await (const text of decodeStream(plain, about.contentType, warn)) {
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
  const channel = finishChannel(feedDocument.channel, about.url, warn);
  return {
    channel,
    itemCount,
    nextPage: nextPageUrl(feedDocument.channel, about.url, warn),
    warnings: warnings.list(),
  };
}

/** What leaves that which came before; other failures are thrown. */
function truncationCause(cause: unknown): Error {
  if (cause instanceof DecompressionError) return new FeedError("NOT_XML", cause.message, { cause });
  if (cause instanceof FetchError && cause.code === "FETCH_FAILED") return cause;
  throw cause;
}
