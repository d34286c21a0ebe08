/** Texts of a feed: references decoded, once; none of them to what XML or a database cannot carry. */
import { HTML_ENTITIES } from "../text/html_entities.ts";
import { decodeCharacterReference } from "../text/character.ts";
import type { Note } from "./warn.ts";

const DECLARED = new Map([["amp", "&"], ["lt", "<"], ["gt", ">"], ["quot", '"'], ["apos", "'"]]);

/** In characters: no reference is longer. */
const LONGEST = 32;

/** Its references decoded: XML's own, by number, and HTML's, which feeds use without declaring them. */
export function decoded(written: string, note: Note): string {
  let ampersand = written.indexOf("&");
  if (ampersand < 0) return written;
  let text = "";
  let done = 0;
  let end = 0;
  for (; ampersand >= 0; ampersand = written.indexOf("&", ampersand + 1)) {
    if (end <= ampersand) end = written.indexOf(";", ampersand); // once for all that stand before it
    if (end < 0) {
      note("AMPERSAND_BARE");
      break;
    }
    const name = end - ampersand > LONGEST ? "" : written.slice(ampersand + 1, end);
    const character = DECLARED.get(name) ?? other(name, note);
    if (character === undefined) continue;
    text += written.slice(done, ampersand) + character;
    done = end + 1;
    ampersand = end;
  }
  return text + written.slice(done);
}

/** What a reference means that is none of XML's five; undefined where it stays as it is written. */
function other(name: string, note: Note): string | undefined {
  const [, decimal, hex, word] = /^(?:#(\d{1,8})|#[xX]([0-9a-fA-F]{1,7})|([a-zA-Z][a-zA-Z0-9]+))$/.exec(name) ?? [];
  if (word) {
    const character = HTML_ENTITIES.get(word);
    note(character ? "ENTITY_UNDECLARED" : "ENTITY_UNKNOWN", `&${word};`);
    return character;
  }
  if (!decimal && !hex) return void note("AMPERSAND_BARE");
  const character = decodeCharacterReference(decimal, hex);
  if (character === undefined) note("CONTROL_CHARACTERS", `&${name};`);
  return character ?? "";
}

/** Trimmed, lines ended by \n; null when nothing is left. */
export function clean(text: string | undefined): string | null {
  const trimmed = text?.trim();
  return trimmed?.includes("\r") ? trimmed.replace(/\r\n?/g, "\n") : trimmed || null;
}

const ESCAPED = /&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#\d{2,6}|#x[0-9a-f]{2,6});/i;

/** What private.normalize_line folds; a no-break space stays. */
const BREAK = /[\t\n\v\f\u0085\u2028\u2029]| {2}/;
const SPACES = /[ \t\n\v\f\u0085\u2028\u2029]+/g;

/** A text in which no HTML is expected, in one line: references that are left in it were escaped twice. */
export function line(text: string | undefined, note: Note): string | null {
  let words = clean(text);
  if (words?.includes("&") && ESCAPED.test(words)) words = clean(again(words, note));
  return words && (BREAK.test(words) ? words.replace(SPACES, " ") : words);
}

/** Ends where another begins, so that nothing is looked at twice. */
const ESCAPED_TAG =
  /&lt;\/?(?:p|br|a|b|i|div|span|ul|ol|li|em|strong|h[1-6]|img|blockquote|hr)(?:\s(?:(?!&lt;)[^<>]){0,2000}?|\/)?&gt;/i;

/** A text that may be HTML: when all of its tags are escaped, they were escaped twice. */
export function html(text: string | undefined, note: Note): string | null {
  const words = clean(text);
  if (!words || !words.includes("&lt;") || TAG.test(words) || !ESCAPED_TAG.test(words)) return words;
  return clean(again(words, note));
}

const TAG = /<[a-z/!]/i;

/** A name that is not known was no second escape. */
function again(text: string, note: Note): string {
  note("ESCAPED_TWICE");
  return decoded(text, () => {});
}
