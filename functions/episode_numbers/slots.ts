/** The slots of a feed: every way in which its titles carry numbers, each judged, and whether it may stand alone. */
import { type Entry, judge, type Verdict } from "./score.ts";
import type { Tier } from "./types.ts";

export interface Slot {
  key: string;
  tier: Tier;
  shapes: Map<string, number>;
  entries: Entry[];
  verdict: Verdict;
}

export interface Feed {
  /** By rank, oldest first; of each item every reading. */
  candidates: Entry[][];
  /** What stands beside the series: bonus, trailer. */
  isSide: boolean[];
  isAgain: boolean[];
  /** How many do neither that nor come again. */
  size: number;
}

/** How much one step of quality is worth in a slot of this kind. */
export const WEIGHT: Record<Tier, number> = { named: 1.15, marked: 1.08, bare: 1, loose: 0.9, doubtful: 0.6 };

/** The slots that at least two titles share, or one whose label names it; side items and repeats do not speak for one. */
export function slots(feed: Feed, taken: (rank: number) => boolean = () => false): Slot[] {
  const found = new Map<string, Omit<Slot, "verdict">>();
  for (const [rank, candidates] of feed.candidates.entries()) {
    if (feed.isSide[rank] || feed.isAgain[rank] || taken(rank)) continue;
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
    .filter(({ entries, tier }) => entries.length >= 2 || tier === "named")
    .map((slot) => ({ ...slot, verdict: judge(slot.entries, slot.tier, mayReset(slot)) }));
}

/** `Genesis 1` to `Genesis 50` and `Exodus 1` are chapters, but `9 …` and then `1 …` may be a new season. */
export const mayReset = ({ key, tier }: { key: string; tier: Tier }): boolean =>
  tier !== "doubtful" && (tier !== "loose" || key.startsWith("start"));

/** Share of the feed that it numbers. */
export const coverage = (slot: Slot, feed: Feed): number => slot.entries.length / Math.max(1, feed.size);

/**
 * Share that it numbers since its first, or until its last: a feed may begin to count midway, or cease to. A year or the
 * like far off from the run is neither first nor last.
 */
function lasts(slot: Slot, feed: Feed): { since: number; until: number } {
  const run = slot.entries.filter((_, i) => slot.verdict.onRun[i]);
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

function lasting(slot: Slot, feed: Feed): number {
  const { since, until } = lasts(slot, feed);
  return Math.max(since, until);
}

/** What each kind of slot needs to be believed without another's help. */
const STANDS: Record<Tier, (slot: Slot, feed: Feed) => boolean> = {
  named(slot, feed) {
    const { length } = slot.entries, { quality } = slot.verdict;
    if (length === 1) return feed.size <= 2 || isInPlace(slot);
    if (coverage(slot, feed) < 0.2 && lasting(slot, feed) < 0.4 && !isInPlace(slot)) return false;
    return quality >= (length < 4 ? 0.6 : 0.5);
  },
  marked(slot, feed) {
    const { length } = slot.entries, { quality } = slot.verdict, part = coverage(slot, feed);
    if (length === 2) return part >= 0.5 && quality >= 0.9;
    return quality >= 0.68 &&
      (part >= 0.25 || length >= 5 && lasting(slot, feed) >= 0.4 || length >= 5 && isInPlace(slot));
  },
  bare(slot, feed) {
    const { length } = slot.entries, { quality } = slot.verdict, part = coverage(slot, feed);
    if (length === 2) return part === 1 && quality >= 0.99;
    if (length >= 4 && quality >= 0.93 && part >= 0.15 && isInPlace(slot) && spans(slot, feed)) return true;
    return quality >= 0.75 && (part >= 0.3 || length >= 8 && lasts(slot, feed).since >= 0.55 && isInPlace(slot));
  },
  loose(slot, feed) {
    const { length } = slot.entries, { quality } = slot.verdict;
    return length >= 3 && quality >= (length < 6 ? 0.97 : 0.82) && (coverage(slot, feed) >= 0.5 ||
      length >= 8 && lasting(slot, feed) >= 0.7);
  },
  doubtful(slot, feed) {
    const { length } = slot.entries, { quality, steady } = slot.verdict;
    return length >= 5 && quality >= 0.9 && steady >= 0.9 && coverage(slot, feed) >= 0.7;
  },
};

export const stands = (slot: Slot, feed: Feed): boolean => STANDS[slot.tier](slot, feed);

/** From its first to its last it takes half of the feed: no series within a series. */
const spans = ({ entries }: Slot, feed: Feed): boolean =>
  entries.at(-1)!.rank - entries[0].rank >= feed.candidates.length / 2;

/** The numbers are about as high as as many items went before: `Episode 100` as the 98th, not `Star Wars Episode 4`. */
function isInPlace({ entries }: Slot): boolean {
  const off = entries.map(({ rank, value }) => Math.abs(value - rank - 1) / (0.25 * rank + 3)).toSorted((a, b) =>
    a - b
  );
  return off[off.length >> 1] <= 1;
}
