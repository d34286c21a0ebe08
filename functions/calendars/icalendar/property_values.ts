/** The values of iCalendar properties, which ical.js reads: times, durations, periods and recurrence rules. */
import { DAY, dayNumber } from "./local_time.ts";
import type { Spend } from "./budget.ts";
import type { RuleParts } from "./recurrence_rule.ts";

export interface Property {
  params: Record<string, string | string[] | undefined>;
  values: unknown[];
}

/** ical.js, a fifth of a megabyte that is loaded with the first calendar. What it reads costs steps of a budget. */
export interface ValueReader {
  /** Throws for a line that is not a property. */
  property(line: string): Property;
  length(value: unknown): Length;
}

export async function loadValueReader(spend: Spend): Promise<ValueReader> {
  const { default: ical } = await import("ical.js");
  return {
    property(line) {
      spend(20 + (line.length >> 1));
      const [, params, , ...values] = ical.parse.property(line);
      return { params, values };
    },
    length(value) {
      const { weeks, days, hours, minutes, seconds, isNegative } = ical.Duration.fromString(String(value).trim());
      const length = { nominal: (weeks * 7 + days) * DAY, exact: hours * 3600 + minutes * 60 + seconds };
      const sum = length.nominal + length.exact;
      if (isNegative && sum || !(sum <= MAX_DAYS * DAY)) throw new RangeError(`${value} is not an event's duration`);
      return length;
    },
  };
}

/** A date, or a time on the clock of a zone that its property names. */
export interface WrittenTime {
  /** Seconds (local_time.ts). */
  local: number;
  isDate: boolean;
  isUtc: boolean;
}

/** As in jCal (RFC 7265). ical.js adds an empty time to a date that claims to be a time. */
const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(?:::|(\d\d):(\d\d):(\d\d)(Z?)))?$/;

export function parseTime(value: unknown): WrittenTime {
  const [, year, month, day, hour, minute, second, zulu] = TIME.exec(String(value)) ?? [];
  const [y, m, d] = [year, month, day].map(Number);
  const number = dayNumber(y, m, d);
  const isReal = y >= 1000 && m >= 1 && m <= 12 && d >= 1 && number < dayNumber(y, m + 1, 1);
  const [h, min, s] = [hour ?? 0, minute ?? 0, second ?? 0].map(Number);
  if (!isReal || h > 23 || min > 59 || s > 60) throw new RangeError(`${value} is not a time`);
  return {
    local: number * DAY + h * 3600 + min * 60 + Math.min(s, 59),
    isDate: hour === undefined,
    isUtc: zulu === "Z",
  };
}

/** Days keep the local time, seconds are exact: across a change of clocks they differ (RFC 5545, 3.3.6). */
export interface Length {
  nominal: number;
  exact: number;
}

/** Beyond, end dates could not be represented. */
const MAX_DAYS = 100_000;

/** The parts of a rule, and what UNTIL says. */
export function parseRule({ values: [value] }: Property): { parts: RuleParts; until?: WrittenTime } {
  const parts = value as RuleParts;
  return { parts, until: parts.until === undefined ? undefined : parseTime(parts.until) };
}
