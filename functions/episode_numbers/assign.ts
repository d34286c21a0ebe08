/** Which items get their number of a series: those on its run, and of the others what is certain. */
import { type Counts, counts as countsOf, type Neighbours } from "./counts.ts";
import type { Entry } from "./score.ts";
import type { Series } from "./series.ts";
import type { Feed } from "./slots.ts";
import type { Tier } from "./types.ts";

export interface Assigned {
  numbers: Map<number, Entry>;
  /** Numbers of the series' own form that were not taken. */
  refused: Entry[];
  /** Numbers that an earlier item of the same count has. */
  repeated: Entry[];
}

/** How far a run may jump, in numbers per item that went by. */
const REACH: Record<Tier, [at_least: number, per_item: number]> = {
  ...{ named: [12, 6], marked: [8, 4], bare: [4, 2], loose: [2, 1], doubtful: [1, 1] },
};

export function assign(series: Series, feed: Feed, aside: ReadonlySet<number>): Assigned {
  const { entries, verdict, tier } = series;
  const numbers = new Map<number, Entry>(), refused: Entry[] = [];
  const all = countsOf(series, () => true);
  const isMember = new Set<Entry>();
  entries.forEach((entry, i) => {
    const isLinkedIn = () => isLinked(entry, all.around(entry.rank, verdict.groups[i]), tier);
    if (verdict.onRun[i] && (!entry.reading || verdict.isShuffled || isLinkedIn())) isMember.add(entry);
  });
  const counts = countsOf(series, (entry) => isMember.has(entry));
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
    if (isMember.has(entry) || !entry.reading) put(entry, verdict.groups[i]);
    else late.push([entry, verdict.groups[i]]);
    if (isMember.has(entry) && entry.reading) known.add(entry.reading.words);
  });
  for (const [entry, group] of late) {
    isOutOfTurn(entry, group, counts, series, isKnown(entry)) ? take(entry, group) : refused.push(entry);
  }

  const forms = new Set(series.slots.map(({ key }) => key));
  for (const [rank, candidates] of feed.candidates.entries()) {
    if (numbers.has(rank) || aside.has(rank) || verdict.isShuffled) continue; // without an order nothing is in its place
    for (const entry of candidates) {
      const isOwn = entry.reading!.slots.some(({ key }) => forms.has(key));
      const fits = feed.isAgain[rank] ? isRepeat : feed.isSide[rank] ? isSingleFit : isFit;
      const group = fits(entry, isOwn, counts);
      if (group === null) continue;
      take(entry, group);
      break;
    }
  }
  return { numbers, refused, repeated: repeated(numbers, groupOf) };
}

function repeated(numbers: ReadonlyMap<number, Entry>, groupOf: ReadonlyMap<number, number>): Entry[] {
  const seen = new Set<string>();
  return [...numbers.values()].sort((a, b) => a.rank - b.rank).filter(({ rank, value, reading }) => {
    const key = `${groupOf.get(rank)} ${value}`;
    if (seen.has(key)) return reading !== null;
    seen.add(key);
    return false;
  });
}

/** A member of a run that jumps away from both its neighbours is none: `2018: a Review` after 41 and 42. */
function isLinked(entry: Entry, { before, after }: Neighbours, tier: Tier): boolean {
  const [least, perItem] = REACH[tier];
  const near = (other: Entry) =>
    Math.abs(other.value - entry.value) <= least + perItem * Math.abs(other.rank - entry.rank);
  if (!before && !after) return tier === "named" || tier === "marked";
  return before !== undefined && near(before) || after !== undefined && near(after);
}

/**
 * Off the run, but with a number that no other has and that is missing near there: published out of its turn. Or the
 * number of another whose title is the same word for word: published again.
 */
function isOutOfTurn(
  entry: Entry,
  group: number,
  counts: Counts,
  { verdict, tier }: Series,
  isAgain: boolean,
): boolean {
  if (counts.has(entry.value, group)) return tier !== "loose" && (isPart(entry, group, counts) || isAgain);
  if (tier === "loose" || tier === "doubtful" || verdict.orderly < 0.7 && tier !== "named") return false;
  const { before, after } = counts.around(entry.rank, group);
  if (!before && !after) return false;
  const low = before?.value ?? after!.value, high = after?.value ?? before!.value;
  const off = Math.max(low - entry.value, entry.value - high, 0);
  return off <= (tier === "bare" ? 8 : 25) && entry.value <= counts.most(group) && entry.value >= counts.least(group);
}

/** Two episodes beside each other may share a number: two parts. */
function isPart(entry: Entry, group: number, counts: Counts): boolean {
  const { before, after } = counts.around(entry.rank, group);
  return [before, after].some((other) => other?.value === entry.value && Math.abs(other.rank - entry.rank) <= 2);
}

type Fit = (entry: Entry, isOwn: boolean, counts: Counts) => number | null;

/** Published before: the number is one of the series', or the next. */
const isRepeat: Fit = (entry, isOwn, counts) => {
  if (!isOwn && entry.reading!.slots[0].tier !== "named") return null;
  for (const group of counts.groupsOf(entry)) {
    if (entry.value >= counts.least(group) && entry.value <= counts.most(group) + 1) return group;
  }
  return null;
};

/** A bonus or trailer that is counted with the others has a number of its own, exactly in its place. */
const isSingleFit: Fit = (entry, isOwn, counts) => {
  if (entry.reading!.isSide || !isOwn && entry.reading!.slots[0].tier !== "named") return null;
  return counts.groupsOf(entry).find((group) => {
    const { before, after } = counts.around(entry.rank, group);
    return isBetween(entry, before, after) && (before?.value === entry.value - 1 || after?.value === entry.value + 1);
  }) ?? null;
};

/** Another form than the series' fits where it fills the gap. */
const isFit: Fit = (entry, isOwn, counts) => {
  const { tier, key } = entry.reading!.slots[0];
  if (tier === "doubtful" || key === "dotted" && !isOwn) return null;
  return counts.groupsOf(entry).find((group) => {
    const { before, after } = counts.around(entry.rank, group);
    if (!before && !after || !isBetween(entry, before, after)) return false;
    const follows = before?.value === entry.value - 1, leads = after?.value === entry.value + 1;
    if (tier === "named") return follows || leads || before !== undefined && after !== undefined;
    if (tier === "marked") return key.startsWith("maybe") && !isOwn ? follows && leads : follows || leads;
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
