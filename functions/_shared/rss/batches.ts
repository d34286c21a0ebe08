/**
 * Items on their way out, some at a time. No batch has a GUID twice; a GUID that came in an earlier batch comes again
 * only with a newer item, which takes the other's place. Whoever stores them replaces what has the same GUID.
 */
import type { Sink } from "./parse.ts";
import type { FeedItem } from "./types.ts";

/** How much one statement stages. */
export const BATCH = 200;

/** As they are. */
export function itemBatches(onItems: (items: FeedItem[]) => Promise<void>, most = BATCH): Sink {
  let places = new Map<string, number>();
  let items: FeedItem[] = [];
  return {
    take(item) {
      const place = places.get(item.guid) ?? items.length;
      places.set(item.guid, place);
      items[place] = item;
      return items.length >= most;
    },
    async flush() {
      const batch = items;
      [items, places] = [[], new Map()];
      if (batch.length) await onItems(batch);
    },
  };
}

/** In bytes, at first; and what makes a batch of few but long items. */
const [BUFFER, LONG] = [1 << 20, 1 << 22];

/**
 * As the text of a JSON array, ready to be a statement's parameter. What waits is held as bytes, outside the garbage
 * collector's sight: a few hundred items that live a little while make its heap grow by tens of megabytes.
 */
export function jsonBatches(onJson: (json: string, items: number) => Promise<void>, most = BATCH): Sink {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let bytes = new Uint8Array(BUFFER);
  let size = 0;
  let places = new Map<string, { from: number; to: number }>();

  function written(json: string): { from: number; to: number } {
    if (bytes.length - size < 3 * json.length) {
      const longer = new Uint8Array(2 * bytes.length + 3 * json.length);
      longer.set(bytes.subarray(0, size));
      bytes = longer;
    }
    const from = size;
    size += encoder.encodeInto(json, bytes.subarray(size)).written;
    return { from, to: size };
  }

  return {
    take(item) {
      places.delete(item.guid); // a newer one stands behind those that came between
      places.set(item.guid, written(`,${JSON.stringify(item)}`));
      return places.size >= most || size > LONG;
    },
    async flush() {
      const kept = [...places.values()];
      let end = 0;
      for (const { from, to } of kept) {
        if (from > end) bytes.copyWithin(end, from, to);
        end += to - from;
      }
      const json = `[${decoder.decode(bytes.subarray(1, end))}]`;
      [size, places] = [0, new Map()];
      if (kept.length) await onJson(json, kept.length);
    },
  };
}
