/** The repairs of an uploaded transcript, with the lines at which they were necessary. */
import type { TranscriptWarningCode } from "../../../types/error_codes.ts";

/** The text of each code. */
export const TRANSCRIPT_WARNINGS: Record<TranscriptWarningCode, string> = {
  ARROW_UNESCAPED: "A text contains an arrow, which separates times; it was escaped",
  CONTROL_CHARACTERS: "NUL characters were removed",
  CUES_UNORDERED: "Cues are not in the order of their start; they were sorted",
  CUE_DROPPED: "Text has no readable times; it was left out",
  CUE_SETTING_UNKNOWN: "A cue setting is not one of WebVTT's; it was left out",
  CUE_TOO_SHORT: "A cue does not end after its start; its end was set a millisecond after the start",
  EMPTY_LINE_MISPLACED: "An empty line is missing between cues, or is inside one; the times of the cues separated them",
  ENCODING_CONVERTED: "The file is UTF-16; it was converted to UTF-8",
  FORMAT_CONVERTED: "The text has times; it was converted to WebVTT",
  HEADER_MISSING: "The first line is not WEBVTT; it was added",
  MEMBER_NONSTANDARD: "A member of the JSON is missing, or has another name or type; it was read by its usual meaning",
  NUMBER_MISSING: "A cue has no number; the cues were numbered again",
  STYLE_MISPLACED: "STYLE or REGION follows a cue; it was moved before the first one",
  TIME_NONSTANDARD: "The times of a cue are not written as the format requires; they were written again",
  TYPE_CORRECTED: "The content is of another type than declared; its own type was used",
};

/** What was repaired, as feeds report it: each code once, with how often, and where first. */
export interface TranscriptWarning {
  code: TranscriptWarningCode;
  message: string;
  count: number;
  /** The first of them, from 1. */
  lines: number[];
}

const MAX_LINES = 20;

/** Collects the repairs of one file. */
export class Repairs {
  #found = new Map<TranscriptWarningCode, TranscriptWarning>();

  add(code: TranscriptWarningCode, line: number): void {
    let warning = this.#found.get(code);
    if (!warning) this.#found.set(code, warning = { code, message: TRANSCRIPT_WARNINGS[code], count: 0, lines: [] });
    warning.count++;
    if (warning.lines.length < MAX_LINES && warning.lines.at(-1) !== line) warning.lines.push(line);
  }

  /** How often anything was repaired. */
  get count(): number {
    return this.list().reduce((sum, { count }) => sum + count, 0);
  }

  /** The first line of a repair. */
  firstLine(code: TranscriptWarningCode): number | undefined {
    return this.#found.get(code)?.lines[0];
  }

  /** In the order of their first occurrence. */
  list(): TranscriptWarning[] {
    return [...this.#found.values()];
  }
}
