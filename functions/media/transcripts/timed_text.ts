/**
 * Plain text whose paragraphs have times and names, as Descript, Otter, Rev and Riverside export it. It becomes WebVTT:
 * `Ana  0:03`, `Ana (00:01:02):`, `[00:01:02] Ana: Hello`, or a time alone above its text.
 */
import { type Cue, orderCues, parseTime, rejectTooManyCues, tidyLines } from "./cue.ts";
import { Lines } from "./lines.ts";
import type { Repairs } from "./repairs.ts";
import { findSpeakers, NAME, splitSpeaker } from "./speakers.ts";

const TIME = "(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:[.,]\\d{1,3})?";
const TIME_FIRST = new RegExp(`^([\\[(]?)(${TIME})(?:\\s?(?:-|–|-->)\\s?${TIME})?[\\])]?(?:$|[\\s:–-]+(.*)$)`);
const NAME_THEN_BRACKETS = new RegExp(`^(${NAME}?)\\s*([\\[(])(${TIME})[\\])](?:$|:\\s*(.*)$)`);
const NAME_THEN_TIME = new RegExp(`^(${NAME}?)(\\s+)(${TIME})$`);
const NAME_COLON_TIME = new RegExp(`^(${NAME}?):\\*{0,2}(?:\\s+|(?=[\\[(]))([\\[(]?)(${TIME})[\\])]?(?:$|\\s+(.*)$)`);

/** The lines that decide, how many of them may precede the first time, and how many can follow a time. */
const DECIDING_LINES = 200, MAX_TITLE_LINES = 10, MAX_LINES_PER_TIME = 20;

interface Heading {
  startMs: number;
  speaker?: string;
  text: string;
}

interface Paragraph extends Heading {
  /** The number of its first line. */
  line: number;
  lines: string[];
}

/** How a line gives its time. All headings of a text do it in one way; other times are part of sentences. */
type Form = string;

/** The time and name of a paragraph's first line. */
function readHeading(untrimmed: string): Heading & { form: Form } | undefined {
  const line = untrimmed.trim();
  if (!/\d:\d\d/.test(line.slice(0, 80))) return;
  const [, opening, time, rest = ""] = TIME_FIRST.exec(line) ?? [];
  if (time) return { startMs: parseTime(time), text: rest, ...splitSpeaker(rest), form: `${opening}time` };
  for (const pattern of [NAME_COLON_TIME, NAME_THEN_BRACKETS]) {
    const [, name, opening, time, text = ""] = pattern.exec(line) ?? [];
    const form = `${pattern === NAME_COLON_TIME ? "name:" : "name"}${opening}time`;
    if (name) return { startMs: parseTime(time), speaker: toName(name), text, form };
  }
  const [, name, gap, end] = NAME_THEN_TIME.exec(line) ?? [];
  // in a sentence such as `We left at 10:30` one space precedes the time, and words are in lower case
  const isName = name && (/\t|\s{2}/.test(gap) || name.split(/\s+/).every((word) => /^[\p{Lu}\p{Lo}\d]/u.test(word)));
  if (isName) return { startMs: parseTime(end), speaker: toName(name), text: "", form: "name time" };
}

const toName = (name: string) => name.replace(/^\*+|[\s*,–-]+$/g, "").replace(/\s+/g, " ");

/** The form of a text whose beginning has times in order, often enough to be no part of its sentences. */
function findForm(text: string): Form | undefined {
  const lines = new Lines(text);
  let form: Form | undefined, read = 0, headings = 0, latestMs = 0;
  for (let line = lines.next(); line !== undefined && read < DECIDING_LINES; line = lines.next()) {
    if (!line.trim()) continue;
    const heading = readHeading(line);
    form ??= heading?.form;
    if (++read === MAX_TITLE_LINES && !form) return;
    if (!heading || heading.form !== form) continue;
    if (heading.startMs < latestMs) return;
    latestMs = heading.startMs;
    headings++;
  }
  if (headings > 1 && read <= MAX_LINES_PER_TIME * headings) return form;
}

export const isTimedText = (text: string) => findForm(text) !== undefined;

/** Parses a text that has times. What precedes the first one, such as a title, begins at 0. */
export function parseTimedText(text: string, repairs: Repairs): Cue[] {
  const lines = new Lines(text), form = findForm(text), paragraphs: Paragraph[] = [];
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (!line.trim()) continue;
    const heading = readHeading(line), last = paragraphs.at(-1);
    if (heading?.form === form || !last) {
      const { startMs, speaker, text } = heading?.form === form ? heading! : { startMs: 0, text: line };
      rejectTooManyCues(paragraphs, lines.number);
      paragraphs.push({ startMs, speaker, text, line: lines.number, lines: text ? [text] : [] });
    } else last.lines.push(line);
  }
  // `[0:03] Ana` above a text: a name that occurs again
  const isAbove = ({ text, speaker, lines }: Paragraph) => text && !speaker && lines.length > 1;
  const names = findSpeakers(paragraphs.filter(isAbove).map(({ text }) => `${text}:`));
  for (const paragraph of paragraphs) {
    const name = isAbove(paragraph) && splitSpeaker(`${paragraph.text}:`)?.speaker;
    if (!name || !names.has(name)) continue;
    paragraph.speaker = name;
    paragraph.lines.shift();
  }
  return orderCues(paragraphs, ({ line }) => line, repairs).map(({ startMs, endMs, speaker, lines }) => ({
    startMs,
    endMs,
    voices: [{ ...speaker && { speaker }, text: tidyLines(lines.join("\n")) }],
  }));
}
