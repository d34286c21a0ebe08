/** WebVTT: https://www.w3.org/TR/webvtt1/ */
import { decodeEntities } from "../../text/plain_text.ts";
import {
  type Cue,
  formatTime,
  parseTime,
  rejectTooManyCues,
  splitMarkup,
  tidyLines,
  toOrderedCues,
  type Voice,
} from "./cue.ts";
import { LineError, Lines } from "./lines.ts";

export const VTT_SIGNATURE = /^WEBVTT(?:[ \t\r\n]|$)/;
const TIME = "((?:\\d{2,4}:)?[0-5]\\d:[0-5]\\d\\.\\d{3})";
const TIMING = new RegExp(`^${TIME}[ \\t]+-->[ \\t]+${TIME}(?:[ \\t]+(.*))?$`);
const SETTING = new RegExp(
  "^(?:vertical:(?:rl|lr)|line:-?\\d{1,9}(?:\\.\\d{1,9})?%?(?:,(?:start|center|end))?|" +
    "position:\\d{1,9}(?:\\.\\d{1,9})?%(?:,(?:line-left|center|line-right))?|size:\\d{1,9}(?:\\.\\d{1,9})?%|" +
    "align:(?:start|center|end|left|right|middle)|region:.+)$",
);

/** Parses and validates a file. Throws a LineError. */
export function parseVtt(text: string): Cue[] {
  const lines = new Lines(text), cues: Cue[] = [];
  if (!VTT_SIGNATURE.test(lines.next()!)) throw new LineError(1, "expected WEBVTT");
  let line = lines.next();
  while (line && !line.includes("-->")) line = lines.next(); // metadata of the header
  for (;;) {
    while (line === "") line = lines.next();
    if (line === undefined) return cues;
    const block = /^(?:NOTE(?=[ \t]|$)|(?:STYLE|REGION)(?=[ \t]*$))/.exec(line)?.[0];
    if (block) {
      if (block !== "NOTE" && cues.length > 0) {
        throw new LineError(lines.number, `expected ${block} before the first cue`);
      }
      line = skipBlock(lines, block);
      continue;
    }
    rejectTooManyCues(cues, lines.number);
    if (!line.includes("-->")) line = lines.next(); // an identifier
    const timing = parseTiming(line, lines.number, cues.at(-1)?.startMs ?? 0);
    const payload: string[] = [];
    for (line = lines.next(); line; line = lines.next()) {
      if (line.includes("-->")) throw new LineError(lines.number, "expected an empty line before the next cue");
      payload.push(line);
    }
    cues.push({ ...timing, voices: parseVoices(payload.join("\n")) });
  }
}

function skipBlock(lines: Lines, block: string): string | undefined {
  let line = lines.next();
  for (; line; line = lines.next()) {
    if (line.includes("-->")) throw new LineError(lines.number, `expected an empty line after ${block}`);
  }
  return line;
}

function parseTiming(line: string | undefined, number: number, minStartMs: number) {
  const [, start, end, settings] = TIMING.exec(line ?? "") ?? [];
  if (!start) throw new LineError(number, "expected the times of a cue, such as 00:00:01.000 --> 00:00:04.000");
  const startMs = parseTime(start), endMs = parseTime(end);
  if (endMs <= startMs) throw new LineError(number, "expected a cue to end after its start");
  if (startMs < minStartMs) throw new LineError(number, "expected a cue not to start before the previous one");
  for (const setting of settings?.split(/[ \t]+/) ?? []) {
    if (setting && !SETTING.test(setting)) {
      throw new LineError(number, `expected a cue setting such as align:start, not ${setting.slice(0, 50)}`);
    }
  }
  return { startMs, endMs };
}

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

/** Writes cues in the order of their start. */
export function writeVtt(cues: Cue[]): string {
  const blocks = toOrderedCues(cues).map(({ startMs, endMs, voices }) => {
    const spans = voices.map(({ speaker, text }) =>
      speaker ? `<v ${escape(speaker)}>${escape(text)}${voices.length > 1 ? "</v>" : ""}` : escape(text)
    );
    return [`${formatTime(startMs, ".")} --> ${formatTime(endMs, ".")}`, ...spans.filter(Boolean)].join("\n");
  });
  return ["WEBVTT", ...blocks].join("\n\n") + "\n";
}

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
