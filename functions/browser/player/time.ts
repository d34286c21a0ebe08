/** Times of the player are seconds. */
import { parseTime, splitSeconds } from "../../text/clock_times.ts";

/** The last of lines in order that begins at a position or before, else -1. Players seek a little less than asked. */
export const indexAt = (lines: { startTime: number }[], seconds: number): number =>
  lines.findLastIndex(({ startTime }) => startTime <= seconds + 0.05);

/** "1 minute, 5 seconds", for screen readers. */
export const toWords = (seconds: number, language: string): string =>
  splitSeconds(seconds).map((count, i) => {
    const unit = ["hour", "minute", "second"][i];
    return (count || i === 2) && count.toLocaleString(language, { style: "unit", unit, unitDisplay: "long" });
  }).filter(Boolean).join(", ");

/** The time of `#t=90`, as in a shared link. */
export const timeInHash = () => parseTime(/[#&]t=([\w:]+)/.exec(location.hash)?.[1]);
