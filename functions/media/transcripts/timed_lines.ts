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

/** The last line before a line of times. */
interface LastLine {
  line: string;
  /** It begins a block: an empty line precedes it. */
  isFirst: boolean;
  /** An empty line follows it. */
  isBeforeEmpty: boolean;
}

interface LineFormat {
  isEmpty: (line: string) => boolean;
  /** The times in a line; null if it is meant to have some but is unreadable, undefined for any other line. */
  readTimes: (line: string, number: number) => Times & { settings: string } | null | undefined;
  /** Whether the line before a line of times identifies the cue. */
  isId: (line: LastLine, previousId: string | undefined) => boolean;
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
export const isCueNumber: LineFormat["isId"] = ({ line, isFirst, isBeforeEmpty }, previousId) =>
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
  let isAfterEmpty = true;
  let text = new TextLines();

  function endText() {
    if (cue) {
      if (text.innerLine) repairs.add("EMPTY_LINE_MISPLACED", text.innerLine);
      cue.text = text.lines;
    } else if (cue === undefined && text.visibleLine) repairs.add("CUE_DROPPED", text.visibleLine);
    text = new TextLines();
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
    if (times === undefined) text.add(line, number, isAfterEmpty);
    else {
      const last = text.last(isAfterEmpty), id = last && isId(last, cue?.id) ? last : undefined;
      if (id) text.removeLast();
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

/** The lines since the last times. There can be millions, so that only the last one is described. */
class TextLines {
  lines: string[] = [];
  /** The number of the first line that follows an empty one. */
  innerLine?: number;
  /** The number of the first line that is not blank. */
  visibleLine?: number;
  #number = 0;
  #isFirst = false;

  add(line: string, number: number, isAfterEmpty: boolean): void {
    if (isAfterEmpty) this.innerLine ??= number;
    if (line.trim()) this.visibleLine ??= number;
    [this.#number, this.#isFirst] = [number, isAfterEmpty];
    this.lines.push(line);
  }

  last(isBeforeEmpty: boolean): LastLine | undefined {
    const line = this.lines.at(-1);
    return line === undefined ? undefined : { line, isFirst: this.#isFirst, isBeforeEmpty };
  }

  removeLast(): void {
    this.lines.pop();
    if (this.innerLine === this.#number) this.innerLine = undefined;
    if (this.visibleLine === this.#number) this.visibleLine = undefined;
  }
}
