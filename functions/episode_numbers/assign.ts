/** Assigns a series' numbers to items: to the members of its run, and to others where the number is certain. */
import { type Counts, createCounts, type Neighbors } from "./counts.ts";
import type { Entry } from "./score.ts";
import type { Series } from "./series.ts";
import type { TitleFeed } from "./slots.ts";
import type { Tier } from "./numbering.ts";

interface Assignment {
  numbers: Map<number, Entry>;
  /** Numbers in the series' own form that were rejected. */
  rejected: Entry[];
  /** Numbers that an earlier item of the same count has. */
  duplicates: Entry[];
}

/** How far a run may jump: a base, plus numbers per item passed. */
const MAX_JUMP: Record<Tier, [at_least: number, per_item: number]> = {
  ...{ labeled: [12, 6], prefixed: [8, 4], bare: [4, 2], loose: [2, 1], ambiguous: [1, 1] },
};

export function assignNumbers(series: Series, feed: TitleFeed, sideRanks: ReadonlySet<number>): Assignment {
  const { entries, score, tier } = series;
  const numbers = new Map<number, Entry>(), rejected: Entry[] = [];
  const all = createCounts(series, () => true);
  const isMember = new Set<Entry>();
  entries.forEach((entry, i) => {
    const isLinkedIn = () => isLinked(entry, all.neighbors(entry.rank, score.groups[i]), tier);
    if (score.onRun[i] && (!entry.reading || score.isShuffled || isLinkedIn())) isMember.add(entry);
  });
  const counts = createCounts(series, (entry) => isMember.has(entry));
  const groupOf = new Map<number, number>();
  const put = (entry: Entry, group: number) => {
    numbers.set(entry.rank, entry);
    groupOf.set(entry.rank, group);
  };
  const take = (entry: Entry, group: number) => {
    put(entry, group);
    counts.add(entry, group);
  };
  const late: [Entry, number][] = [], known = new Set<string>();
  const isKnown = ({ reading }: Entry) => known.has(reading!.words);
  entries.forEach((entry, i) => {
    if (isMember.has(entry) || !entry.reading) put(entry, score.groups[i]);
    else late.push([entry, score.groups[i]]);
    if (isMember.has(entry) && entry.reading) known.add(entry.reading.words);
  });
  for (const [entry, group] of late) {
    isOutOfOrder(entry, group, counts, series, isKnown(entry)) ? take(entry, group) : rejected.push(entry);
  }

  const forms = new Set(series.slots.map(({ key }) => key));
  for (const [rank, candidates] of feed.candidates.entries()) {
    if (numbers.has(rank) || sideRanks.has(rank) || score.isShuffled) continue; // a shuffled series has no ranks to compare
    for (const entry of candidates) {
      const isOwn = entry.reading!.slots.some(({ key }) => forms.has(key));
      const fits = feed.isRepeat[rank] ? isRepeat : feed.isSide[rank] ? isSingleFit : isFit;
      const group = fits(entry, isOwn, counts);
      if (group === null) continue;
      take(entry, group);
      break;
    }
  }
  return { numbers, rejected, duplicates: findDuplicates(numbers, groupOf) };
}

function findDuplicates(numbers: ReadonlyMap<number, Entry>, groupOf: ReadonlyMap<number, number>): Entry[] {
  const seen = new Set<string>();
  return [...numbers.values()].sort((a, b) => a.rank - b.rank).filter(({ rank, value, reading }) => {
    const key = `${groupOf.get(rank)} ${value}`;
    if (seen.has(key)) return reading !== null;
    seen.add(key);
    return false;
  });
}

/** A run member far from both neighbors is not linked: `2018: a Review` after 41 and 42. */
function isLinked(entry: Entry, { before, after }: Neighbors, tier: Tier): boolean {
  const [minJump, perItem] = MAX_JUMP[tier];
  const near = (other: Entry) =>
    Math.abs(other.value - entry.value) <= minJump + perItem * Math.abs(other.rank - entry.rank);
  if (!before && !after) return tier === "labeled" || tier === "prefixed";
  return before !== undefined && near(before) || after !== undefined && near(after);
}

/**
 * An item off the run is published out of order if its number is missing nearby and unique, or repeats another item
 * whose title has the same words.
 */
function isOutOfOrder(
  entry: Entry,
  group: number,
  counts: Counts,
  { score, tier }: Series,
  isAgain: boolean,
): boolean {
  if (counts.has(entry.value, group)) return tier !== "loose" && (isPart(entry, group, counts) || isAgain);
  if (tier === "loose" || tier === "ambiguous" || score.orderliness < 0.7 && tier !== "labeled") return false;
  const { before, after } = counts.neighbors(entry.rank, group);
  if (!before && !after) return false;
  const low = before?.value ?? after!.value, high = after?.value ?? before!.value;
  const off = Math.max(low - entry.value, entry.value - high, 0);
  return off <= (tier === "bare" ? 8 : 25) && entry.value <= counts.highest(group) &&
    entry.value >= counts.lowest(group);
}

/** Adjacent episodes may share a number: two parts. */
function isPart(entry: Entry, group: number, counts: Counts): boolean {
  const { before, after } = counts.neighbors(entry.rank, group);
  return [before, after].some((other) => other?.value === entry.value && Math.abs(other.rank - entry.rank) <= 2);
}

type FitRule = (entry: Entry, isOwn: boolean, counts: Counts) => number | null;

/** A repeat has a number of the series, or the next one. */
const isRepeat: FitRule = (entry, isOwn, counts) => {
  if (!isOwn && entry.reading!.slots[0].tier !== "labeled") return null;
  for (const group of counts.candidateGroups(entry)) {
    if (entry.value >= counts.lowest(group) && entry.value <= counts.highest(group) + 1) return group;
  }
  return null;
};

/** A bonus or trailer within the count has a unique number that fits its rank exactly. */
const isSingleFit: FitRule = (entry, isOwn, counts) => {
  if (entry.reading!.isSide || !isOwn && entry.reading!.slots[0].tier !== "labeled") return null;
  return counts.candidateGroups(entry).find((group) => {
    const { before, after } = counts.neighbors(entry.rank, group);
    return isBetween(entry, before, after) && (before?.value === entry.value - 1 || after?.value === entry.value + 1);
  }) ?? null;
};

/** A number in another form fits where it fills a gap. */
const isFit: FitRule = (entry, isOwn, counts) => {
  const { tier, key } = entry.reading!.slots[0];
  if (tier === "ambiguous" || key === "dotted" && !isOwn) return null;
  return counts.candidateGroups(entry).find((group) => {
    const { before, after } = counts.neighbors(entry.rank, group);
    if (!before && !after || !isBetween(entry, before, after)) return false;
    const follows = before?.value === entry.value - 1, leads = after?.value === entry.value + 1;
    if (tier === "labeled") return follows || leads || before !== undefined && after !== undefined;
    if (tier === "prefixed") return key.startsWith("maybe") && !isOwn ? follows && leads : follows || leads;
    if (key.startsWith("start") || key.startsWith("end")) {
      return tier === "bare" ? follows || leads : isOwn && follows && leads;
    }
    return false;
  }) ?? null;
};

function isBetween({ value, rank }: Entry, before?: Entry, after?: Entry): boolean {
  if (before && (value <= before.value || value > before.value + (rank - before.rank) + 2)) return false;
  return !after || value < after.value;
}
