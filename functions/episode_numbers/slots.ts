/** The slots of a feed: every way in which its titles carry numbers, each judged, and whether it may stand alone. */
import { type Entry, scoreSeries, type SeriesScore } from "./score.ts";
import type { Tier } from "./types.ts";

export interface Slot {
  key: string;
  tier: Tier;
  shapes: Map<string, number>;
  entries: Entry[];
  score: SeriesScore;
}

export interface Feed {
  /** By rank, oldest first; of each item every reading. */
  candidates: Entry[][];
  /** What stands beside the series: bonus, trailer. */
  isSide: boolean[];
  isRepeat: boolean[];
  /** How many do neither that nor come again. */
  size: number;
}

/** How much one step of quality is worth in a slot of this kind. */
export const TIER_WEIGHT: Record<Tier, number> = {
  labelled: 1.15,
  prefixed: 1.08,
  bare: 1,
  loose: 0.9,
  ambiguous: 0.6,
};

/** The slots that at least two titles share, or one whose label names it; side items and repeats do not speak for one. */
export function findSlots(feed: Feed, taken: (rank: number) => boolean = () => false): Slot[] {
  const found = new Map<string, Omit<Slot, "score">>();
  for (const [rank, candidates] of feed.candidates.entries()) {
    if (feed.isSide[rank] || feed.isRepeat[rank] || taken(rank)) continue;
    for (const entry of candidates) {
      if (!entry.reading) continue;
      for (const { key, tier, shape } of entry.reading.slots) {
        let slot = found.get(key);
        if (!slot) found.set(key, slot = { key, tier, shapes: new Map(), entries: [] });
        if (slot.entries.at(-1)?.rank === rank) continue; // the first of a title
        slot.entries.push(entry);
        slot.shapes.set(shape, (slot.shapes.get(shape) ?? 0) + 1);
      }
    }
  }
  return [...found.values()]
    .filter(({ entries, tier }) => entries.length >= 2 || tier === "labelled")
    .map((slot) => ({ ...slot, score: scoreSeries(slot.entries, slot.tier, mayReset(slot)) }));
}

/** `Genesis 1` to `Genesis 50` and `Exodus 1` are chapters, but `9 …` and then `1 …` may be a new season. */
export const mayReset = ({ key, tier }: { key: string; tier: Tier }): boolean =>
  tier !== "ambiguous" && (tier !== "loose" || key.startsWith("start"));

/** Share of the feed that it numbers. */
export const coverage = (slot: Slot, feed: Feed): number => slot.entries.length / Math.max(1, feed.size);

/**
 * Share that it numbers since its first, or until its last: a feed may begin to count midway, or cease to. A year or the
 * like far off from the run is neither first nor last.
 */
function spanCoverage(slot: Slot, feed: Feed): { since: number; until: number } {
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

function maxSpanCoverage(slot: Slot, feed: Feed): number {
  const { since, until } = spanCoverage(slot, feed);
  return Math.max(since, until);
}

/** What each kind of slot needs to be believed without another's help. */
const PLAUSIBLE: Record<Tier, (slot: Slot, feed: Feed) => boolean> = {
  labelled(slot, feed) {
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

export const isPlausible = (slot: Slot, feed: Feed): boolean => PLAUSIBLE[slot.tier](slot, feed);

/** From its first to its last it takes half of the feed: no series within a series. */
const spansHalfTheFeed = ({ entries }: Slot, feed: Feed): boolean =>
  entries.at(-1)!.rank - entries[0].rank >= feed.candidates.length / 2;

/** The numbers are about as high as as many items went before: `Episode 100` as the 98th, not `Star Wars Episode 4`. */
function matchesRank({ entries }: Slot): boolean {
  const off = entries.map(({ rank, value }) => Math.abs(value - rank - 1) / (0.25 * rank + 3)).toSorted((a, b) =>
    a - b
  );
  return off[off.length >> 1] <= 1;
}
