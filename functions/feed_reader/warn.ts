/** Notes what is repaired, left out or not understood, on whatever is being read: an item, or the feed. */
import type { WarningCode } from "./warnings.ts";

/** `said` is what the feed says there. */
export type Note = (code: WarningCode, said?: string) => void;

/** Each code but the first time. */
export function once(note: Note): Note {
  const told = new Set<string>();
  return (code, said) => {
    if (!told.has(code)) note(code, said);
    told.add(code);
  };
}
