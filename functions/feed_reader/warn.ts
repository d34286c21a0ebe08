/** Reports warnings about the item or feed that is being read. */
import type { WarningCode } from "./warnings.ts";

/** `excerpt` is the feed's own text. */
export type WarnFn = (code: WarningCode, excerpt?: string) => void;

/** Reports only the first occurrence of each code. */
export function oncePerCode(warn: WarnFn): WarnFn {
  const warned = new Set<string>();
  return (code, excerpt) => {
    if (!warned.has(code)) warn(code, excerpt);
    warned.add(code);
  };
}
