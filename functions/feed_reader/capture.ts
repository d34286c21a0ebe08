/** The text of one element while it is read: pieces of text, CDATA sections, and markup that nobody escaped. */
import type { WarnFn } from "./warn.ts";
import { decodeEntities } from "./text.ts";

export type Kind = "text" | "cdata" | "markup";

export interface Capture {
  /** At most so many characters of what comes from now on. */
  start(maxChars: number): void;
  isOn(): boolean;
  /** As written, references and all; a reference may be cut between two pieces. */
  add(kind: Kind, raw: string): void;
  /** What it says: HTML as it is written where it holds markup, else text with its references decoded. */
  end(warn: WarnFn): string;
}

/** `expand` resolves references to the document's own entities. One for all elements, since none that is captured is inside another: most hold one piece, and make no garbage. */
export function capture(expand: (raw: string) => string): Capture {
  let isOn = false;
  let remaining = 0;
  let isTruncated = false;
  let isHtml = false;
  let kind: Kind = "text";
  let piece = "";
  let earlier: { kind: Kind; raw: string }[] = []; // pieces of other kinds

  const decode = (kind: Kind, raw: string, warn: WarnFn) => {
    if (kind === "cdata") return raw;
    const expanded = expand(raw);
    return kind === "text" && !isHtml ? decodeEntities(expanded, warn) : expanded;
  };

  return {
    start(maxChars) {
      [isOn, isTruncated, isHtml, piece] = [true, false, false, ""];
      remaining = maxChars;
      if (earlier.length) earlier = [];
    },
    isOn: () => isOn,
    add(next, raw) {
      if (raw.length > remaining) isTruncated = true;
      const fitting = isTruncated ? raw.slice(0, remaining).toWellFormed() : raw;
      remaining -= fitting.length;
      if (next === "markup") isHtml = true;
      if (piece && next !== kind) {
        earlier.push({ kind, raw: piece });
        piece = "";
      }
      kind = next;
      piece = piece ? piece + fitting : fitting;
    },
    end(warn) {
      isOn = false;
      if (isTruncated) warn("TEXT_TRUNCATED");
      if (isHtml) warn("MARKUP_UNESCAPED");
      const last = decode(kind, piece, warn);
      return earlier.length ? earlier.map(({ kind, raw }) => decode(kind, raw, warn)).join("") + last : last;
    },
  };
}
