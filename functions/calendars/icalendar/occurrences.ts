/**
 * The occurrences of a recurrence rule between two local times.
 *
 * Without COUNT it begins at the first period that can matter, however long ago the rule began. Each period costs steps
 * of a budget before it is computed, so that no rule occupies the worker.
 */
import type { Spend } from "./budget.ts";
import { civilDate, DAY, dayNumber, dayOf, mod, weekdayOf } from "./local_time.ts";
import type { Frequency, RecurrenceRule, RuleWeekday } from "./recurrence_rule.ts";

/** The local times from `from` to `to`, both included, in order. `start` itself is one only if the rule says so. */
export function* occurrencesOf(
  rule: RecurrenceRule,
  start: number,
  from: number,
  to: number,
  spend: Spend,
): Generator<number> {
  for (const time of occurrencesInSteps(rule, start, from, to, spend)) if (time !== undefined) yield time;
}

/** The same, with undefined where the computation can pause. */
export function* occurrencesInSteps(
  rule: RecurrenceRule,
  start: number,
  from: number,
  to: number,
  spend: Spend,
): Generator<number | undefined> {
  const last = Math.min(to, rule.until ?? to);
  let left = rule.count ?? Infinity;
  for (const times of periodsOf(rule, start, rule.count ? start : Math.max(start, from), last, spend)) {
    if (spend(1)) yield;
    for (const time of atPositions(times, rule.positions, spend)) {
      if (time < start) continue;
      if (time > last || left-- <= 0) return;
      if (time >= from) yield time;
    }
  }
}

const UNITS: Partial<Record<Frequency, number>> = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 };

function periodsOf(rule: RecurrenceRule, start: number, from: number, last: number, spend: Spend) {
  const unit = UNITS[rule.frequency];
  return unit ? shortPeriodsOf(rule, unit, start, from, last, spend) : longPeriodsOf(rule, start, from, last, spend);
}

/** The times of each period of days or longer; none where the computation can pause. */
function* longPeriodsOf(rule: RecurrenceRule, start: number, from: number, last: number, spend: Spend) {
  const { interval } = rule;
  spend((rule.hours?.length ?? 1) * (rule.minutes?.length ?? 1) * (rule.seconds?.length ?? 1));
  const clock = clockTimes(rule);
  const daySteps = stepsPerDay(rule);
  const first = periodIndex(rule, dayOf(start));
  const skipped = Math.max(0, Math.floor((periodIndex(rule, dayOf(from)) - first) / interval));
  for (let index = first + skipped * interval;; index += interval) {
    spend(1);
    if (!(periodStart(rule, index) <= dayOf(last))) return; // also beyond the last day of Date
    const times: number[] = [];
    for (const span of spansOf(rule, index)) {
      // positions count from the beginning of the period; without them other days cannot matter
      const begin = rule.positions ? span[0] : Math.max(span[0], dayOf(from));
      const end = rule.positions ? span[1] : Math.min(span[1], dayOf(last) + 1);
      spend(Math.max(0, end - begin) * daySteps);
      for (let day = begin; day < end; day++) {
        if (!includesDay(rule, day)) continue;
        if (spend(4 * clock.length)) yield []; // a period can have millions, which take memory
        for (const time of clock) times.push(day * DAY + time);
      }
    }
    yield times;
  }
}

/** What looking at a day costs: more with long lists. */
function stepsPerDay({ weeks, yearDays, monthDays, weekdays }: RecurrenceRule): number {
  const items = [weeks, yearDays, monthDays, weekdays].map((list) => list?.length ?? 0);
  return 1 + Math.floor(Math.max(...items) / 16);
}

/** The number of the year, month, week or day that contains a day. */
function periodIndex({ frequency, weekStart }: RecurrenceRule, day: number): number {
  if (frequency === "DAILY") return day;
  if (frequency === "WEEKLY") return Math.floor((day + 4 - weekStart) / 7);
  const { year, month } = civilDate(day);
  return frequency === "YEARLY" ? year : year * 12 + month - 1;
}

function periodStart({ frequency, weekStart }: RecurrenceRule, index: number): number {
  if (frequency === "DAILY") return index;
  if (frequency === "WEEKLY") return index * 7 - 4 + weekStart;
  return frequency === "YEARLY" ? dayNumber(index, 1, 1) : dayNumber(Math.floor(index / 12), index % 12 + 1, 1);
}

/** The days of a period that the rule's months leave, as half-open spans in order. */
function spansOf(rule: RecurrenceRule, index: number): [number, number][] {
  if (rule.frequency !== "YEARLY" || !rule.months) return [[periodStart(rule, index), periodStart(rule, index + 1)]];
  return rule.months.map((month) => [dayNumber(index, month, 1), dayNumber(index, month + 1, 1)]);
}

/** The seconds of the day that hours, minutes and seconds give, in order. */
function clockTimes({ hours = [0], minutes = [0], seconds = [0] }: RecurrenceRule): number[] {
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => hour * 3600 + minute * 60 + second))
  );
}

/** The times of each hour, minute or second. Days, hours and minutes that the rule excludes are skipped at once. */
function* shortPeriodsOf(
  rule: RecurrenceRule,
  unit: number,
  start: number,
  from: number,
  last: number,
  spend: Spend,
) {
  const { interval } = rule;
  const first = Math.floor(start / unit);
  const firstAtOrAfter = (local: number) =>
    first + Math.max(0, Math.ceil((Math.floor(local / unit) - first) / interval)) * interval;
  const offsets = clockTimes({ ...rule, ...NO_TIMES, ...timesWithin(rule, unit) });
  const steps = stepsPerDay(rule);
  for (let index = firstAtOrAfter(from);;) {
    spend(steps);
    const begin = index * unit;
    if (!(begin <= last)) return;
    const excluded = excludedUntil(rule, unit, begin);
    if (excluded > begin) {
      if (spend(0)) yield [];
      index = Math.max(index + interval, firstAtOrAfter(excluded));
      continue;
    }
    spend(4 * offsets.length);
    yield offsets.map((offset) => begin + offset);
    index += interval;
  }
}

const NO_TIMES = { hours: undefined, minutes: undefined, seconds: undefined };

/** The parts that expand a period of this length; the others limit it. */
function timesWithin({ minutes, seconds }: RecurrenceRule, unit: number) {
  if (unit === 3600) return { minutes, seconds };
  return unit === 60 ? { seconds } : {};
}

/** When the part of the day that the rule excludes and that contains this time ends; the time itself if none. */
function excludedUntil(rule: RecurrenceRule, unit: number, begin: number): number {
  const day = dayOf(begin);
  if (!includesDay(rule, day)) return (day + 1) * DAY;
  const hour = Math.floor(begin / 3600);
  if (rule.hours && !rule.hours.includes(mod(hour, 24))) return (hour + 1) * 3600;
  const minute = Math.floor(begin / 60);
  if (unit < 3600 && rule.minutes && !rule.minutes.includes(mod(minute, 60))) return (minute + 1) * 60;
  if (unit < 60 && rule.seconds && !rule.seconds.includes(mod(begin, 60))) return begin + 1;
  return begin;
}

function includesDay(rule: RecurrenceRule, day: number): boolean {
  const { months, weeks, yearDays, monthDays, weekdays } = rule;
  if (weekdays && !weekdays.some(({ weekday }) => weekday === weekdayOf(day))) return false; // cheap and mostly enough
  if (!months && !weeks && !yearDays && !monthDays && !weekdays?.some(({ nth }) => nth)) return true;
  const { month, daysOfMonth, daysOfYear } = monthAt(day);
  if (months && !months.includes(month)) return false;
  if (monthDays && !countsAt(monthDays, day, daysOfMonth)) return false;
  if (yearDays && !countsAt(yearDays, day, daysOfYear)) return false;
  if (weeks && !includesWeek(weeks, day, rule.weekStart)) return false;
  return !weekdays || weekdays.some((weekday) => includesWeekday(weekday, rule, day, daysOfMonth, daysOfYear));
}

/** A month, with the half-open spans of days of it and of its year. */
interface Month {
  month: number;
  daysOfMonth: [begin: number, end: number];
  daysOfYear: [begin: number, end: number];
}

let lastMonth: Month = describeMonth(0);

/** Remembers the last month, because days are asked in order. */
function monthAt(day: number): Month {
  const [begin, end] = lastMonth.daysOfMonth;
  if (day < begin || day >= end) lastMonth = describeMonth(day);
  return lastMonth;
}

function describeMonth(day: number): Month {
  const { year, month } = civilDate(day);
  return {
    month,
    daysOfMonth: [dayNumber(year, month, 1), dayNumber(year, month + 1, 1)],
    daysOfYear: [dayNumber(year, 1, 1), dayNumber(year + 1, 1, 1)],
  };
}

/** Whether the list has the number of the day within a span, counted from its start or, negative, from its end. */
const countsAt = (numbers: number[], day: number, [begin, end]: number[]) =>
  numbers.includes(day - begin + 1) || numbers.includes(day - end);

function includesWeekday(
  { weekday, nth }: RuleWeekday,
  { frequency, months, weeks }: RecurrenceRule,
  day: number,
  month: number[],
  year: number[],
) {
  if (weekday !== weekdayOf(day)) return false;
  if (!nth || weeks || frequency !== "MONTHLY" && frequency !== "YEARLY") return true;
  const [begin, end] = frequency === "MONTHLY" || months ? month : year;
  return nth > 0 ? Math.floor((day - begin) / 7) + 1 === nth : Math.floor((end - 1 - day) / 7) + 1 === -nth;
}

/** Weeks belong to the year that has four of their days, as in ISO 8601, with any first day. */
function includesWeek(weeks: number[], day: number, weekStart: number): boolean {
  const begin = day - mod(weekdayOf(day) - weekStart, 7);
  const { year } = civilDate(begin + 3);
  const week = (begin - firstWeekOf(year, weekStart)) / 7;
  const weeksOfYear = (firstWeekOf(year + 1, weekStart) - firstWeekOf(year, weekStart)) / 7;
  return weeks.includes(week + 1) || weeks.includes(week - weeksOfYear);
}

function firstWeekOf(year: number, weekStart: number): number {
  const fourth = dayNumber(year, 1, 4);
  return fourth - mod(weekdayOf(fourth) - weekStart, 7);
}

function atPositions(times: number[], positions: number[] | undefined, spend: Spend): number[] {
  if (!positions) return times;
  spend(positions.length);
  const found = positions.map((position) => times.at(position > 0 ? position - 1 : position));
  return [...new Set(found.filter((time) => time !== undefined))].sort((one, other) => one - other);
}
