/** Items in the order in which they appeared, which is the order in which a series counts. */
import type { NumberedItem } from "./types.ts";

export interface Order {
  /** Positions in the feed, oldest first. */
  positions: number[];
  /** False when the feed gave no dates to go by: then the order may be the other way round. */
  isDated: boolean;
}

/** By date; what has none stands by its neighbour in the feed, and equal dates keep the feed's own direction. */
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
