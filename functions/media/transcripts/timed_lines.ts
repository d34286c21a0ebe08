/**
 * Files whose cues are lines: a line of times, and lines of text below it. Lines of times separate the cues, so that
 * missing and misplaced empty lines cost nothing.
 */
import { ANY_TIME, parseTime, rejectTooManyCues, type Times } from "./cue.ts";
import type { Lines } from "./lines.ts";
import type { Repairs } from "./repairs.ts";

/** A cue as the file has it. */
export interface TimedLines extends Times {
  /** The number of its line of times. */
  line: number;
  /** The line before its times: an identifier or a number. */
  id?: string;
  /** What follows the times in their line. */
  settings: string;
  /** The lines of its text. None is empty or contains times. */
  text: string[];
}

interface PendingLine {
  line: string;
  number: number;
  /** It begins a block: an empty line precedes it. */
  isFirst: boolean;
}

export interface LineFormat {
  isEmpty: (line: string) => boolean;
  /** The times in a line; null if it is meant to have some but is unreadable, undefined for any other line. */
  readTimes: (line: string, number: number) => Times & { settings: string } | null | undefined;
  /** Whether the line before a line of times identifies the cue. */
  isId: (line: PendingLine, context: { isBeforeEmpty: boolean; previousId: string | undefined }) => boolean;
  /** Reads the rest of a block that has no cue, from its first line, and returns the line that ended it. */
  readBlock?: (line: string, cueCount: number) => { endedBy: string | undefined } | undefined;
}

/** A line with an arrow is meant to have times if it begins like this. */
const LIKE_TIMES = /^\s*(?:-?\d+[:.,]|-->)/;

/**
 * Reads `start --> end` in the lines of this text, however they are written. Word processors replace the arrows, and
 * then all of a text. Settings may follow without a space.
 */
export function arrowsOf(text: string) {
  const arrow = text.includes("-->") ? "-{2,4}>" : "(?:->|→|[–—]>)", isArrow = new RegExp(arrow);
  const pattern = new RegExp(`^\\s*${ANY_TIME}\\s*${arrow}\\s*${ANY_TIME}(?=\\s|$|[a-z]{4,8}:)([^]*)$`);
  return {
    isArrow: (line: string) => isArrow.test(line),
    readTimes(line: string): Times & { settings: string } | null | undefined {
      if (!isArrow.test(line)) return;
      const [, start, end, settings] = pattern.exec(line) ?? [];
      if (start) return { startMs: parseTime(start), endMs: parseTime(end), settings: settings.trim() };
      return LIKE_TIMES.test(line) ? null : undefined;
    },
  };
}

const DIGITS = /^\s*\d{1,10}\s*$/;

/** Whether a line has the number of a cue: it stands alone, or follows that of the previous cue. */
export const isCueNumber: LineFormat["isId"] = ({ line, isFirst }, { isBeforeEmpty, previousId }) =>
  DIGITS.test(line) && (isFirst || !isBeforeEmpty && Number(line) === Number(previousId) + 1);

/** Reads the cues from `line` on, in the order of the file. */
export function readTimedLines(
  lines: Lines,
  line: string | undefined,
  { isEmpty, readTimes, isId, readBlock }: LineFormat,
  repairs: Repairs,
): TimedLines[] {
  const cues: TimedLines[] = [];
  let cue: TimedLines | null | undefined; // null: its times were unreadable
  let pending: PendingLine[] = [], isAfterEmpty = true;

  function endText() {
    if (cue) {
      const inner = pending.find(({ isFirst }) => isFirst);
      if (inner) repairs.add("EMPTY_LINE_MISPLACED", inner.number);
      cue.text = pending.map(({ line }) => line);
    } else if (cue === undefined) {
      const visible = pending.find(({ line }) => line.trim());
      if (visible) repairs.add("CUE_DROPPED", visible.number);
    }
    pending = [];
  }

  while (line !== undefined) {
    if (isEmpty(line)) {
      isAfterEmpty = true;
      line = lines.next();
      continue;
    }
    const block = isAfterEmpty ? readBlock?.(line, cues.length) : undefined;
    if (block) {
      line = block.endedBy;
      continue;
    }
    const number = lines.number, times = readTimes(line, number);
    if (times === undefined) {
      pending.push({ line, number, isFirst: isAfterEmpty });
    } else {
      const previous = pending.at(-1), context = { isBeforeEmpty: isAfterEmpty, previousId: cue?.id };
      const id = previous && isId(previous, context) ? pending.pop() : undefined;
      if (id ? isAfterEmpty || !id.isFirst : !isAfterEmpty) repairs.add("EMPTY_LINE_MISPLACED", number);
      endText();
      if (times) {
        rejectTooManyCues(cues, number);
        cues.push(cue = { ...times, line: number, id: id?.line, text: [] });
      } else {
        repairs.add("CUE_DROPPED", number);
        cue = null;
      }
    }
    isAfterEmpty = false;
    line = lines.next();
  }
  endText();
  return cues;
}
