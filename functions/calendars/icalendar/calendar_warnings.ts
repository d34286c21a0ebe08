/** Collects what a reading could not read, by kinds. */
import type { CalendarWarning } from "../calendar.ts";

/** Receives what cannot be read, in words for the owner, and an example. */
export type ReportProblem = (kind: string, example?: string) => void;

const MAX_KINDS = 10;
const MAX_CHARS = 300;

interface CalendarWarnings {
  add: ReportProblem;
  list(): CalendarWarning[];
}

/** The text of a warning names the first example of its kind. */
export function createWarnings(): CalendarWarnings {
  const warnings = new Map<string, CalendarWarning>();
  return {
    add(kind, example) {
      const known = warnings.get(kind);
      if (known) known.count++;
      else if (warnings.size < MAX_KINDS) {
        const text = example === undefined ? kind : `${kind} (first: ${example})`;
        // deno-lint-ignore no-control-regex
        const line = text.replaceAll(/[\0-\x1f\x7f]+/g, " ").slice(0, MAX_CHARS);
        warnings.set(kind, { text: line.toWellFormed(), count: 1 }); // as Postgres wants it
      }
    },
    list: () => [...warnings.values()],
  };
}
