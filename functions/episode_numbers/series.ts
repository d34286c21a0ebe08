/** Builds series from slots: the best slot, merged with its variants, and independent counts beside it. */
import { type Entry, NO_SEASON, scoreSeries, type SeriesScore } from "./score.ts";
import { coverage, findSlots, isPlausible, mayReset, type Slot, TIER_WEIGHT, type TitleFeed } from "./slots.ts";
import type { Tier } from "./numbering.ts";

interface FoundSeries {
  series: Series[];
  /** Ranks of items that belong to side series; they get no number. */
  sideRanks: ReadonlySet<number>;
}

export interface Series {
  slots: Slot[];
  tier: Tier;
  /** Sorted by rank, at most one per item. */
  entries: Entry[];
  score: SeriesScore;
}

/** A count from 1 beside a main series is a side series, unless it has this share of the main one's items. */
const MAIN_SERIES_SHARE = 0.75;

/** Slots tried as variants, by their gain; the remaining items are filled in one by one. */
const MAX_VARIANTS = 30;

/** Rounds of the search, including those for side series. */
const MOST_ROUNDS = 8;

/** Minimum share of the feed for every series but the first. */
const MIN_SECOND_SHARE = 0.15;

/**
 * The publisher's numbers (`anchors`) form the first series, which titles may continue. Slots with `isBarred` keys
 * count something else and are ignored.
 */
export function findSeries(
  feed: TitleFeed,
  anchors: readonly Entry[],
  isBarred: (key: string) => boolean,
): FoundSeries {
  const found: Series[] = [], sideRanks = new Set<number>();
  const taken = new Set<number>(anchors.map(({ rank }) => rank));
  const isTaken = (rank: number) => taken.has(rank);
  let first: Series | null = anchors.length === 0
    ? null
    : { slots: [], tier: "labeled", entries: [...anchors], score: scoreSeries(anchors, "labeled") };
  const isFirst = () => found.every(({ entries }) => entries.length < 0.2 * feed.size);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const all = findSlots(feed, isTaken).filter(({ key }) => !isBarred(key));
    const series: Series | null = first ?? bestSeries(all, feed, isFirst());
    if (!series) break;
    for (const rank of sideSeriesRanks(series, all)) {
      sideRanks.add(rank);
      taken.add(rank);
    }
    mergeVariants(series, all, taken);
    for (const { rank } of series.entries) taken.add(rank);
    found.push(series);
    first = null;
  }
  const isPublishers = (series: Series) => anchors.length > 0 && series === found[0];
  const isMain = (series: Series) => isPublishers(series) || !found.some((main) => isSideSeries(series, main));
  for (const { entries } of found.filter((series) => !isMain(series))) {
    for (const { rank } of entries) sideRanks.add(rank);
  }
  return { series: found.filter(isMain), sideRanks };
}

/** Whether a count from 1 lies among the items of a larger series; one that follows it is the podcast's new count. */
function isSideSeries({ entries }: { entries: Entry[] }, main: Series): boolean {
  if (entries.length >= MAIN_SERIES_SHARE * main.entries.length || !entries.some(({ value }) => value <= 2)) {
    return false;
  }
  const first = main.entries[0].rank, last = main.entries.at(-1)!.rank;
  return entries.filter(({ rank }) => rank > first && rank < last).length > entries.length / 2;
}

/**
 * Ranks of items whose titles name a side series that is too short to be plausible, and that hold no number of the
 * main series.
 */
function sideSeriesRanks(main: Series, all: Slot[]): number[] {
  const own = new Set(main.entries.map(({ rank }) => rank));
  return all.filter((slot) =>
    slot.key.startsWith("after:") && slot.tier !== "ambiguous" && slot.entries.length >= 3 &&
    slot.score.quality >= 0.85 && isSideSeries(slot, main) &&
    slot.entries.filter(({ rank }) => own.has(rank)).length < slot.entries.length / 2
  ).flatMap(({ entries }) => entries.map(({ rank }) => rank)).filter((rank) => !own.has(rank));
}

export function bestSeries(all: Slot[], feed: TitleFeed, isFirst: boolean): Series | null {
  const standing = all.filter((slot) => isPlausible(slot, feed) && (isFirst || isPlausibleSecond(slot, feed)))
    .toSorted((a, b) => worth(b) - worth(a));
  if (standing.length === 0) return null;
  let slot = standing[0];
  // Two full counts in the same titles: the first one is the podcast's, as in `45: Some Series S2E5`.
  for (const other of standing.slice(1, 8)) {
    if (other.score.quality < 0.85 || other.tier === "ambiguous" || other.tier === "loose") continue;
    if (shareEarlierInTitle(other, slot) > 0.8) slot = other;
  }
  return { slots: [slot], tier: slot.tier, entries: slot.entries, score: slot.score };
}

const worth = ({ score, entries, tier }: Slot): number =>
  score.quality ** 2 * score.orderliness * entries.length * TIER_WEIGHT[tier];

function isPlausibleSecond(slot: Slot, feed: TitleFeed): boolean {
  if (slot.tier === "ambiguous" || slot.tier === "loose" || slot.key === "dotted" || slot.entries.length < 4) {
    return false;
  }
  return coverage(slot, feed) >= MIN_SECOND_SHARE && slot.score.quality >= 0.85;
}

/** Share of `slot`'s titles in which `other` reads another number earlier. */
function shareEarlierInTitle(other: Slot, slot: Slot): number {
  const own = new Map(slot.entries.map(({ rank, reading }) => [rank, reading]));
  let before = 0;
  for (const { rank, reading } of other.entries) {
    const at = own.get(rank);
    if (at && reading && reading !== at && reading.at < at.at) before++;
  }
  return before / slot.entries.length;
}

/** Merges slots whose further numbers continue the run or fill its gaps. */
function mergeVariants(series: Series, all: Slot[], taken: ReadonlySet<number>): void {
  let covered = new Set([...taken, ...series.entries.map(({ rank }) => rank)]);
  const others = all.filter((slot) => !series.slots.includes(slot) && slot.tier !== "ambiguous")
    .map((slot) => ({ slot, more: slot.entries.filter(({ rank }) => !covered.has(rank)) }))
    .filter(({ more }) => more.length > 0)
    .toSorted((a, b) => b.more.length * TIER_WEIGHT[b.slot.tier] - a.more.length * TIER_WEIGHT[a.slot.tier]).slice(
      0,
      MAX_VARIANTS,
    );
  for (const { slot } of others) {
    const more = slot.entries.filter(({ rank }) => !covered.has(rank));
    const minItems = slot.tier === "labeled" ? 1 : slot.tier === "loose" ? 4 : 2;
    if (more.length < minItems) continue;
    const together = [...series.entries, ...more].sort((a, b) => a.rank - b.rank);
    const score = scoreSeries(together, series.tier, [...series.slots, slot].every(mayReset));
    if (!continuesRun(series, new Set(more), together, score, slot.tier)) continue;
    Object.assign(series, { entries: together, score, slots: [...series.slots, slot] });
    covered = new Set([...covered, ...more.map(({ rank }) => rank)]);
  }
}

function continuesRun(series: Series, more: Set<Entry>, together: Entry[], score: SeriesScore, tier: Tier): boolean {
  let kept = 0, exact = 0;
  const last = new Map<number, Entry>();
  // A name that counts from 1 is another count; only a label or a season number may begin a season
  const own = new Set(together.flatMap((entry, i) => more.has(entry) ? [] : [score.groups[i]]));
  const belongs = (group: number) =>
    own.has(group) || (score.scheme === "season" ? group !== NO_SEASON : tier === "labeled");
  for (const [i, entry] of together.entries()) {
    if (!score.onRun[i]) continue;
    const before = last.get(score.groups[i]);
    last.set(score.groups[i], entry);
    if (!more.has(entry)) kept++;
    if (!before || !more.has(entry) && !more.has(before) || !belongs(score.groups[i])) continue;
    const grown = entry.value - before.value;
    if (grown === 1 || grown > 0 && grown === entry.rank - before.rank) exact++;
  }
  const before = series.score.onRun.filter(Boolean).length;
  return kept >= 0.98 * before && exact >= 0.6 * more.size;
}
