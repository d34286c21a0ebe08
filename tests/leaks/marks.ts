// Marks: unique words in the texts of a world, and its ids. A mark has the seed of its world, so that a leak names it.
import type { SeededRandom } from "../random.ts";

/** Valid in names, slugs, URLs, emails and HTML, and unchanged by every encoding. */
const MARK = /cnry\d+w\d+x/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

export interface Marks {
  /** A new mark for a text, such as `bookings.notes`. */
  mark(label: string): string;
  /** A new id. */
  id(label: string): string;
  /** What a mark or an id of this world means. */
  labels: Map<string, string>;
}

export function createMarks(seed: number, random: SeededRandom): Marks {
  const labels = new Map<string, string>();
  const remember = (token: string, label: string) => {
    labels.set(token, label);
    return token;
  };
  const hex = (length: number) => Array.from({ length }, () => random.below(16).toString(16)).join("");
  return {
    labels,
    mark: (label) => remember(`cnry${seed}w${labels.size}x`, label),
    id: (label) => remember(`${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`, label),
  };
}

/** The marks and ids in a text. */
export function tokensIn(text: string): Set<string> {
  return new Set([...text.match(MARK) ?? [], ...(text.match(UUID) ?? []).map((id) => id.toLowerCase())]);
}

/** The marks and ids in columns of a row, given as words, or in all of them. */
export function tokensOf(row: Record<string, unknown>, ...names: string[]): string[] {
  const columns = names.length ? names.join(" ").split(" ") : Object.keys(row);
  return [...tokensIn(JSON.stringify(columns.map((column) => row[column] ?? null)))];
}
