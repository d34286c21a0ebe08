/** Parses itunes:duration: seconds or a clock. */
import type { WarnFn } from "./warn.ts";

const SECONDS = /^(\d{1,7})(?:[.,]\d+)?$/;
const CLOCK = /^(?:(\d{1,3}):)?(\d{1,4}):([0-5]?\d)(?:[.,]\d+)?$/;

/** A week; a longer duration was probably written in another unit. */
const MAX_SECONDS = 7 * 24 * 3600;

/**
 * Whole seconds without fractions; `H:MM:SS` or `MM:SS`, where minutes may exceed 59 only if the hour is 0 (some
 * software writes `0:67:16`). Null for anything else, including 0, which means unknown.
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
