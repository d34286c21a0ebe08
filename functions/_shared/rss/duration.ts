/** itunes:duration: seconds, or a clock. */
import type { Note } from "./note.ts";

const SECONDS = /^(\d{1,7})(?:[.,]\d+)?$/;
const CLOCK = /^(?:(\d{1,3}):([0-5]?\d)|(\d{1,4})):([0-5]?\d)(?:[.,]\d+)?$/;

/** A week: what is longer was meant in other units. */
const MOST = 7 * 24 * 3600;

/**
 * Whole seconds, fractions dropped; `H:MM:SS` and `MM:SS`, where the first part may be beyond its clock. Null for
 * anything else, and for 0, which says that nobody knows.
 */
export function duration(written: string | undefined, note: Note): number | null {
  const text = written?.trim();
  if (!text) return null;
  const [, hours, minutesOfHour, minutes, seconds] = CLOCK.exec(text) ?? [];
  const [, plain] = SECONDS.exec(text) ?? [];
  const total = plain
    ? Number(plain)
    : Number(hours ?? 0) * 3600 + Number(minutesOfHour ?? minutes) * 60 + Number(seconds);
  if (total > 0 && total <= MOST) return total;
  note("DURATION_UNREADABLE", text);
  return null;
}
