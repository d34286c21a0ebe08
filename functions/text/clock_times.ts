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

/** Reads "90", "1:30", "1:02:03", "90s", "1m30s" and "1h2m3s"; undefined for other texts. */
export function parseTime(text: string | null | undefined): number | undefined {
  const [, hours, minutes, seconds] = /^(?=.)(?:(\d{1,4})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/.exec(text ?? "") ?? [];
  const parts = hours || minutes || seconds
    ? [hours, minutes, seconds]
    : /^\d{1,6}(:\d\d?){0,2}$/.exec(text ?? "")?.[0].split(":");
  return parts?.reduce((total, part) => total * 60 + Number(part ?? 0), 0);
}
