/** The text of one element while it is read: pieces of text, CDATA sections, and markup that nobody escaped. */
import type { Note } from "./note.ts";
import { decoded } from "./text.ts";

export interface Capture {
  /** As written, references and all; a reference may be cut between two pieces. */
  text(written: string): void;
  cdata(written: string): void;
  markup(written: string): void;
  /** What it says: HTML as it is written where it holds markup, else text with its references decoded. */
  end(note: Note): string;
}

/** At most so many characters of it. */
export function capture(most: number): Capture {
  const pieces: { kind: "text" | "cdata" | "markup"; written: string }[] = [];
  let left = most;
  let isCut = false;

  function add(kind: "text" | "cdata" | "markup", written: string) {
    if (written.length > left) isCut = true;
    const fitting = isCut ? written.slice(0, left).toWellFormed() : written;
    left -= fitting.length;
    const last = pieces.at(-1);
    if (last?.kind === kind) last.written += fitting;
    else if (fitting) pieces.push({ kind, written: fitting });
  }

  return {
    text: (written) => add("text", written),
    cdata: (written) => add("cdata", written),
    markup: (written) => add("markup", written),
    end(note) {
      if (isCut) note("TEXT_CUT");
      const isHtml = pieces.some(({ kind }) => kind === "markup");
      if (isHtml) note("MARKUP_UNESCAPED");
      return pieces.map(({ kind, written }) => kind === "text" && !isHtml ? decoded(written, note) : written).join("");
    },
  };
}
