/** SubRip. It has no specification; players agree on numbered cues with times and lines of text. */
import { type Cue, formatTime, parseTime, rejectTooManyCues, splitMarkup, tidyLines, toOrderedCues } from "./cue.ts";
import { LineError, Lines } from "./lines.ts";

const TIME = "(\\d{1,4}:[0-5]\\d:[0-5]\\d[,.]\\d{1,3})";
const TIMING = new RegExp(`^[ \\t]*${TIME}[ \\t]*-->[ \\t]*${TIME}(?:[ \\t].*)?$`);
export const SRT_BEGINNING = new RegExp(`^\\s*\\d+[ \\t]*(?:\\r\\n?|\\n)[ \\t]*${TIME}[ \\t]*-->`);
const FORMATTING = /^\/?(?:[bisu]>|font[ >])/i;

/** Parses and validates a file. Formatting is left out. Throws a LineError. */
export function parseSrt(text: string): Cue[] {
  const lines = new Lines(text), cues: Cue[] = [];
  for (let line = lines.next();;) {
    while (line?.trim() === "") line = lines.next();
    if (line === undefined) break;
    rejectTooManyCues(cues, lines.number);
    if (!/^[ \t]*\d{1,10}[ \t]*$/.test(line)) {
      throw new LineError(lines.number, "expected the number of a cue after an empty line");
    }
    const [, start, end] = TIMING.exec(lines.next() ?? "") ?? [];
    if (!start) {
      throw new LineError(lines.number, "expected the times of a cue, such as 00:00:01,000 --> 00:00:04,000");
    }
    const startMs = parseTime(start), endMs = parseTime(end);
    if (endMs < startMs) throw new LineError(lines.number, "expected a cue not to end before its start");
    const payload: string[] = [];
    for (line = lines.next(); line?.trim(); line = lines.next()) {
      if (TIMING.test(line)) {
        throw new LineError(lines.number, "expected an empty line and a number before the next cue");
      }
      payload.push(line);
    }
    cues.push({ startMs, endMs, voices: [{ text: withoutFormatting(payload.join("\n")) }] });
  }
  if (cues.length === 0) throw new LineError(1, "expected a cue");
  return cues;
}

/** Removes tags of fonts and positions such as `{\an8}`. */
function withoutFormatting(text: string): string {
  let plain = "";
  for (const part of splitMarkup(text, (beginning) => FORMATTING.test(beginning))) {
    if ("text" in part) plain += part.text;
  }
  return tidyLines(plain.replace(/\{\\[^{}]{0,200}\}/g, ""));
}

/** Writes cues in the order of their start, with `Speaker: ` before the text of a named voice. */
export function writeSrt(cues: Cue[]): string {
  return toOrderedCues(cues).map(({ startMs, endMs, voices }, i) => {
    const text = voices.map(({ speaker, text }) => speaker ? `${speaker}: ${text}` : text).filter(Boolean);
    return [`${i + 1}`, `${formatTime(startMs, ",")} --> ${formatTime(endMs, ",")}`, ...text.map(withoutArrows), ""]
      .join("\n");
  }).join("\n");
}

/** Players read a line with an arrow as the times of the next cue. */
const withoutArrows = (text: string) => text.replaceAll("-->", "->");
