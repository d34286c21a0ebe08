/** Positions in audio as clocks show them. */

/** Whole hours, minutes and seconds. */
export function splitSeconds(seconds: number): number[] {
  const all = Math.max(0, Math.floor(seconds));
  return [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
}

/** "0:05", "12:34" or "1:02:03". */
export function toClock(seconds: number): string {
  const parts = splitSeconds(seconds);
  return parts.slice(parts[0] ? 0 : 1).map((part, i) => i ? String(part).padStart(2, "0") : part).join(":");
}
