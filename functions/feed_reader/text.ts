/**
 * Normalizes the texts of a feed: references are decoded once, never to characters that XML or Postgres cannot store.
 */
import { HTML_ENTITIES } from "../text/html_entities.ts";
import { decodeCharacterReference } from "../text/character.ts";
import { isPresent } from "../text/xml_text.ts";
import type { WarnFn } from "./warn.ts";

const XML_ENTITIES = new Map([["amp", "&"], ["lt", "<"], ["gt", ">"], ["quot", '"'], ["apos", "'"]]);

/** In characters: references are shorter. */
const MAX_REFERENCE_CHARS = 32;

/** Decodes XML's references, numeric references, and HTML's, which feeds use without declaring them. */
export function decodeEntities(raw: string, warn: WarnFn): string {
  let ampersand = raw.indexOf("&");
  if (ampersand < 0) return raw;
  let text = "";
  let done = 0;
  let end = 0;
  for (; ampersand >= 0; ampersand = raw.indexOf("&", ampersand + 1)) {
    const mark = escapedMark(raw, ampersand + 1);
    if (mark) {
      text += raw.slice(done, ampersand) + mark;
      ampersand = end = ampersand + (mark === "&" ? 4 : 3);
      done = end + 1;
      continue;
    }
    if (end <= ampersand) end = raw.indexOf(";", ampersand); // shared by all ampersands before it
    if (end < 0) {
      warn("AMPERSAND_UNESCAPED");
      break;
    }
    const name = end - ampersand > MAX_REFERENCE_CHARS ? "" : raw.slice(ampersand + 1, end);
    const character = XML_ENTITIES.get(name) ?? decodeReference(name, warn);
    if (character === undefined) continue;
    text += raw.slice(done, ampersand) + character;
    done = end + 1;
    ampersand = end;
  }
  return text + raw.slice(done);
}

/** The character of the references that escaped HTML is full of: recognized without a search, a copy and a hash. */
function escapedMark(raw: string, at: number): string | undefined {
  const code = raw.charCodeAt(at);
  if (code === L) return raw.startsWith("lt;", at) ? "<" : undefined;
  if (code === G) return raw.startsWith("gt;", at) ? ">" : undefined;
  if (code === A) return raw.startsWith("amp;", at) ? "&" : undefined;
}
const [A, G, L] = [97, 103, 108];

/** Decodes a reference other than XML's five; undefined leaves it unchanged. */
function decodeReference(name: string, warn: WarnFn): string | undefined {
  const [, decimal, hex, word] = /^(?:#(\d{1,8})|#[xX]([0-9a-fA-F]{1,7})|([a-zA-Z][a-zA-Z0-9]+))$/.exec(name) ?? [];
  if (word) {
    const character = HTML_ENTITIES.get(word);
    warn(character ? "ENTITY_UNDECLARED" : "ENTITY_UNKNOWN", `&${word};`);
    return character;
  }
  if (!decimal && !hex) return void warn("AMPERSAND_UNESCAPED");
  const character = decodeCharacterReference(decimal, hex);
  if (character === undefined) warn("CONTROL_CHARACTERS", `&${name};`);
  return character ?? "";
}

/** Trims the text and normalizes line ends to \n; null if it is empty. */
export function normalizeText(text: string | undefined): string | null {
  const trimmed = text?.trim();
  return trimmed?.includes("\r") ? trimmed.replace(/\r\n?/g, "\n") : trimmed || null;
}

const ESCAPED_REFERENCE = /&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#\d{2,6}|#x[0-9a-f]{2,6});/i;

/** The white space that private.normalize_line folds; a no-break space is kept. */
const BREAK = /[\t\n\v\f\u0085\u2028\u2029]| {2}/;
const SPACES = /[ \t\n\v\f\u0085\u2028\u2029]+/g;

/** Normalizes plain text to one line; null without a visible character. Remaining references were escaped twice. */
export function normalizeLine(text: string | undefined, warn: WarnFn): string | null {
  const normalized = decodeWhile((line) => line.includes("&") && ESCAPED_REFERENCE.test(line), text, warn);
  // the first character of almost all texts is visible
  if (!normalized || normalized.charCodeAt(0) > 126 && !isPresent(normalized)) return null;
  return BREAK.test(normalized) ? normalized.replace(SPACES, " ") : normalized;
}

/** Stops at the next escaped tag, so that matching stays linear. */
const ESCAPED_TAG =
  /&lt;\/?(?:p|br|a|b|i|div|span|ul|ol|li|em|strong|h[1-6]|img|blockquote|hr)(?:\s(?:(?!&lt;)[^<>]){0,2000}?|\/)?&gt;/i;

/** Normalizes text that may be HTML. If all of its tags are escaped, they were escaped twice. */
export function normalizeHtml(text: string | undefined, warn: WarnFn): string | null {
  return decodeWhile((html) => html.includes("&lt;") && !TAG.test(html) && ESCAPED_TAG.test(html), text, warn);
}

const TAG = /<[a-z/!]/i;

/** How often a text is decoded again. */
const MAX_ESCAPES = 4;

/**
 * Decodes references that were escaped twice or more, so that reading our own feed changes no text. Unknown names are
 * left unchanged without a warning.
 */
function decodeWhile(isEscaped: (text: string) => boolean, written: string | undefined, warn: WarnFn): string | null {
  let text = normalizeText(written);
  for (let n = 0; n < MAX_ESCAPES && text && isEscaped(text); n++) {
    warn("DOUBLE_ESCAPED");
    text = normalizeText(decodeEntities(text, () => {}));
  }
  return text;
}
