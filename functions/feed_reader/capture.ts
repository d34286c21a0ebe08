/** The text of one element while it is read: pieces of text, CDATA sections, and markup that nobody escaped. */
import type { Note } from "./warn.ts";
import { decoded } from "./text.ts";

export type Kind = "text" | "cdata" | "markup";

export interface Capture {
  /** At most so many characters of what comes from now on. */
  start(most: number): void;
  isOn(): boolean;
  /** As written, references and all; a reference may be cut between two pieces. */
  add(kind: Kind, written: string): void;
  /** What it says: HTML as it is written where it holds markup, else text with its references decoded. */
  end(note: Note): string;
}

/** `expand` resolves references to the document's own entities. One for all elements, since none that is captured is inside another: most hold one piece, and make no garbage. */
export function capture(expand: (written: string) => string): Capture {
  let isOn = false;
  let left = 0;
  let isCut = false;
  let isHtml = false;
  let kind: Kind = "text";
  let piece = "";
  let before: { kind: Kind; written: string }[] = []; // pieces of other kinds

  const said = (kind: Kind, written: string, note: Note) => {
    if (kind === "cdata") return written;
    const expanded = expand(written);
    return kind === "text" && !isHtml ? decoded(expanded, note) : expanded;
  };

  return {
    start(most) {
      [isOn, isCut, isHtml, piece] = [true, false, false, ""];
      left = most;
      if (before.length) before = [];
    },
    isOn: () => isOn,
    add(next, written) {
      if (written.length > left) isCut = true;
      const fitting = isCut ? written.slice(0, left).toWellFormed() : written;
      left -= fitting.length;
      if (next === "markup") isHtml = true;
      if (piece && next !== kind) {
        before.push({ kind, written: piece });
        piece = "";
      }
      kind = next;
      piece = piece ? piece + fitting : fitting;
    },
    end(note) {
      isOn = false;
      if (isCut) note("TEXT_CUT");
      if (isHtml) note("MARKUP_UNESCAPED");
      const last = said(kind, piece, note);
      return before.length ? before.map(({ kind, written }) => said(kind, written, note)).join("") + last : last;
    },
  };
}
