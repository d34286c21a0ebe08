/**
 * Plain text whose paragraphs have times and names, as Descript, Otter, Rev and Riverside export it. It becomes WebVTT:
 * `Ana  0:03`, `Ana (00:01:02):`, `[00:01:02] Ana: Hello`, or a time alone above its text.
 */
import { type Cue, orderCues, parseTime, rejectTooManyCues, tidyLines } from "./cue.ts";
import { Lines } from "./lines.ts";
import type { Repairs } from "./repairs.ts";
import { NAME, splitSpeaker } from "./speakers.ts";

const TIME = "(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:[.,]\\d{1,3})?";
const TIME_FIRST = new RegExp(`^[\\[(]?(${TIME})(?:\\s?(?:-|–|-->)\\s?${TIME})?[\\])]?(?:$|[\\s:–-]+(.*)$)`);
const NAME_THEN_BRACKETS = new RegExp(`^(${NAME}?):?\\*{0,2}\\s*[\\[(](${TIME})[\\])](?:$|:\\s*(.*)$)`);
const NAME_THEN_TIME = new RegExp(`^(${NAME}?)(:?\\s+|[ \\t]*\\t[ \\t]*)(${TIME})$`);
const BRACKETS_AFTER_COLON = new RegExp(`^(${NAME}?):\\*{0,2}\\s*[\\[(](${TIME})[\\])]\\s*(.*)$`);

/** Exports may begin with a title. */
const MAX_TITLE_LINES = 10;
/** How far apart the first two lines with times can be. */
const MAX_PARAGRAPH_LINES = 200;

interface Heading {
  startMs: number;
  speaker?: string;
  text: string;
}

/** The time and name of a paragraph's first line. */
function readHeading(untrimmed: string): Heading | undefined {
  const line = untrimmed.trim();
  if (!/\d:\d\d/.test(line.slice(0, 80))) return;
  const [, time, rest = ""] = TIME_FIRST.exec(line) ?? [];
  if (time) return { startMs: parseTime(time), text: rest, ...splitSpeaker(rest) };
  const [, name, bracketed, text = ""] = BRACKETS_AFTER_COLON.exec(line) ?? NAME_THEN_BRACKETS.exec(line) ?? [];
  if (name) return { startMs: parseTime(bracketed), speaker: toName(name), text };
  const [, before, gap, end] = NAME_THEN_TIME.exec(line) ?? [];
  // in a sentence such as `We left at 10:30` one space precedes the time, and words are in lower case
  const isName = before &&
    (/:|\t|\s{2}/.test(gap) || before.split(/\s+/).every((word) => /^[\p{Lu}\p{Lo}\d]/u.test(word)));
  if (isName) return { startMs: parseTime(end), speaker: toName(before), text: "" };
}

const toName = (name: string) => name.replace(/^\*+|[\s*,–-]+$/g, "").replace(/\s+/g, " ");

/** Whether a text begins with paragraphs that have times in order. */
export function isTimedText(text: string): boolean {
  const lines = new Lines(text);
  let first: Heading | undefined, left = MAX_TITLE_LINES;
  for (let line = lines.next(); line !== undefined && left > 0; line = lines.next()) {
    if (!line.trim()) continue;
    const heading = readHeading(line);
    if (first && heading) return heading.startMs >= first.startMs;
    left = heading ? MAX_PARAGRAPH_LINES : left - 1;
    first ??= heading;
  }
  return false;
}

/** Parses a text that has times. */
export function parseTimedText(text: string, repairs: Repairs): Cue[] {
  const lines = new Lines(text), paragraphs: (Heading & { line: number; lines: string[] })[] = [];
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (!line.trim()) continue;
    const heading = readHeading(line), last = paragraphs.at(-1);
    if (heading) {
      rejectTooManyCues(paragraphs, lines.number);
      paragraphs.push({ ...heading, line: lines.number, lines: heading.text ? [heading.text] : [] });
    } else if (last) last.lines.push(line);
    else repairs.add("CUE_DROPPED", lines.number);
  }
  return orderCues(paragraphs, ({ line }) => line, repairs).map(({ startMs, endMs, speaker, lines }) => ({
    startMs,
    endMs,
    voices: [{ ...speaker && { speaker }, text: tidyLines(lines.join("\n")) }],
  }));
}
