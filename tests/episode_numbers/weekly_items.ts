// Builds weekly feeds from titles, oldest first, and runs the detection.
import { detectEpisodeNumbers } from "../../functions/episode_numbers/detect.ts";
import type { NumberedItem } from "../../functions/episode_numbers/numbering.ts";

export type Fields = Partial<NumberedItem> & { title: string };

export function weeklyItems(episodes: readonly (string | Fields)[]): NumberedItem[] {
  return episodes.map((each, i) => ({
    guid: `guid-${i}`,
    pubDate: new Date(Date.UTC(2018, 0, 1 + 7 * i)).toUTCString(),
    ...{ season: null, episode: null, episodeType: null },
    ...(typeof each === "string" ? { title: each } : each),
  })).reverse(); // feeds are newest first
}

/** The number of each title, in the order given. */
export function numbers(episodes: readonly (string | Fields)[]): (number | null)[] {
  const found = detectEpisodeNumbers(weeklyItems(episodes)).numbers;
  return episodes.map((each, i) => found[typeof each === "string" ? `guid-${i}` : each.guid ?? `guid-${i}`] ?? null);
}

/** Numbers from `from` to `to`, both included. */
export const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const TOPICS = "Lanterns|Cold Water|The Bakery|Old Maps|Bees|Night Trains|Our Garden|Small Boats|Paper|The Well".split(
  "|",
);
export const topic = (i: number): string => TOPICS[(i * 7 + (i >> 3)) % TOPICS.length];
