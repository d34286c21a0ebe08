/** Notes what is repaired, left out or not understood, on whatever is being read: an item, or the feed. */
import type { WarningCode } from "./warnings.ts";

/** `said` is what the feed says there. */
export type WarnFn = (code: WarningCode, excerpt?: string) => void;

/** Each code but the first time. */
export function oncePerCode(warn: WarnFn): WarnFn {
  const told = new Set<string>();
  return (code, excerpt) => {
    if (!told.has(code)) warn(code, excerpt);
    told.add(code);
  };
}
