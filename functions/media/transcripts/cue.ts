/** What the formats with times have in common: cues, and the voices in them. */
import { LineError } from "./lines.ts";
import type { Repairs } from "./repairs.ts";

export interface Voice {
  speaker?: string;
  /** Plain text. Its lines are trimmed and not empty. */
  text: string;
}

export interface Times {
  startMs: number;
  endMs: number;
}

/** Parsers return cues in the order of their start, each at least a millisecond long. */
export interface Cue extends Times {
  /** At least one; the text of a cue without text is empty. */
  voices: Voice[];
}

/** An isolate has two seconds of CPU time. A cue per word of ten hours is fewer. */
const MAX_CUES = 100_000;

export function rejectTooManyCues(cues: unknown[], line: number): void {
  if (cues.length >= MAX_CUES) throw new LineError(line, `a file can have at most ${MAX_CUES} cues`);
}

/** Trims the lines of a text and removes empty ones, which end a cue. */
export const tidyLines = (text: string) =>
  text.split(/\r\n|\n|\r/).map((line) => line.trim()).filter(Boolean).join("\n");

/** Formats `HH:MM:SS.mmm`, or with another separator before the milliseconds. */
export function formatTime(ms: number, separator: "." | ","): string {
  const pad = (value: number, length: number) => String(value).padStart(length, "0");
  const seconds = Math.floor(ms / 1000);
  return `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}` +
    separator + pad(ms % 1000, 3);
}

/**
 * A time as people and programs write it, for patterns: hours, leading zeros and milliseconds may be absent, and minutes
 * without hours may exceed 59.
 */
export const ANY_TIME = "((?:\\d{1,4}:[0-5]?\\d|\\d{1,3}):[0-5]?\\d(?:[.,]\\d+)?)(?![\\d:]|[.,]\\d)";

/** Parses what a pattern of a format has matched: `[HH:]MM:SS` and digits after a separator. */
export function parseTime(time: string): number {
  const [whole, fraction = ""] = time.split(/[.,]/);
  const seconds = whole.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  return seconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
}

/** Of a last cue without an end: long enough to be read. */
const LAST_CUE_MS = 5000;

/**
 * Sorts cues by their start, and lengthens those without a duration. A cue without an end ends when a later one starts.
 */
export function orderCues<T extends { startMs: number; endMs?: number }>(
  cues: T[],
  lineOf: (cue: T) => number,
  repairs: Repairs,
): (T & Times)[] {
  let isOrdered = true, latestMs = 0;
  for (const cue of cues) {
    if (cue.startMs < latestMs) {
      repairs.add("CUES_UNORDERED", lineOf(cue));
      isOrdered = false;
    }
    latestMs = Math.max(latestMs, cue.startMs);
  }
  const ordered = isOrdered ? cues : cues.sort((a, b) => a.startMs - b.startMs);
  let later = 0;
  for (const cue of ordered) {
    if (cue.endMs === undefined) {
      while (ordered[later]?.startMs <= cue.startMs) later++;
      cue.endMs = ordered[later]?.startMs ?? cue.startMs + LAST_CUE_MS;
    } else if (cue.endMs <= cue.startMs) {
      repairs.add("CUE_TOO_SHORT", lineOf(cue));
      cue.endMs = cue.startMs + 1;
    }
  }
  return ordered as (T & Times)[];
}

/** A part of a text with markup: a tag without its brackets, or text. */
type MarkupPart = { tag: string } | { text: string };

/** Splits a text at those tags that `isTag` recognizes by what follows `<`. Each character is read once. */
export function* splitMarkup(text: string, isTag: (beginning: string) => boolean): Generator<MarkupPart> {
  let textStart = 0;
  for (let open = text.indexOf("<"); open >= 0; open = text.indexOf("<", open + 1)) {
    if (!isTag(text.slice(open + 1, open + 10))) continue;
    const close = text.indexOf(">", open);
    if (close < 0) break;
    if (open > textStart) yield { text: text.slice(textStart, open) };
    yield { tag: text.slice(open + 1, close) };
    textStart = close + 1;
    open = close;
  }
  if (textStart < text.length) yield { text: text.slice(textStart) };
}
