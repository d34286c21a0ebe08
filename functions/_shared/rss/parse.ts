/**
 * Reads a podcast's feed (RSS 2.0) as it comes, and hands its items on in batches while it comes: no more of it is held
 * than a batch, one item and a piece of text, however long it is. What feeds get wrong is repaired where that is no
 * guess, and every repair is a warning.
 */
import { batches, nothingSeen, type Seen } from "./batches.ts";
import { finishChannel, nextPageOf } from "./channel.ts";
import { texts } from "./charset.ts";
import { document } from "./document.ts";
import { BrokenCompression, FeedFailure } from "./failure.ts";
import { FetchFailure } from "../guarded/failure.ts";
import type { Bytes } from "./head.ts";
import { inflated } from "./inflate.ts";
import { finishItem, type ItemDraft } from "./item.ts";
import type { Note } from "./note.ts";
import { scanner } from "./scan.ts";
import type { Feed, FeedItem } from "./types.ts";
import { tally, WARNINGS } from "./warnings.ts";

export { FeedFailure, type FeedFailureCode } from "./failure.ts";

/** What is known of a document besides its bytes. */
export interface About {
  /** Where it came from, after redirects: relative addresses are relative to it. */
  url: string;
  contentType?: string | null;
  contentEncoding?: string | null;
}

export interface Sink {
  /** At most `batch` items, no GUID twice; a GUID that came in an earlier batch replaces it. Reading waits for it. */
  onItems(items: FeedItem[]): Promise<void>;
  /** 200 by default. */
  batch?: number;
  /** In bytes, decompressed: 200,000,000 by default. */
  ceiling?: number;
  /** For the second page of a feed and all that follow: what the ones before had. */
  seen?: Seen;
}

const CEILING = 200_000_000;
const MOST_ITEMS = 100_000;
/** In characters: what a batch of unusually long items is made of. */
const LONG_BATCH = 4_000_000;

/**
 * Throws FeedFailure, and what `body` or `onItems` throw. A body that ends early counts as far as it came, when an item
 * of it is whole (FETCH_FAILED of a guarded request, damaged compression); so does a document that ends early.
 */
export async function parseFeed(body: Bytes, about: About, sink: Sink): Promise<Feed> {
  const { batch: most = 200, ceiling = CEILING, seen = nothingSeen() } = sink;
  const counts = tally();
  const note: Note = (code, said) =>
    counts.add([{ code, message: WARNINGS[code] + (said ? `: ${said.slice(0, 80).toWellFormed()}` : "") }]);
  const before = seen.newest.size;
  const batch = batches(seen, counts);
  let handedOn = 0; // the position in the text

  function took(draft: ItemDraft) {
    if (seen.items >= MOST_ITEMS) throw new FeedFailure("TOO_LARGE", `The feed has more than ${MOST_ITEMS} items`);
    const item = finishItem(draft, seen.items++, about.url);
    if (item) return batch.add(item);
    counts.add(draft.warnings);
    note("ITEM_NAMELESS");
  }
  const isFull = () => batch.size() >= most || batch.size() > 0 && scan.position() - handedOn > LONG_BATCH;
  const tree = document(note, took, () => scan.position(), isFull);
  const scan = scanner(tree);

  async function handOn() {
    handedOn = scan.position();
    const items = batch.take();
    if (items.length) await sink.onItems(items);
  }

  const readable = texts(inflated(body, about.contentEncoding, ceiling), about.contentType, note);
  const cause = await untilItEnds(readable, async (text) => {
    scan.add(text);
    while (scan.run()) await handOn();
  });
  scan.end();
  while (scan.run()) await handOn();
  await handOn();
  const items = seen.newest.size - before;
  if (cause && !items) throw cause;
  if (tree.end() || scan.isCut() || cause) note("DOCUMENT_TRUNCATED");
  if (!items) throw new FeedFailure("EMPTY_FEED", "The feed has no episodes");
  const channel = finishChannel(tree.channel, about.url, note);
  return { channel, items, nextPage: nextPageOf(tree.channel, about.url, note), warnings: counts.list() };
}

/** Why it ended before its end, when it did so in a way that leaves what came before. */
async function untilItEnds(readable: AsyncIterable<string>, each: (text: string) => Promise<void>) {
  const pieces = readable[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const next = await pieces.next().catch((cause: unknown) => ({ cause: early(cause) }));
      isOver = "cause" in next || Boolean(next.done);
      if ("cause" in next) return next.cause;
      if (next.done) return;
      await each(next.value);
    }
  } finally {
    if (!isOver) await pieces.return?.(); // whoever holds a connection for it lets go
  }
}

function early(cause: unknown): Error {
  if (cause instanceof BrokenCompression) return new FeedFailure("NOT_XML", cause.message, { cause });
  if (cause instanceof FetchFailure && cause.code === "FETCH_FAILED") return cause;
  throw cause;
}
