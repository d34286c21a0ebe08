/**
 * Reads a podcast's feed (RSS 2.0) as it comes, and hands each item on as it ends: no more of it is held than one item
 * and a piece of text, however long it is. What feeds get wrong is repaired where that is no guess, and every repair is
 * a warning.
 */
import { finishChannel, nextPageOf } from "./channel.ts";
import { texts } from "./charset.ts";
import { document } from "./document.ts";
import { BrokenCompression, FeedFailure } from "./feed_error.ts";
import { FetchError } from "../safe_fetch/fetch_error.ts";
import type { Bytes } from "./peek_head.ts";
import { inflated } from "./inflate.ts";
import { finishItem, type ItemDraft } from "./item.ts";
import type { Note } from "./warn.ts";
import { scanner } from "./scan.ts";
import { nothingSeen, place, type Seen } from "./guid_index.ts";
import type { Feed, FeedItem } from "./types.ts";
import { tally, warn, warning } from "./warnings.ts";

export { itemBatches, jsonBatches } from "./batches.ts";
export { FeedFailure, type FeedFailureCode } from "./feed_error.ts";

/** What is known of a document besides its bytes. */
export interface About {
  /** Where it came from, after redirects: relative addresses are relative to it. */
  url: string;
  contentType?: string | null;
  contentEncoding?: string | null;
}

/** Where items go: batches.ts has two. */
export interface Sink {
  /** Gets each item as it ends; says whether reading should wait for `flush`. */
  take(item: FeedItem): boolean;
  /** Asked for when `take` said so, and at the end. */
  flush(): Promise<void>;
}

export interface Limits {
  /** In bytes, decompressed: 200,000,000 by default. */
  ceiling?: number;
  /** For the second page of a feed and all that follow: what the ones before had. */
  seen?: Seen;
}

const CEILING = 200_000_000;
/** As many as `GET /api/imports/{id}` can show in one answer. */
const MOST_ITEMS = 25_000;

/**
 * Each GUID goes to the sink once; again only for an item that is newer than the one before (GUID_DUPLICATED), which it
 * replaces. Throws FeedFailure (EMPTY_FEED where a document has no item, or no page so far one with a name), and what `body` or the sink throw. A body that ends early counts as far as it came, when
 * an item of it is whole (FETCH_FAILED of a guarded request, damaged compression); so does a document that ends early.
 */
export async function parseFeed(body: Bytes, about: About, sink: Sink, limits: Limits = {}): Promise<Feed> {
  const { ceiling = CEILING, seen = nothingSeen() } = limits;
  const counts = tally();
  const note: Note = (code, said) => counts.add([warning(code, said)]);
  const before = { guids: seen.newest.size, items: seen.items };
  let isFull = false;

  function took(draft: ItemDraft) {
    if (seen.items >= MOST_ITEMS) {
      throw new FeedFailure("TOO_LARGE", `The feed has more than ${MOST_ITEMS.toLocaleString("en")} items`);
    }
    const item = finishItem(draft, seen.items++, about.url);
    if (!item) return note("ITEM_NAMELESS");
    const which = place(seen, item);
    if (which !== "first") note("GUID_DUPLICATED", item.guid);
    if (which === "older") return;
    counts.add(item.warnings);
    if (which === "newer") warn(item.warnings, "GUID_DUPLICATED", item.guid);
    isFull = sink.take(item);
  }

  const tree = document(note, took, () => scan.position(), () => isFull);
  const scan = scanner(tree);
  async function readOn() {
    while (scan.run()) {
      isFull = false;
      await sink.flush();
    }
  }

  let cause: Error | undefined; // why it ended before its end: the first counts, others follow from it
  const plain = inflated(body, about.contentEncoding, ceiling, (broken) => void (cause ??= early(broken)));
  for await (const text of texts(plain, about.contentType, note)) {
    scan.add(text);
    await readOn();
  }
  scan.end();
  await readOn();
  await sink.flush();
  const items = seen.newest.size - before.guids;
  if (cause && !items) throw cause;
  if (tree.end() || scan.isCut() || cause) note("DOCUMENT_TRUNCATED");
  if (!seen.newest.size || seen.items === before.items) throw new FeedFailure("EMPTY_FEED", "The feed has no episodes");
  const channel = finishChannel(tree.channel, about.url, note);
  return { channel, items, nextPage: nextPageOf(tree.channel, about.url, note), warnings: counts.list() };
}

/** What leaves that which came before; other failures are thrown. */
function early(cause: unknown): Error {
  if (cause instanceof BrokenCompression) return new FeedFailure("NOT_XML", cause.message, { cause });
  if (cause instanceof FetchError && cause.code === "FETCH_FAILED") return cause;
  throw cause;
}
