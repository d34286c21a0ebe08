/** WebVTT: https://www.w3.org/TR/webvtt1/ */
import { decodeEntities } from "../../text/plain_text.ts";
import { type Cue, formatTime, orderCues, splitMarkup, tidyLines, type Voice } from "./cue.ts";
import { LineError, Lines } from "./lines.ts";
import { Repairs } from "./repairs.ts";
import { arrowsOf, isCueNumber, readTimedLines, type TimedLines } from "./timed_lines.ts";

export const VTT_SIGNATURE = /^WEBVTT(?:[ \t\r\n]|$)/;
const TIME = "(?:\\d{2,4}:)?[0-5]\\d:[0-5]\\d\\.\\d{3}";
const TIMING = new RegExp(`^${TIME}[ \\t]+-->[ \\t]+${TIME}(?:[ \\t].*)?$`);
const PERCENT = "(?:100(?:\\.0{1,9})?|\\d{1,2}(?:\\.\\d{1,9})?)%";
const SETTING = new RegExp(
  `^(?:vertical:(?:rl|lr)|line:(?:${PERCENT}|-?\\d{1,9})(?:,(?:start|center|end))?|` +
    `position:${PERCENT}(?:,(?:line-left|center|line-right))?|size:${PERCENT}|` +
    "align:(?:start|center|end|left|right)|region:.+)$",
);
const BLOCK = /^(?:NOTE(?=[ \t]|$)|(?:STYLE|REGION)(?=[ \t]*$))/;

/** A file with its markup. */
interface VttFile {
  /** Its first line and metadata. */
  header: string[];
  /** Comments, styles and regions. */
  blocks: string[][];
  cues: TimedLines[];
}

/** Reads a file, and repairs what players accept or skip. Throws a LineError. */
export function readVtt(text: string, repairs: Repairs): VttFile {
  const lines = new Lines(text), arrows = arrowsOf(text), { isArrow } = arrows, blocks: string[][] = [];
  const { header, line } = readHeader(lines, isArrow, repairs);

  /** Reads comments, styles and regions. */
  function readBlock(first: string, cueCount: number) {
    const kind = isArrow(first) ? undefined : BLOCK.exec(first)?.[0];
    if (!kind) return;
    if (kind !== "NOTE" && cueCount > 0) repairs.add("STYLE_MISPLACED", lines.number);
    const block = [first];
    let line = lines.next();
    for (; line && !isArrow(line); line = lines.next()) block.push(line);
    if (line) repairs.add("EMPTY_LINE_MISPLACED", lines.number);
    blocks.push(block);
    return { endedBy: line };
  }

  function readTimes(line: string, number: number) {
    const times = arrows.readTimes(line);
    if (times === undefined && isArrow(line)) repairs.add("ARROW_UNESCAPED", number);
    if (!times) return times;
    if (!TIMING.test(line)) repairs.add("TIME_NONSTANDARD", number);
    const settings = times.settings.split(/\s+/).filter(Boolean), known = settings.filter((one) => SETTING.test(one));
    if (known.length < settings.length) repairs.add("CUE_SETTING_UNKNOWN", number);
    return { ...times, settings: known.join(" ") };
  }

  const cues = readTimedLines(lines, line, {
    isEmpty: (line) => line === "",
    isId: (last, previousId) =>
      last.isFirst && !last.isBeforeEmpty && !isArrow(last.line) || isCueNumber(last, previousId),
    readTimes,
    readBlock,
  }, repairs);
  if (cues.length === 0) {
    const dropped = repairs.firstLine("CUE_DROPPED");
    if (!/^webvtt/i.test(text.trimStart())) throw new LineError(1, "expected WEBVTT");
    if (dropped) throw new LineError(dropped, "expected the times of a cue, such as 00:00:01.000 --> 00:00:04.000");
  }
  return { header, blocks, cues: orderCues(cues, ({ line }) => line, repairs) };
}

/** Reads the first line and metadata, and returns the line after them. */
function readHeader(lines: Lines, isArrow: (line: string) => boolean, repairs: Repairs) {
  let line = lines.next();
  const isValid = VTT_SIGNATURE.test(line!);
  while (line?.trim() === "") line = lines.next();
  if (!isValid) repairs.add("HEADER_MISSING", 1);
  const [, after] = /^\s*webvtt(.*)$/i.exec(line ?? "") ?? [];
  if (after === undefined) return { header: ["WEBVTT"], line };
  const header = [isValid ? line! : `WEBVTT ${after.trim()}`.trim()];
  for (line = lines.next(); line && !isArrow(line); line = lines.next()) header.push(line);
  return { header, line };
}

/** Parses a file. Throws a LineError. */
export const parseVtt = (text: string, repairs = new Repairs()): Cue[] =>
  readVtt(text, repairs).cues.map(({ startMs, endMs, text }) => ({
    startMs,
    endMs,
    voices: parseVoices(text.join("\n")),
  }));

/** The text of a cue by voice spans; other tags are left out. A `<` that begins no tag is text. */
function parseVoices(payload: string): Voice[] {
  const voices: Voice[] = [];
  let speaker: string | undefined, text = "";
  function endVoice() {
    const tidied = tidyLines(text);
    if (tidied) voices.push({ ...speaker && { speaker }, text: tidied });
    text = "";
  }
  for (const part of splitMarkup(payload, (beginning) => /^(?:\/?[a-z]|\d)/.test(beginning))) {
    if ("text" in part) {
      text += decodeEntities(part.text);
    } else if (/^\/?v(?![a-z])/.test(part.tag)) {
      endVoice();
      speaker = decodeEntities(/^v[^ \t\n]*[ \t\n]([^]*)$/.exec(part.tag)?.[1] ?? "").replace(/\s+/g, " ").trim();
    }
  }
  endVoice();
  return voices.length > 0 ? voices : [{ ...speaker && { speaker }, text: "" }];
}

/** Writes cues. */
export const writeVtt = (cues: Cue[]): string =>
  formatVtt({
    header: ["WEBVTT"],
    blocks: [],
    cues: cues.map(({ startMs, endMs, voices }) => {
      const spans = voices.map(({ speaker, text }) =>
        speaker ? `<v ${escape(speaker)}>${escape(text)}${voices.length > 1 ? "</v>" : ""}` : escape(text)
      );
      return { startMs, endMs, settings: "", text: spans.filter(Boolean) };
    }),
  });

/** Writes a file with its markup. Comments precede the cues, as styles must. */
export function formatVtt({ header, blocks, cues }: Omit<VttFile, "cues"> & { cues: Omit<TimedLines, "line">[] }) {
  const formatted = cues.map(({ id, startMs, endMs, settings, text }) => {
    const times = `${formatTime(startMs, ".")} --> ${formatTime(endMs, ".")}`;
    return [...id === undefined ? [] : [id], settings ? `${times} ${settings}` : times, ...text.map(escapeArrows)];
  });
  return [header, ...blocks, ...formatted].map((lines) => lines.join("\n")).join("\n\n") + "\n";
}

const escapeArrows = (line: string) => line.replaceAll("-->", "--&gt;");
const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
