/**
 * Items on their way out, some at a time. No batch has a GUID twice; a GUID that came in an earlier batch comes again
 * only with a newer item, which takes the other's place. Whoever stores them replaces what has the same GUID.
 */
import { createTextBuffer, type Span } from "../text/text_buffer.ts";
import type { FeedItem } from "./types.ts";

/** Receives the items of a feed. */
export interface Sink {
  /** Takes an item as soon as it ends; returns true when reading must pause for `flush`. */
  take(item: FeedItem): boolean;
  /** Called when `take` returned true, and once at the end. */
  flush(): Promise<void>;
}

/** The size of a batch, which one statement stages. */
export const BATCH_ITEMS = 200;

/** As they are. */
export function batchItems(onItems: (items: FeedItem[]) => Promise<void>, maxItems = BATCH_ITEMS): Sink {
  let places = new Map<string, number>();
  let items: FeedItem[] = [];
  return {
    take(item) {
      const place = places.get(item.guid) ?? items.length;
      places.set(item.guid, place);
      items[place] = item;
      return items.length >= maxItems;
    },
    async flush() {
      const batch = items;
      [items, places] = [[], new Map()];
      if (batch.length) await onItems(batch);
    },
  };
}

/** In bytes, at first; and what makes a batch of few but long items. */
const [INITIAL_BYTES, MAX_BYTES] = [1 << 20, 1 << 22];

/** As the text of a JSON array, ready to be a statement's parameter. */
export function batchJson(onJson: (json: string, items: number) => Promise<void>, maxItems = BATCH_ITEMS): Sink {
  const buffer = createTextBuffer(INITIAL_BYTES);
  let places = new Map<string, Span>();
  return {
    take(item) {
      places.delete(item.guid); // a newer one stands behind those that came between
      places.set(item.guid, buffer.add(`,${JSON.stringify(item)}`));
      return places.size >= maxItems || buffer.size() > MAX_BYTES;
    },
    async flush() {
      const items = places.size;
      const json = `[${buffer.take(places.values()).slice(1)}]`;
      places = new Map();
      if (items) await onJson(json, items);
    },
  };
}
