/**
 * Local times as numbers: the seconds since 1970-01-01T00:00 on the clock of some zone, and days as those seconds by
 * 86,400. Whole numbers make the arithmetic of recurrences exact and cheap.
 */
export const DAY = 86_400;

/** The day of a local time. */
export const dayOf = (local: number) => Math.floor(local / DAY);

/** The day with this number of a month, from 1. The month may lie outside 1 to 12, the day outside the month. */
export const dayNumber = (year: number, month: number, day: number) => Date.UTC(year, month - 1, day) / (DAY * 1000);

/** 0 is Sunday. */
export const weekdayOf = (day: number) => mod(day + 4, 7);

interface CivilDate {
  year: number;
  /** From 1. */
  month: number;
  day: number;
}

export function civilDate(day: number): CivilDate {
  const date = new Date(day * DAY * 1000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The remainder that is never negative. */
export const mod = (value: number, by: number) => ((value % by) + by) % by;
