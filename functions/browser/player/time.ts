/** Times of the player are seconds. */

/** "0:05", "12:34" or "1:02:03". */
export function toClock(seconds: number): string {
  const all = Math.max(0, Math.floor(seconds) || 0), parts = [Math.floor(all / 60) % 60, all % 60];
  const hours = Math.floor(all / 3600);
  if (hours) parts.unshift(hours);
  return parts.map((part, i) => i ? String(part).padStart(2, "0") : part).join(":");
}

/** "1 minute, 5 seconds", for screen readers. */
export function toWords(seconds: number, language: string): string {
  const all = Math.max(0, Math.floor(seconds) || 0);
  const parts = { hour: Math.floor(all / 3600), minute: Math.floor(all / 60) % 60, second: all % 60 };
  const words = Object.entries(parts).filter(([, count]) => count)
    .map(([unit, count]) => count.toLocaleString(language, { style: "unit", unit, unitDisplay: "long" }));
  return words.join(", ") || (0).toLocaleString(language, { style: "unit", unit: "second", unitDisplay: "long" });
}

/** Reads "90", "90.5", "1:30", "1:02:03" and "1h2m3s". */
export function parseTime(text: string | null | undefined): number | undefined {
  const [, h, m, s] = /^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6}(?:\.\d{1,3})?)s?)?$/.exec(text ?? "") ??
    /^(?:(\d{1,3}):)?(\d{1,4}):(\d\d(?:\.\d{1,3})?)$/.exec(text ?? "") ?? [];
  return h || m || s ? Number(h ?? 0) * 3600 + Number(m ?? 0) * 60 + Number(s ?? 0) : undefined;
}

/** The time of `#t=90`, as in a shared link. */
export const timeInHash = () => parseTime(/[#&]t=([\d.:hms]+)/.exec(location.hash)?.[1]);
