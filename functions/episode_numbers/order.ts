/** Sorts items by publication, the order in which a series counts. */
import type { NumberedItem } from "./numbering.ts";

interface Order {
  /** Positions in the feed, oldest first. */
  positions: number[];
  /** False if the feed has too few dates; the order may then be reversed. */
  isDated: boolean;
}

/**
 * Sorts by date. Items without a date follow their neighbor in the feed, and equal dates keep the feed's direction.
 */
export function orderByDate(items: readonly NumberedItem[]): Order {
  const times = items.map(({ pubDate }) => pubDate === null ? NaN : Date.parse(pubDate));
  const known = times.filter((time) => !Number.isNaN(time));
  const isDated = known.length >= 2 && known.length >= items.length / 2 && new Set(known).size >= known.length / 3;
  let rises = 0;
  for (let i = 1; i < known.length; i++) rises += Math.sign(known[i] - known[i - 1]);
  const isOldestFirst = isDated && rises > 0;
  const positions = items.map((_, i) => i);
  if (!isOldestFirst) positions.reverse();
  if (!isDated) return { positions, isDated };
  let last = known[isOldestFirst ? 0 : known.length - 1];
  for (const i of positions) Number.isNaN(times[i]) ? times[i] = last : last = times[i];
  return { positions: positions.sort((a, b) => times[a] - times[b]), isDated }; // the sort is stable
}
