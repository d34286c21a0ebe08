/** A recurrence rule (RFC 5545, 3.3.10), checked and complete: what the rule leaves out follows from the first start. */
import { civilDate, DAY, dayOf, mod, weekdayOf } from "./local_time.ts";

const FREQUENCIES = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** A weekday, 0 is Sunday; the nth of its month or year, from the end if negative, or each with 0. */
export interface RuleWeekday {
  weekday: number;
  nth: number;
}

/** Absent lists do not limit. */
export interface RecurrenceRule {
  frequency: Frequency;
  interval: number;
  count?: number;
  /** The last local time that an occurrence may have. */
  until?: number;
  /** The first day of a week, 0 is Sunday. */
  weekStart: number;
  months?: number[];
  weeks?: number[];
  yearDays?: number[];
  monthDays?: number[];
  weekdays?: RuleWeekday[];
  hours?: number[];
  minutes?: number[];
  seconds?: number[];
  positions?: number[];
}

/** What ical.js reads from a rule: numbers, texts, or lists of them, by the lower case name of the part. */
export type RuleParts = Record<string, unknown>;

const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];

/** Throws RangeError for a rule that has no meaning. `until` is the local time of UNTIL. */
export function completeRule(parts: RuleParts, start: number, until: number | undefined): RecurrenceRule {
  const frequency = FREQUENCIES.find((name) => name === parts.freq);
  if (!frequency) throw new RangeError("no frequency");
  const rule: RecurrenceRule = {
    frequency,
    interval: positive(parts.interval) ?? 1,
    count: positive(parts.count),
    until,
    weekStart: parseWeekStart(parts.wkst),
    months: numbers(parts.bymonth, 1, 12),
    weeks: numbers(parts.byweekno, -53, 53),
    yearDays: numbers(parts.byyearday, -366, 366),
    monthDays: numbers(parts.bymonthday, -31, 31),
    weekdays: list(parts.byday)?.map(parseWeekday),
    hours: numbers(parts.byhour, 0, 23),
    minutes: numbers(parts.byminute, 0, 59),
    seconds: numbers(parts.bysecond, 0, 60)?.map((second) => Math.min(second, 59)),
    positions: numbers(parts.bysetpos, -366, 366),
  };
  addDefaults(rule, start);
  return rule;
}

/** The days and times that the rule does not name are those of the first start. */
function addDefaults(rule: RecurrenceRule, start: number) {
  const rank = FREQUENCIES.indexOf(rule.frequency);
  const { month, day } = civilDate(dayOf(start));
  const weekday = [{ weekday: weekdayOf(dayOf(start)), nth: 0 }];
  if (!rule.yearDays && !rule.monthDays && !rule.weekdays) {
    if (rule.frequency === "WEEKLY" || rule.frequency === "YEARLY" && rule.weeks) rule.weekdays = weekday;
    else if (rank <= FREQUENCIES.indexOf("MONTHLY")) rule.monthDays = [day];
    if (rule.frequency === "YEARLY" && !rule.weeks) rule.months ??= [month];
  }
  const time = mod(start, DAY);
  if (rank < FREQUENCIES.indexOf("HOURLY")) rule.hours ??= [Math.floor(time / 3600)];
  if (rank < FREQUENCIES.indexOf("MINUTELY")) rule.minutes ??= [Math.floor(time / 60) % 60];
  if (rank < FREQUENCIES.indexOf("SECONDLY")) rule.seconds ??= [time % 60];
}

function list(value: unknown): unknown[] | undefined {
  if (value === undefined) return;
  return Array.isArray(value) ? value : [value];
}

function numbers(value: unknown, min: number, max: number): number[] | undefined {
  return list(value)?.map((item) => {
    const number = Number(item);
    if (!Number.isInteger(number) || number < min || number > max || min < 0 && number === 0) {
      throw new RangeError(`${item} is not a number from ${min} to ${max}`);
    }
    return number;
  }).sort((one, other) => one - other);
}

function positive(value: unknown): number | undefined {
  if (value === undefined) return;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) throw new RangeError(`${value} is not a positive number`);
  return number;
}

function parseWeekday(value: unknown): RuleWeekday {
  const [, nth, name] = /^([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/.exec(String(value).toUpperCase()) ?? [];
  if (!name || Number(nth) === 0 || Math.abs(Number(nth ?? 1)) > 53) throw new RangeError(`${value} is not a weekday`);
  return { weekday: WEEKDAYS.indexOf(name), nth: Number(nth ?? 0) };
}

/** ical.js gives a number from 1, Sunday. */
const parseWeekStart = (value: unknown) => typeof value === "number" ? mod(value - 1, 7) : 1;
