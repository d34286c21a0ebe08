/**
 * Collects items into batches. A batch has each GUID once. A GUID of an earlier batch appears again only with a newer
 * item, which replaces the earlier one: the receiver replaces rows by GUID.
 */
import { createTextBuffer, type Span } from "../text/text_buffer.ts";
import type { FeedItem } from "./feed.ts";

/** Receives the items of a feed. */
export interface Sink {
  /** Takes an item as soon as it ends; returns true when reading must pause for `flush`. */
  take(item: FeedItem): boolean;
  /** Called when `take` returned true, and once at the end. */
  flush(): Promise<void>;
}

/** The size of a batch, which one statement stages. */
const BATCH_ITEMS = 200;

/** Passes items on as objects. */
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

/** In bytes: the initial buffer, and the size that ends a batch of few but long items. */
const [INITIAL_BYTES, MAX_BYTES] = [1 << 20, 1 << 22];

/** Most members of an item are empty. Without them, Postgres stages it in four fifths of the time. */
function withoutEmpty(item: FeedItem): Partial<FeedItem> {
  const present: Record<string, unknown> = {};
  for (const key in item) {
    const value = item[key as keyof FeedItem];
    if (value !== null && !(Array.isArray(value) && value.length === 0)) present[key] = value;
  }
  return present;
}

/**
 * Passes items on as the text of a JSON array, ready to be a statement's parameter. Members that are null or an empty
 * list are left out.
 */
export function batchJson(onJson: (json: string, items: number) => Promise<void>, maxItems = BATCH_ITEMS): Sink {
  const buffer = createTextBuffer(INITIAL_BYTES);
  let places = new Map<string, Span>();
  return {
    take(item) {
      places.delete(item.guid); // moves the newer item to the end
      places.set(item.guid, buffer.add(`,${JSON.stringify(withoutEmpty(item))}`));
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
