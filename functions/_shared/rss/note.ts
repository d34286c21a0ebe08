/** Notes what is repaired, left out or not understood, on whatever is being read: an item, or the feed. */
import type { WarningCode } from "./warnings.ts";

/** `said` is what the feed says there. */
export type Note = (code: WarningCode, said?: string) => void;
