/** SubRip. It has no specification; players agree on numbered cues with times and lines of text. */
import { type Cue, formatTime, orderCues, splitMarkup, tidyLines } from "./cue.ts";
import { LineError, Lines } from "./lines.ts";
import { Repairs } from "./repairs.ts";
import { arrowsOf, isCueNumber, readTimedLines, type TimedLines } from "./timed_lines.ts";

const TIME = "\\d{2,4}:[0-5]\\d:[0-5]\\d,\\d{3}";
const TIMING = new RegExp(`^[ \\t]*${TIME}[ \\t]*-->[ \\t]*${TIME}(?:[ \\t].*)?$`);
const FORMATTING = /^\/?(?:[bisu]>|font[ >])/i;

/** Reads the cues of a file with their markup, and repairs what players accept or skip. Throws a LineError. */
export function readSrt(text: string, repairs: Repairs): TimedLines[] {
  const lines = new Lines(text), { readTimes } = arrowsOf(text);
  const cues = readTimedLines(lines, lines.next(), {
    isEmpty: (line) => line.trim() === "",
    isId: isCueNumber,
    readTimes(line, number) {
      const times = readTimes(line);
      if (times && !TIMING.test(line)) repairs.add("TIME_NONSTANDARD", number);
      return times;
    },
  }, repairs);
  if (cues.length === 0) {
    const line = repairs.firstLine("CUE_DROPPED") ?? 1;
    throw new LineError(line, "expected the times of a cue, such as 00:00:01,000 --> 00:00:04,000");
  }
  for (const { id, line } of cues) if (id === undefined) repairs.add("NUMBER_MISSING", line);
  return orderCues(cues, ({ line }) => line, repairs);
}

/** Parses a file. Formatting is left out. Throws a LineError. */
export const parseSrt = (text: string, repairs = new Repairs()): Cue[] =>
  readSrt(text, repairs).map(({ startMs, endMs, text }) => ({
    startMs,
    endMs,
    voices: [{ text: withoutFormatting(text.join("\n")) }],
  }));

/** Removes tags of fonts and positions such as `{\an8}`. */
function withoutFormatting(text: string): string {
  let plain = "";
  for (const part of splitMarkup(text, (beginning) => FORMATTING.test(beginning))) {
    if ("text" in part) plain += part.text;
  }
  return tidyLines(plain.replace(/\{\\[^{}]{0,200}\}/g, ""));
}

/** Writes cues, with `Speaker: ` before the text of a named voice. */
export const writeSrt = (cues: Cue[]): string =>
  formatSrt(cues.map(({ startMs, endMs, voices }) => ({
    startMs,
    endMs,
    settings: "",
    text: voices.map(({ speaker, text }) => speaker ? `${speaker}: ${text}` : text).filter(Boolean).map(withoutArrows),
  })));

/** Writes cues with the markup of their text. */
export const formatSrt = (cues: Omit<TimedLines, "line">[]): string =>
  cues.map(({ startMs, endMs, settings, text }, i) => {
    const times = `${formatTime(startMs, ",")} --> ${formatTime(endMs, ",")}`;
    return [`${i + 1}`, settings ? `${times} ${settings}` : times, ...text, ""].join("\n");
  }).join("\n");

/** Players read a line with an arrow as the times of the next cue. */
const withoutArrows = (text: string) => text.replaceAll("-->", "->");
