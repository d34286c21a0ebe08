/**
 * Items on their way out, each GUID once: of several items with one GUID the newest is kept, by date, of equals the
 * first in the document. An item may come that is newer than one that was handed on before; then it is handed on as
 * well and takes the other's place. Whoever stores them replaces what has the same GUID; no batch has a GUID twice.
 */
import type { FeedItem } from "./types.ts";
import { type Tally, warn, WARNINGS } from "./warnings.ts";

/** What is remembered of a feed's items, over all its pages: for each GUID 16 bytes or so, and no text. */
export interface Seen {
  /** By the GUID's hash: the date of the newest in milliseconds, -Infinity without one. */
  newest: Map<number, number>;
  /** How many items there were, with and without a place in the feed. */
  items: number;
}

export const nothingSeen = (): Seen => ({ newest: new Map(), items: 0 });

export interface Batch {
  add(item: FeedItem): void;
  size(): number;
  /** What has gathered; it begins anew. */
  take(): FeedItem[];
}

export function batches(seen: Seen, tally: Tally): Batch {
  let places = new Map<string, number>();
  let items: FeedItem[] = [];

  function repeated(item: FeedItem, isNewer: boolean) {
    const place = places.get(item.guid);
    tally.add([{ code: DUPLICATED, message: `${WARNINGS[DUPLICATED]}: ${item.guid.slice(0, 80)}` }]);
    if (isNewer) warn(item.warnings, DUPLICATED, item.guid);
    if (place === undefined) return isNewer && put(item);
    if (isNewer) items[place] = item;
    else warn(items[place].warnings, DUPLICATED, item.guid);
  }

  function put(item: FeedItem) {
    places.set(item.guid, items.length);
    items.push(item);
  }

  return {
    add(item) {
      const time = item.pubDate === null ? -Infinity : Date.parse(item.pubDate);
      const key = hash(item.guid);
      const newest = seen.newest.get(key);
      if (newest === undefined || time > newest) seen.newest.set(key, time);
      if (newest === undefined) put(item);
      else repeated(item, time > newest);
    },
    size: () => items.length,
    take() {
      const taken = items;
      for (const { warnings } of taken) tally.add(warnings.filter(({ code }) => code !== DUPLICATED));
      [items, places] = [[], new Map()];
      return taken;
    },
  };
}

const DUPLICATED = "GUID_DUPLICATED";

/** 53 bits of two mixed 32-bit hashes: of 100,000 GUIDs two have the same once in two million feeds. */
function hash(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
