/** Which GUIDs a feed has had: of several items with one GUID the newest counts, of equals the first in the document. */
import type { FeedItem } from "./types.ts";

/** What is remembered of a feed's items, over all its pages: for each GUID some 40 bytes, and no text. */
export interface GuidIndex {
  /** By the GUID's hash: the date of the newest in milliseconds, -Infinity without one. */
  newest: Map<number, number>;
  /** How many items there were, whatever became of them. */
  itemCount: number;
}

export const createGuidIndex = (): GuidIndex => ({ newest: new Map(), itemCount: 0 });

/** Whether it is the first with its GUID, newer than those before, or of no use beside them. */
export function compareGuid({ newest }: GuidIndex, { guid, pubDate }: FeedItem): "first" | "newer" | "older" {
  const time = pubDate === null ? -Infinity : Date.parse(pubDate);
  const key = hash(guid);
  const known = newest.get(key);
  if (known !== undefined && known >= time) return "older";
  newest.set(key, time);
  return known === undefined ? "first" : "newer";
}

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
