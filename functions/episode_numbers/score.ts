/** Scores how far a slot's numbers behave, over time, like a series of episodes. */
import { longestRun } from "./longest_run.ts";
import type { Reading, Tier } from "./numbering.ts";

/** A number at its rank in time. */
export interface Entry {
  /** Rank among all items, oldest first. */
  rank: number;
  value: number;
  /** The title's season, else the publisher's. */
  season: number | null;
  reading: Reading | null;
  /** Publication day, if known: a number equal to it is not an episode number. */
  published: Date | null;
}

/** How a series counts: continuously, per season, or from 1 after each reset. */
type NumberingScheme = "one" | "season" | "resets";

export interface SeriesScore {
  /** 0 to 1. */
  quality: number;
  scheme: NumberingScheme;
  /** The group of each entry. */
  groups: number[];
  /** Whether each entry is on its group's longest run. */
  onRun: boolean[];
  /** The numbers are unordered but complete. */
  isShuffled: boolean;
  /** Share of regular steps along the runs. */
  steadiness: number;
  /** Share of entries on a run. */
  orderliness: number;
}

/** The group of entries without a season. */
export const NO_SEASON = -1;

/** Returns the best scheme. Entries are sorted by rank. */
export function scoreSeries(entries: readonly Entry[], tier: Tier, mayReset = tier !== "ambiguous"): SeriesScore {
  const scores = [scoreScheme(entries, "one", entries.map(() => 0), 1)];
  if (scores[0].quality < 0.98) {
    const bySeason = entries.map(({ season }) => season ?? NO_SEASON);
    const seasons = new Set(bySeason).size;
    if (seasons > 1 && seasons <= entries.length / (tier === "labeled" || tier === "prefixed" ? 2 : 3)) {
      scores.push(scoreScheme(entries, "season", bySeason, 0.99));
    }
    const resets = mayReset ? groupByResets(entries) : null;
    if (resets) scores.push(scoreScheme(entries, "resets", resets, tier === "labeled" ? 0.96 : 0.92));
    if (tier === "labeled" || tier === "prefixed") {
      for (const scheme of [...scores]) scores.push(scorePermutation(entries, scheme));
    }
  }
  const best = scores.reduce((best, scheme) => scheme.quality > best.quality ? scheme : best);
  return { ...best, quality: best.quality * dateFactor(entries, best, tier) };
}

function scoreScheme(
  entries: readonly Entry[],
  scheme: NumberingScheme,
  groups: number[],
  factor: number,
): SeriesScore {
  const onRun = entries.map(() => false);
  let runs = 0, steps = 0, good = 0;
  const distinct = new Set<string>();
  let twins = 0; // an episode in two parts, or as audio and video
  entries.forEach(({ value, rank }, i) => {
    distinct.add(`${groups[i]} ${value}`);
    const before = entries[i - 1];
    if (before?.value === value && rank - before.rank <= 2) twins++;
  });
  for (const members of Map.groupBy(entries.keys(), (i) => groups[i]).values()) {
    const run = longestRun(members.map((i) => entries[i].value)).map((i) => members[i]);
    runs += run.length;
    for (const [nth, i] of run.entries()) {
      onRun[i] = true;
      if (nth === 0) continue;
      steps++;
      good += scoreStep(entries[run[nth - 1]], entries[i]);
    }
  }
  const orderliness = runs / entries.length;
  const steadiness = steps === 0 ? 0.5 : good / steps;
  const unique = Math.min(1, distinct.size / (entries.length - Math.min(twins, entries.length / 2)));
  const quality = factor * orderliness * (0.2 + 0.8 * steadiness) * Math.min(1, 0.25 + unique);
  return { quality, scheme, isShuffled: false, groups, onRun, steadiness, orderliness };
}

/**
 * Scores a step: one more, or as many more as items passed, as in a series whose other titles have no number. Small
 * gaps are tolerated; a series never grows much faster than the feed.
 */
function scoreStep(from: Entry, to: Entry): number {
  const grown = to.value - from.value, passed = to.rank - from.rank;
  if (grown === 1 || grown === passed && grown > 0) return 1;
  if (grown === 0) return passed <= 2 ? 0.8 : 0; // twin
  if (grown > 1 && grown <= 3 || grown >= passed - 2 && grown <= passed + 1) return 0.7;
  return grown < passed ? 0.4 : 0;
}

/** A new count begins where the numbers fall back to the start and continue from there. */
function groupByResets(entries: readonly Entry[]): number[] | null {
  const groups: number[] = [];
  let group = 0, last = -1, size = 0;
  for (const [i, { value }] of entries.entries()) {
    const next = entries[i + 1]?.value;
    const goesOn = next !== undefined && next > value && next - value <= 2;
    if (value <= 2 && last >= 3 && value < last - 1 && size >= 3 && goesOn) {
      group++;
      last = value;
      size = 0;
    } else if (value > last) last = Math.min(value, last < 0 ? value : last + 50);
    size++;
    groups.push(group);
  }
  return group > 0 && group + 1 <= entries.length / 5 ? groups : null;
}

/** A complete set of unique numbers is a series too, in any order. */
function scorePermutation(entries: readonly Entry[], scheme: SeriesScore): SeriesScore {
  if (entries.length < 8) return { ...scheme, quality: 0 };
  let span = 0, distinct = 0;
  for (const members of Map.groupBy(entries.keys(), (i) => scheme.groups[i]).values()) {
    const values = new Set(members.map((i) => entries[i].value));
    let lowest = Infinity, highest = 0;
    for (const value of values) lowest = Math.min(lowest, value), highest = Math.max(highest, value);
    distinct += values.size;
    span += highest - lowest + 1;
  }
  const quality = 0.85 * (distinct / span) ** 2 * (distinct / entries.length) ** 2;
  return { ...scheme, quality, isShuffled: true, onRun: entries.map(() => true), orderliness: 1 };
}

/**
 * Years and days are not episode numbers. Podcasts with 2,000 episodes exist, but they have more items than such years.
 */
function dateFactor(entries: readonly Entry[], { steadiness }: SeriesScore, tier: Tier): number {
  const share = (is: (entry: Entry) => boolean) => entries.filter(is).length / entries.length;
  if (share(isOwnDay) > 0.5) return 0;
  if (share(({ value }) => value >= 1900 && value <= 2100) < 0.5) return 1;
  if (share(isOwnYear) > 0.5 && (entries.length < 9 || steadiness < 0.95 || share(isOwnYear) > 0.9)) return 0;
  return tier === "labeled" || tier === "prefixed" ? 1 : steadiness > 0.9 && entries.length > 130 ? 0.9 : 0;
}

const isOwnYear = ({ value, published }: Entry): boolean =>
  published !== null && Math.abs(value - published.getUTCFullYear()) <= 1;

/** 0131, 3101 or 1901 (month of a year): the publication day, the day before or after. */
function isOwnDay({ value, published }: Entry): boolean {
  if (published === null || value < 101) return false;
  return [-1, 0, 1].some((days) => {
    const at = new Date(published.getTime() + days * 86_400_000);
    const day = at.getUTCDate(), month = at.getUTCMonth() + 1, year = at.getUTCFullYear() % 100;
    return value === 100 * month + day || value === 100 * day + month || value === 100 * year + month;
  });
}
