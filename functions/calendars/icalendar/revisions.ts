/** Revisions of events that do not touch the window: an earlier revision inside it does not count. */
import { type Component, valueOf } from "./components.ts";

/** Some 40 bytes each; later ones are forgotten, and the earlier revisions block. */
const MAX_REVISIONS = 100_000;

export interface Revisions {
  add(component: Component): void;
  /** Whether a revision with a greater SEQUENCE was added. */
  hasLater(component: Component): boolean;
}

export function createRevisions(): Revisions {
  const sequences = new Map<number, number>();
  return {
    add(component) {
      const sequence = sequenceOf(component), uid = valueOf(component.lines, "UID");
      if (!(sequence > 0) || !uid || sequences.size >= MAX_REVISIONS) return;
      const key = hashOf(uid);
      sequences.set(key, Math.max(sequence, sequences.get(key) ?? 0));
    },
    hasLater(component) {
      if (!sequences.size || component.lines.has("RECURRENCE-ID")) return false;
      const latest = sequences.get(hashOf(valueOf(component.lines, "UID")));
      return latest !== undefined && latest > sequenceOf(component);
    },
  };
}

const sequenceOf = ({ lines }: Component) => Number(valueOf(lines, "SEQUENCE")) || 0;

/** A number instead of the text, which would keep its document in memory. */
function hashOf(uid: string): number {
  let [one, other] = [0x811c9dc5, 0x1b873593];
  for (let i = 0; i < uid.length; i++) {
    const code = uid.charCodeAt(i);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x5bd1e995);
    other ^= other >>> 15;
  }
  return (one >>> 0) * 0x200000 + (other >>> 11);
}
