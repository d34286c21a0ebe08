/** Collects what a reading could not read, by kinds. */
import type { CalendarWarning } from "../calendar.ts";

const MAX_KINDS = 10;
const MAX_CHARS = 300;

export function createWarnings() {
  const warnings = new Map<string, CalendarWarning>();
  return {
    /** The text names the first example of a kind. */
    add(kind: string, example?: string) {
      const known = warnings.get(kind);
      if (known) known.count++;
      else if (warnings.size < MAX_KINDS) {
        const text = example === undefined ? kind : `${kind} (first: ${example})`;
        // deno-lint-ignore no-control-regex
        warnings.set(kind, { text: text.replaceAll(/[\0-\x1f\x7f]+/g, " ").slice(0, MAX_CHARS), count: 1 });
      }
    },
    list: (): CalendarWarning[] => [...warnings.values()],
  };
}
