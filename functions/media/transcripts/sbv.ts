/** SBV, the subtitles that YouTube exports: a line with two times, then lines of text. It becomes WebVTT. */
import { type Cue, orderCues, parseTime, tidyLines } from "./cue.ts";
import { Lines } from "./lines.ts";
import type { Repairs } from "./repairs.ts";
import { readTimedLines } from "./timed_lines.ts";

const TIME = "(\\d{1,4}:[0-5]?\\d:[0-5]?\\d\\.\\d{1,3})";
const TIMING = new RegExp(`^\\s*${TIME}\\s*,\\s*${TIME}\\s*$`);
export const SBV_BEGINNING = new RegExp(`^\\s*${TIME}[ \\t]*,[ \\t]*${TIME}[ \\t]*(?:[\\r\\n]|$)`);

/** Parses a file that begins with times. */
export function parseSbv(text: string, repairs: Repairs): Cue[] {
  const lines = new Lines(text);
  const cues = readTimedLines(lines, lines.next(), {
    isEmpty: (line) => line.trim() === "",
    isId: () => false,
    readTimes(line) {
      const [, start, end] = TIMING.exec(line) ?? [];
      return start ? { startMs: parseTime(start), endMs: parseTime(end), settings: "" } : undefined;
    },
  }, repairs);
  return orderCues(cues, ({ line }) => line, repairs).map(({ startMs, endMs, text }) => ({
    startMs,
    endMs,
    voices: [{ text: tidyLines(text.join("\n").replaceAll("[br]", "\n")) }],
  }));
}
