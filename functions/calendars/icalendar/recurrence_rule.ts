/** A recurrence rule (RFC 5545, 3.3.10), complete: what the rule leaves out follows from the first start. */
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

const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];

interface RuleContext {
  /** The local time of the first start. */
  start: number;
  /** The last local time that the text of UNTIL includes; throws RangeError. */
  lastOf(until: string): number;
  /** Receives the names of parts that cannot be read. */
  onProblem(part: string): void;
}

/**
 * Reads a rule. A part that cannot be read counts as absent, so the rule has more occurrences rather than fewer: all
 * days of the period if the part names days, and no COUNT or BYSETPOS, which would count other occurrences. A rule
 * without a frequency repeats each week.
 */
export function parseRule(text: string, { start, lastOf, onProblem }: RuleContext): RecurrenceRule {
  const parts = splitRule(text);
  const unreadable = new Set<string>();
  function part<T>(name: string, parse: (value: string) => T): T | undefined {
    const value = parts.get(name);
    if (!value) return; // as programs write a part without a value
    try {
      return parse(value);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      unreadable.add(name);
      onProblem(name);
    }
  }
  const numbers = (name: string, min: number, max: number) => part(name, (value) => parseNumbers(value, min, max));
  const frequency = FREQUENCIES.find((name) => name === parts.get("FREQ"));
  if (!frequency) onProblem("FREQ");
  const rule: RecurrenceRule = {
    frequency: frequency ?? "WEEKLY",
    interval: frequency && part("INTERVAL", parsePositive) || 1,
    count: part("COUNT", parsePositive),
    until: part("UNTIL", lastOf),
    weekStart: part("WKST", parseWeekday)?.weekday ?? 1,
    months: numbers("BYMONTH", 1, 12),
    weeks: numbers("BYWEEKNO", -53, 53),
    yearDays: numbers("BYYEARDAY", -366, 366),
    monthDays: numbers("BYMONTHDAY", -31, 31),
    weekdays: part("BYDAY", (value) => itemsOf(value).map(parseWeekday)),
    hours: numbers("BYHOUR", 0, 23),
    minutes: numbers("BYMINUTE", 0, 59),
    seconds: numbers("BYSECOND", 0, 60)?.map((second) => Math.min(second, 59)),
    positions: numbers("BYSETPOS", -366, 366),
  };
  if (!frequency || LIMITS.some((name) => unreadable.has(name))) rule.count = rule.positions = undefined;
  addDefaults(rule, start, DAY_PARTS.some((name) => unreadable.has(name)));
  return rule;
}

/** Parts by name, in upper case and without spaces. */
function splitRule(text: string): Map<string, string> {
  const parts = text.toUpperCase().replaceAll(/\s+/g, "").split(";").map((part) => part.split("="));
  return new Map(parts.map(([name, value = ""]) => [name, value]));
}

/** Parts that name days, and all that decide which occurrence is the nth. */
const DAY_PARTS = ["BYMONTH", "BYWEEKNO", "BYYEARDAY", "BYMONTHDAY", "BYDAY"];
const LIMITS = [...DAY_PARTS, "INTERVAL", "BYHOUR", "BYMINUTE", "BYSECOND"];

/** The days and times that the rule does not name are those of the first start; days only if `isEachDay` is false. */
function addDefaults(rule: RecurrenceRule, start: number, isEachDay: boolean) {
  const rank = FREQUENCIES.indexOf(rule.frequency);
  const { month, day } = civilDate(dayOf(start));
  const weekday = [{ weekday: weekdayOf(dayOf(start)), nth: 0 }];
  if (!rule.yearDays && !rule.monthDays && !rule.weekdays && !isEachDay) {
    if (rule.frequency === "WEEKLY" || rule.frequency === "YEARLY" && rule.weeks) rule.weekdays = weekday;
    else if (rank <= FREQUENCIES.indexOf("MONTHLY")) rule.monthDays = [day];
    if (rule.frequency === "YEARLY" && !rule.weeks) rule.months ??= [month];
  }
  const time = mod(start, DAY);
  if (rank < FREQUENCIES.indexOf("HOURLY")) rule.hours ??= [Math.floor(time / 3600)];
  if (rank < FREQUENCIES.indexOf("MINUTELY")) rule.minutes ??= [Math.floor(time / 60) % 60];
  if (rank < FREQUENCIES.indexOf("SECONDLY")) rule.seconds ??= [time % 60];
}

/** Without repetitions: each day looks at all items. */
function itemsOf(value: string): string[] {
  const items = [...new Set(value.split(","))].filter((item) => item);
  if (!items.length) throw new RangeError("an empty list");
  return items;
}

function parseNumbers(value: string, min: number, max: number): number[] {
  return itemsOf(value).map((item) => {
    const number = Number(item);
    if (!Number.isInteger(number) || number < min || number > max || min < 0 && number === 0) {
      throw new RangeError(`${item} is not a number from ${min} to ${max}`);
    }
    return number;
  }).sort((one, other) => one - other);
}

function parsePositive(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) throw new RangeError(`${value} is not a positive number`);
  return number;
}

function parseWeekday(value: string): RuleWeekday {
  const [, nth, name] = /^([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/.exec(value) ?? [];
  if (!name || Number(nth) === 0 || Math.abs(Number(nth ?? 1)) > 53) throw new RangeError(`${value} is not a weekday`);
  return { weekday: WEEKDAYS.indexOf(name), nth: Number(nth ?? 0) };
}
