/**
 * JSON transcripts of the podcast namespace:
 * https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/transcripts/transcripts.md
 */
import { type Cue, orderCues, rejectTooManyCues, tidyLines } from "./cue.ts";
import { elementError, isObject, linesOfElements, parseListFile } from "./json_file.ts";
import { LineError } from "./lines.ts";
import { Repairs } from "./repairs.ts";

const MAX_SECONDS = 1_000_000;
const isTime = (value: unknown): value is number => typeof value === "number" && value >= 0 && value < MAX_SECONDS;

/** Parses a file, and repairs what can be understood. Throws a LineError. */
export function parseJsonTranscript(text: string, repairs = new Repairs()): Cue[] {
  const { file, elements } = parseListFile(text, "segments");
  if (elements.length === 0) throw new LineError(1, "expected at least one segment");
  let lines: number[] | undefined, firstError: LineError | undefined;
  const lineOf = (index: number) => (lines ??= linesOfElements(text, "segments"))[index];
  const cues: (Omit<Cue, "endMs"> & { endMs?: number; index: number })[] = [];
  for (const [index, element] of elements.entries()) {
    const { startTime, endTime, body, speaker, isChanged } = readSegment(element);
    if (!isTime(startTime) || typeof body !== "string") {
      repairs.add("CUE_DROPPED", lineOf(index));
      firstError ??= elementError(lineOf(index), "segments", index, segmentProblem(element, startTime));
      continue;
    }
    rejectTooManyCues(cues, 1);
    if (isChanged) repairs.add("MEMBER_NONSTANDARD", lineOf(index));
    cues.push({
      startMs: Math.round(startTime * 1000),
      endMs: endTime === undefined ? undefined : Math.round(endTime * 1000),
      voices: [{ ...speaker && { speaker }, text: tidyLines(body) }],
      index,
    });
  }
  if (cues.length === 0) throw firstError!;
  if (typeof file.version !== "string") repairs.add("MEMBER_NONSTANDARD", 1);
  return orderCues(cues, ({ index }) => lineOf(index), repairs)
    .map(({ startMs, endMs, voices }) => ({ startMs, endMs, voices }));
}

/** The values of a segment. Programs such as Whisper use other names, or write numbers as text. */
function readSegment(element: unknown) {
  const segment = isObject(element) ? element : {}, { start, end, text, startTime, endTime, body, speaker } = segment;
  const endSeconds = toNumber(endTime ?? end);
  const read = {
    startTime: toNumber(startTime ?? start),
    endTime: isTime(endSeconds) ? endSeconds : undefined,
    body: body ?? text,
    speaker: typeof speaker === "number" || typeof speaker === "string" ? `${speaker}` : undefined,
  };
  const isChanged = Object.entries(read).some(([name, value]) => value !== (segment[name] ?? undefined));
  return { ...read, isChanged, speaker: read.speaker?.replace(/\s+/g, " ").trim() };
}

const toNumber = (value: unknown) =>
  typeof value === "string" && /^\d{1,6}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;

function segmentProblem(segment: unknown, startTime: unknown): string {
  if (!isObject(segment)) return ": expected an object";
  return isTime(startTime) ? ".body: expected text" : ".startTime: expected seconds, from 0";
}

/** Writes a segment per voice. */
export function writeJsonTranscript(cues: Cue[]): string {
  const segments = cues.flatMap(({ startMs, endMs, voices }) =>
    voices.map(({ speaker, text }) => ({ speaker, startTime: startMs / 1000, endTime: endMs / 1000, body: text }))
  );
  return JSON.stringify({ version: "1.0.0", segments });
}
