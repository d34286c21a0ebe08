/**
 * JSON transcripts of the podcast namespace:
 * https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/transcripts/transcripts.md
 */
import { type Cue, rejectTooManyCues, tidyLines, toOrderedCues } from "./cue.ts";
import { elementError, isObject, parseListFile } from "./json_file.ts";
import { LineError } from "./lines.ts";

interface Segment {
  speaker?: string | null;
  startTime: number;
  endTime?: number | null;
  body: string;
}

const MAX_SECONDS = 1_000_000;
const isTime = (value: unknown): value is number => typeof value === "number" && value >= 0 && value < MAX_SECONDS;
const isAbsent = (value: unknown) => value === undefined || value === null;

/** Of a last segment without an end: long enough to be read. */
const LAST_SEGMENT_SECONDS = 5;

/** Parses and validates a file. A segment without an end ends when the next one starts. Throws a LineError. */
export function parseJsonTranscript(text: string): Cue[] {
  const { file, elements } = parseListFile(text, "segments");
  if (typeof file.version !== "string") throw new LineError(1, "expected version, such as 1.0.0");
  if (elements.length === 0) throw new LineError(1, "expected at least one segment");
  const cues: Cue[] = [];
  for (const [i, segment] of elements.entries()) {
    const problem = segmentProblem(segment);
    if (problem) throw elementError(text, "segments", i, problem);
    rejectTooManyCues(cues, 1);
    const { speaker, startTime, endTime, body } = segment as Segment;
    const startMs = Math.round(startTime * 1000);
    const isLast = i === elements.length - 1;
    const end = endTime ?? (isLast ? startTime + LAST_SEGMENT_SECONDS : (elements[i + 1] as Segment | null)?.startTime);
    const name = speaker?.replace(/\s+/g, " ").trim();
    cues.push({
      startMs,
      endMs: Math.max(startMs, isTime(end) ? Math.round(end * 1000) : 0),
      voices: [{ ...name && { speaker: name }, text: tidyLines(body) }],
    });
  }
  return cues;
}

function segmentProblem(segment: unknown): string | undefined {
  if (!isObject(segment)) return ": expected an object";
  const { speaker, startTime, endTime, body } = segment;
  if (!isTime(startTime)) return ".startTime: expected seconds, from 0";
  if (!isAbsent(endTime) && !(isTime(endTime) && endTime as number >= (startTime as number))) {
    return ".endTime: expected seconds, not before startTime";
  }
  if (typeof body !== "string") return ".body: expected text";
  if (!isAbsent(speaker) && typeof speaker !== "string") return ".speaker: expected text";
}

/** Writes cues in the order of their start, a segment per voice. */
export function writeJsonTranscript(cues: Cue[]): string {
  const segments = toOrderedCues(cues).flatMap(({ startMs, endMs, voices }) =>
    voices.map(({ speaker, text }) => ({ speaker, startTime: startMs / 1000, endTime: endMs / 1000, body: text }))
  );
  return JSON.stringify({ version: "1.0.0", segments });
}
