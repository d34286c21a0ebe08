/** itunes:duration: seconds, or a clock. */
import type { WarnFn } from "./warn.ts";

const SECONDS = /^(\d{1,7})(?:[.,]\d+)?$/;
const CLOCK = /^(?:(\d{1,3}):)?(\d{1,4}):([0-5]?\d)(?:[.,]\d+)?$/;

/** A week: what is longer was meant in other units. */
const MAX_SECONDS = 7 * 24 * 3600;

/**
 * Whole seconds, fractions dropped; `H:MM:SS` and `MM:SS`, where minutes may be beyond 59 only when no hour is counted
 * (`0:67:16`, as some software writes). Null for anything else, and for 0, which says that nobody knows.
 */
export function parseDuration(raw: string | undefined, warn: WarnFn): number | null {
  const text = raw?.trim();
  if (!text) return null;
  const total = SECONDS.test(text) ? parseInt(text) : parseClock(text);
  if (total > 0 && total <= MAX_SECONDS) return total;
  warn("DURATION_INVALID", text);
  return null;
}

function parseClock(text: string): number {
  const [hours, minutes, seconds] = CLOCK.exec(text)?.slice(1).map((part) => Number(part ?? 0)) ?? [];
  return hours && minutes > 59 ? NaN : hours * 3600 + minutes * 60 + seconds;
}
