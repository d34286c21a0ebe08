/** Finds the slots of a feed: the ways in which its titles carry numbers, each with a score. */
import { type Entry, scoreSeries, type SeriesScore } from "./score.ts";
import type { Tier } from "./numbering.ts";

export interface Slot {
  key: string;
  tier: Tier;
  shapes: Map<string, number>;
  entries: Entry[];
  score: SeriesScore;
}

export interface TitleFeed {
  /** All readings of each item, by rank, oldest first. */
  candidates: Entry[][];
  /** Bonus episodes and trailers. */
  isSide: boolean[];
  isRepeat: boolean[];
  /** Number of regular items. */
  size: number;
}

/** Weight of a slot's quality by tier. */
export const TIER_WEIGHT: Record<Tier, number> = {
  labeled: 1.15,
  prefixed: 1.08,
  bare: 1,
  loose: 0.9,
  ambiguous: 0.6,
};

/** Slots shared by at least two titles, or with a clear label; side items and repeats do not count. */
export function findSlots(feed: TitleFeed, taken: (rank: number) => boolean = () => false): Slot[] {
  const found = new Map<string, Omit<Slot, "score">>();
  for (const [rank, candidates] of feed.candidates.entries()) {
    if (feed.isSide[rank] || feed.isRepeat[rank] || taken(rank)) continue;
    for (const entry of candidates) {
      if (!entry.reading) continue;
      for (const { key, tier, shape } of entry.reading.slots) {
        let slot = found.get(key);
        if (!slot) found.set(key, slot = { key, tier, shapes: new Map(), entries: [] });
        if (slot.entries.at(-1)?.rank === rank) continue; // only the first of each title
        slot.entries.push(entry);
        slot.shapes.set(shape, (slot.shapes.get(shape) ?? 0) + 1);
      }
    }
  }
  return [...found.values()]
    .filter(({ entries, tier }) => entries.length >= 2 || tier === "labeled")
    .map((slot) => ({ ...slot, score: scoreSeries(slot.entries, slot.tier, mayReset(slot)) }));
}

/** `Genesis 1` to `Genesis 50` and `Exodus 1` are chapters, but `9 …` followed by `1 …` may be a new season. */
export const mayReset = ({ key, tier }: { key: string; tier: Tier }): boolean =>
  tier !== "ambiguous" && (tier !== "loose" || key.startsWith("start"));

/** Share of the feed that the slot numbers. */
export const coverage = (slot: Slot, feed: TitleFeed): number => slot.entries.length / Math.max(1, feed.size);

/**
 * Shares numbered since its first entry and until its last: a feed may start or stop counting. Outliers such as years
 * are ignored.
 */
function spanCoverage(slot: Slot, feed: TitleFeed): { since: number; until: number } {
  const run = slot.entries.filter((_, i) => slot.score.onRun[i]);
  const isStep = (from?: Entry, to?: Entry) => from && to && to.value - from.value <= 4 + to.rank - from.rank;
  const core = run.filter((entry, i) => isStep(run[i - 1], entry) || isStep(entry, run[i + 1]));
  if (core.length === 0) return { since: 0, until: 0 };
  const first = core[0].rank, last = core.at(-1)!.rank;
  let since = 0, until = 0;
  feed.isSide.forEach((isSide, rank) => {
    if (isSide) return;
    if (rank >= first) since++;
    if (rank <= last) until++;
  });
  return { since: core.length / Math.max(1, since), until: core.length / Math.max(1, until) };
}

function maxSpanCoverage(slot: Slot, feed: TitleFeed): number {
  const { since, until } = spanCoverage(slot, feed);
  return Math.max(since, until);
}

/** The evidence that a slot of each tier needs on its own. */
const PLAUSIBLE: Record<Tier, (slot: Slot, feed: TitleFeed) => boolean> = {
  labeled(slot, feed) {
    const { length } = slot.entries, { quality } = slot.score;
    if (length === 1) return feed.size <= 2 || matchesRank(slot);
    if (coverage(slot, feed) < 0.2 && maxSpanCoverage(slot, feed) < 0.4 && !matchesRank(slot)) return false;
    return quality >= (length < 4 ? 0.6 : 0.5);
  },
  prefixed(slot, feed) {
    const { length } = slot.entries, { quality } = slot.score, part = coverage(slot, feed);
    if (length === 2) return part >= 0.5 && quality >= 0.9;
    return quality >= 0.68 &&
      (part >= 0.25 || length >= 5 && maxSpanCoverage(slot, feed) >= 0.4 || length >= 5 && matchesRank(slot));
  },
  bare(slot, feed) {
    const { length } = slot.entries, { quality } = slot.score, part = coverage(slot, feed);
    if (length === 2) return part === 1 && quality >= 0.99;
    if (length >= 4 && quality >= 0.93 && part >= 0.15 && matchesRank(slot) && spansHalfTheFeed(slot, feed)) {
      return true;
    }
    return quality >= 0.75 &&
      (part >= 0.3 || length >= 8 && spanCoverage(slot, feed).since >= 0.55 && matchesRank(slot));
  },
  loose(slot, feed) {
    const { length } = slot.entries, { quality } = slot.score;
    return length >= 3 && quality >= (length < 6 ? 0.97 : 0.82) && (coverage(slot, feed) >= 0.5 ||
      length >= 8 && maxSpanCoverage(slot, feed) >= 0.7);
  },
  ambiguous(slot, feed) {
    const { length } = slot.entries, { quality, steadiness } = slot.score;
    return length >= 5 && quality >= 0.9 && steadiness >= 0.9 && coverage(slot, feed) >= 0.7;
  },
};

export const isPlausible = (slot: Slot, feed: TitleFeed): boolean => PLAUSIBLE[slot.tier](slot, feed);

/** Whether the entries span half of the feed; a series within a series does not. */
const spansHalfTheFeed = ({ entries }: Slot, feed: TitleFeed): boolean =>
  entries.at(-1)!.rank - entries[0].rank >= feed.candidates.length / 2;

/**
 * Whether the numbers are close to the number of items before them: `Episode 100` as the 98th, not `Star Wars Episode
 * 4`.
 */
function matchesRank({ entries }: Slot): boolean {
  const off = entries.map(({ rank, value }) => Math.abs(value - rank - 1) / (0.25 * rank + 3)).toSorted((a, b) =>
    a - b
  );
  return off[off.length >> 1] <= 1;
}
