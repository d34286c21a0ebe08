/** Texts of a feed: references decoded, once; nothing in them that XML or a database cannot carry. */
import { htmlEntities } from "../html_entities.ts";
import type { Note } from "./note.ts";

const REFERENCE = /&(?:#(\d{1,8});|#[xX]([0-9a-fA-F]{1,7});|([a-zA-Z][a-zA-Z0-9]{1,31});)?/g;
const DECLARED = new Map([["amp", "&"], ["lt", "<"], ["gt", ">"], ["quot", '"'], ["apos", "'"]]);

/** Its references decoded: XML's own, by number, and HTML's, which feeds use without declaring them. */
export function decoded(written: string, note: Note): string {
  if (!written.includes("&")) return written;
  return written.replace(REFERENCE, (reference, decimal, hex, name) => {
    if (name) {
      const character = DECLARED.get(name);
      if (character) return character;
      const undeclared = htmlEntities.get(name);
      note(undeclared ? "ENTITY_UNDECLARED" : "ENTITY_UNKNOWN", reference);
      return undeclared ?? reference;
    }
    if (reference === "&") {
      note("AMPERSAND_BARE");
      return reference;
    }
    return characterOf(decimal ? Number(decimal) : parseInt(hex, 16));
  });
}

const latin = new TextDecoder("windows-1252");

/** Numbers from 128 to 159 mean windows-1252, as in HTML; what is no character becomes one that `clean` removes. */
function characterOf(code: number): string {
  if (code >= 0x80 && code < 0xa0) return latin.decode(Uint8Array.of(code));
  return code > 0x10ffff || code >= 0xd800 && code < 0xe000 ? "\0" : String.fromCodePoint(code);
}

// deno-lint-ignore no-control-regex -- they are what it is about
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/;
const CONTROLS = new RegExp(CONTROL.source, "g");

/** Trimmed, lines ended by \n, control characters gone; null when nothing is left. */
export function clean(text: string | undefined, note: Note): string | null {
  let cleaned = text?.trim();
  if (!cleaned) return null;
  if (cleaned.includes("\r")) cleaned = cleaned.replace(/\r\n?/g, "\n");
  if (CONTROL.test(cleaned)) {
    note("CONTROL_CHARACTERS");
    cleaned = cleaned.replace(CONTROLS, "").trim();
  }
  return cleaned || null;
}

const ESCAPED = /&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#\d{2,6}|#x[0-9a-f]{2,6});/i;

/** A text in which no HTML is expected, in one line: references that are left in it were escaped twice. */
export function line(text: string | undefined, note: Note): string | null {
  let words = clean(text, note);
  if (words && ESCAPED.test(words)) words = clean(again(words, note), note);
  return words && (/[\n\t\u00a0]| {2}/.test(words) ? words.replace(/\s+/g, " ") : words);
}

const ESCAPED_TAG =
  /&lt;\/?(?:p|br|a|b|i|div|span|ul|ol|li|em|strong|h[1-6]|img|blockquote|hr)(?:\s[^<>]{0,2000}?|\s*\/)?&gt;/i;

/** A text that may be HTML: when all of its tags are escaped, they were escaped twice. */
export function html(text: string | undefined, note: Note): string | null {
  const words = clean(text, note);
  if (!words || !words.includes("&lt;") || TAG.test(words) || !ESCAPED_TAG.test(words)) return words;
  return clean(again(words, note), note);
}

const TAG = /<[a-z/!]/i;

/** A name that is not known was no second escape. */
function again(text: string, note: Note): string {
  note("ESCAPED_TWICE");
  return decoded(text, () => {});
}
