/** Whether an event can touch the window, by its text: most events of an old calendar are dropped here. */
import { type Component, type Lines, valueOf } from "./components.ts";
import type { Span } from "./event_times.ts";
import { DAY, dayNumber } from "./local_time.ts";
import { parseLength } from "./property_values.ts";

/** Zones differ by up to 26 hours. */
const ZONE_DAYS = 2;
/** A series that was changed with all later occurrences moves them: by less than this, if it is to be seen. */
const MOVED_DAYS = 60;

export function createEventFilter({ start, end }: Span): (component: Component) => boolean {
  const first = Math.floor(start / DAY) - ZONE_DAYS, last = Math.ceil(end / DAY) + ZONE_DAYS;
  const touches = (from: number, to: number) => to >= first && from <= last;

  return ({ name, lines, isIncomplete }) => {
    if (name !== "VEVENT" || isIncomplete || lines.has("RDATE")) return true;
    const from = dayIn(lines, "DTSTART");
    if (from === undefined) return true;
    const to = from + daysOf(lines, from);
    if (lines.has("RRULE")) return touches(from - MOVED_DAYS, lastDayOf(lines.get("RRULE")!) + to - from + MOVED_DAYS);
    if (!lines.has("RECURRENCE-ID")) return touches(from, to);
    const replaced = dayIn(lines, "RECURRENCE-ID");
    if (replaced === undefined || /RANGE/i.test(lines.get("RECURRENCE-ID")![0])) return true;
    return touches(from, to) || touches(replaced - MOVED_DAYS, replaced + MOVED_DAYS);
  };
}

const dayIn = (lines: Lines, property: string) => {
  const [line = ""] = lines.get(property) ?? [];
  return dayAt(line, line.lastIndexOf(":") + 1, line.length);
};

const [T, LOWER_T, DIGIT] = [84, 116, 48];

/** The number of the day of a date or time that is a part of a text: without a pattern, because histories have many. */
function dayAt(text: string, start: number, end: number): number | undefined {
  const length = end - start, separator = text.charCodeAt(start + 8);
  if (length !== 8 && !((length === 15 || length === 16) && (separator === T || separator === LOWER_T))) return;
  const [year, month, day] = [numberAt(text, start, 4), numberAt(text, start + 4, 2), numberAt(text, start + 6, 2)];
  if (!(year >= 1000 && month >= 1 && month <= 12 && day >= 1)) return;
  const number = dayNumber(year, month, day);
  return day <= 28 || number < dayNumber(year, month + 1, 1) ? number : undefined;
}

/** NaN for other characters than digits. */
function numberAt(text: string, start: number, length: number): number {
  let number = 0;
  for (let at = start; at < start + length; at++) {
    const digit = text.charCodeAt(at) - DIGIT;
    if (!(digit >= 0 && digit <= 9)) return NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** After how many days an event ends; Infinity if that is not known. */
function daysOf(lines: Lines, from: number): number {
  if (lines.has("DTEND")) {
    const to = dayIn(lines, "DTEND");
    return to !== undefined && to >= from ? to - from : Infinity;
  }
  if (!lines.has("DURATION")) return 1;
  try {
    const { nominal, exact } = parseLength(valueOf(lines, "DURATION"));
    return Math.ceil((nominal + exact) / DAY);
  } catch {
    return Infinity;
  }
}

/** The last day that rules can have; Infinity if one has no UNTIL that is a date. */
function lastDayOf(rules: string[]): number {
  return Math.max(...rules.map((rule) => {
    const [only, ...others] = rule.matchAll(/(?<=[:;])UNTIL=([^;]*)/gi);
    return only && !others.length ? dayAt(only[1], 0, only[1].length) ?? Infinity : Infinity;
  }));
}
