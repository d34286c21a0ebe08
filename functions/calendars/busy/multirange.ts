/** Busy times as Postgres reads them. */
import type { BusyInterval, ReadWindow } from "../calendar.ts";

/** A multirange of intervals, cut to the window. Postgres merges them. */
export function toMultirange(intervals: BusyInterval[], window: ReadWindow): string {
  const ranges = intervals.map(({ start, end }) => ({
    start: start < window.start ? window.start : start,
    end: end > window.end ? window.end : end,
  })).filter(({ start, end }) => start < end);
  return `{${ranges.map(({ start, end }) => `[${start.toISOString()},${end.toISOString()})`).join()}}`;
}
