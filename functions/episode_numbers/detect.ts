/**
 * Detects the episode numbers of a feed by consensus; no single title is trusted. Each number in a title belongs to
 * slots (its label, its position, the words before it). A slot is scored over time as a series: it grows by one,
 * repeats nothing, and numbers most items. A wrong number costs more than a missing one.
 */
import { assignNumbers } from "./assign.ts";
import type { Entry } from "./score.ts";
import { orderByDate } from "./order.ts";
import { readTitleNumbers, type TitleNumbers } from "./readings.ts";
import { bestSeries, findSeries, type Series } from "./series.ts";
import { findSlots, type Slot, type TitleFeed } from "./slots.ts";
import type { Conflict, Detection, NumberedItem } from "./numbering.ts";

export function detectEpisodeNumbers(items: readonly NumberedItem[]): Detection {
  const unique = [...new Map(items.map((item) => [item.guid, item])).values()];
  const titles = unique.map(({ title }) => readTitleNumbers(title ?? ""));
  const { positions, isDated } = orderByDate(unique);
  const found = detectInOrder(unique, titles, positions);
  if (isDated) return found.detection;
  const other = detectInOrder(unique, titles, positions.toReversed());
  return other.worth > found.worth ? other.detection : found.detection;
}

function detectInOrder(all: readonly NumberedItem[], titles: readonly TitleNumbers[], positions: readonly number[]) {
  const items = positions.map((position) => all[position]), reads = positions.map((position) => titles[position]);
  const feed = buildFeed(items, reads);
  const anchors = items.flatMap((item, rank): Entry[] =>
    isNumber(item.episode) ? [{ rank, value: item.episode, season: item.season, reading: null, published: null }] : []
  );
  const { main, differs, isForeign } = compareWithPublisher(feed, anchors);
  const { series, sideRanks } = findSeries(feed, anchors, isForeign);

  const numbers: Record<string, number> = {},
    seasons: Record<string, number> = {},
    conflicts: Conflict[] = [...differs]
      .map(([rank, titleNumber]) => ({
        guid: items[rank].guid,
        titleNumber,
        publisherNumber: items[rank].episode,
        reason: "publisher_mismatch",
      }));
  const taken = new Set<number>();
  let worth = 0, weight = 0;
  for (const each of series) {
    const assigned = assignNumbers(each, feed, sideRanks);
    for (const [rank, entry] of assigned.numbers) {
      if (taken.has(rank)) continue;
      taken.add(rank);
      numbers[items[rank].guid] = entry.value;
      const season = items[rank].season ?? entry.season;
      if (isNumber(season)) seasons[items[rank].guid] = season;
    }
    const conflicting = [
      ["out_of_sequence", assigned.rejected],
      ["duplicate_number", assigned.duplicates],
    ] as const;
    for (const [reason, entries] of conflicting) {
      for (const { rank, value } of entries) {
        conflicts.push({ guid: items[rank].guid, titleNumber: value, publisherNumber: null, reason });
      }
    }
    worth += each.score.quality * assigned.numbers.size;
    weight += assigned.numbers.size;
  }
  const agreement = anchors.length === 0 ? 1 : 1 - 0.5 * differs.size / anchors.length;
  const detection: Detection = {
    pattern: describePattern(series, anchors.length > 0, main),
    confidence: weight === 0
      ? 0
      : roundToHundredths(confidence(series, worth / weight, weight, anchors.length) * agreement),
    numbers,
    conflicts,
    ...(Object.keys(seasons).length > 0 ? { seasons } : {}),
  };
  return { detection, worth };
}

const isNumber = (value: number | null | undefined): value is number => Number.isInteger(value) && value! >= 0;

/** Above this share, a word describes the podcast rather than the item, and a type is a mistake. */
const MAX_SHARE = { words: 0.75, types: 0.9 };

function buildFeed(items: readonly NumberedItem[], reads: readonly TitleNumbers[]): TitleFeed {
  const isSideByType = items.map(({ episodeType }) => /^\s*(?:bonus|trailer)/i.test(episodeType ?? ""));
  const ignoreCommon = (flags: boolean[], maxShare: number) =>
    flags.filter(Boolean).length <= maxShare * flags.length ? flags : flags.map(() => false);
  const byType = ignoreCommon(isSideByType, MAX_SHARE.types),
    byWord = ignoreCommon(reads.map((each) => each.isSide), MAX_SHARE.words);
  const isSide = items.map((_, rank) => byType[rank] || byWord[rank]);
  const isRepeat = ignoreCommon(reads.map((each) => each.isRepeat), MAX_SHARE.words);
  return {
    candidates: items.map((item, rank) => {
      const day = new Date(item.pubDate ?? NaN), published = Number.isNaN(day.getTime()) ? null : day;
      return reads[rank].readings.map((reading): Entry => ({
        rank,
        value: reading.value,
        season: reading.season ?? item.season,
        reading,
        published,
      }));
    }),
    isSide,
    isRepeat,
    size: isSide.filter((each, rank) => !each && !isRepeat[rank]).length,
  };
}

/** Compares the titles' numbers with the publisher's. */
function compareWithPublisher(feed: TitleFeed, anchors: readonly Entry[]) {
  const differs = new Map<number, number>();
  const none = { main: null, differs, isForeign: () => false };
  if (anchors.length === 0) return none;
  const all = findSlots(feed), main = bestSeries(all, feed, true)?.slots[0];
  const own = new Map(anchors.map(({ rank, value }) => [rank, value]));
  const disagreement = ({ entries }: Slot) => {
    const both = entries.filter(({ rank }) => own.has(rank));
    return { both, apart: both.filter(({ rank, value }) => own.get(rank) !== value) };
  };
  const foreign = new Set(
    all.filter((slot) => {
      const { both, apart } = disagreement(slot);
      return both.length >= 2 && apart.length > both.length / 2;
    }).map(({ key }) => key),
  );
  for (const { rank, value } of main ? disagreement(main).apart : []) differs.set(rank, value);
  return { main: main ?? null, differs, isForeign: (key: string) => foreign.has(key) };
}

function describePattern(series: readonly Series[], hasAnchors: boolean, main: Slot | null): string | null {
  const shapes = new Map<string, number>();
  for (const slot of [...series.flatMap(({ slots }) => slots), ...(main ? [main] : [])]) {
    for (const [shape, count] of slot.shapes) shapes.set(shape, Math.max(count, shapes.get(shape) ?? 0));
  }
  const most = [...shapes].toSorted(([, a], [, b]) => b - a).slice(0, 3).map(([shape]) => shape);
  return [...(hasAnchors ? ["itunes:episode"] : []), ...most].join(" / ") || null;
}

/** Few items are weaker evidence than many. */
function confidence(series: readonly Series[], quality: number, size: number, anchors: number): number {
  if (anchors > 0 && anchors >= 0.5 * size) return 1;
  const proof = 1 - 0.5 / Math.max(1, size - 1);
  const tier = { labeled: 1, prefixed: 1, bare: 0.97, loose: 0.9, ambiguous: 0.8 }[series[0].tier];
  return Math.min(1, quality * proof * tier);
}

const roundToHundredths = (share: number): number => Math.round(share * 100) / 100;
