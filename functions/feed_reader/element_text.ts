/** Collects the text of one element: text, CDATA sections and unescaped markup. */
import type { WarnFn } from "./warn.ts";
import { decodeEntities } from "./text.ts";

type Kind = "text" | "cdata" | "markup";

interface Capture {
  /** Starts an element, whose text is truncated to `maxChars`. */
  start(maxChars: number): void;
  isOn(): boolean;
  /** Adds text as written. A reference may be split between two calls. */
  add(kind: Kind, raw: string): void;
  /** Ends the element. Returns HTML unchanged if it contains markup, and text with decoded references if not. */
  end(warn: WarnFn): string;
}

/**
 * `expand` resolves references to the document's own entities. One instance serves all elements, because captured
 * elements never nest; most have a single piece and create no garbage.
 */
export function capture(expand: (raw: string) => string): Capture {
  let isOn = false;
  let remaining = 0;
  let isTruncated = false;
  let isHtml = false;
  let kind: Kind = "text";
  let piece = "";
  let earlier: { kind: Kind; raw: string }[] = []; // pieces of another kind

  const decode = (kind: Kind, raw: string, warn: WarnFn) => {
    if (kind === "cdata") return raw;
    const expanded = expand(raw);
    return kind === "text" && !isHtml ? decodeEntities(expanded, warn) : expanded;
  };

  return {
    start(maxChars) {
      isOn = true;
      isTruncated = isHtml = false;
      piece = "";
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
