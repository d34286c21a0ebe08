/** Converts HTML to plain text: strips tags, decodes entities, truncates. */
import { HTML_ENTITIES } from "./html_entities.ts";
import { decodeCharacterReference } from "./character.ts";

/**
 * A comment, an element without text content, a tag, text, or a `<` that starts none of them. A tag name matches as a
 * whole, so that an unclosed tag is not retried at each letter.
 */
const TOKENS =
  /<!--[^]*?(?:-->|$)|<(?:script|style)\b[^]*?(?:<\/(?:script|style)\s*>|$)|<[/!?]?([a-z][a-z0-9]*)(?![a-z0-9])(?:"[^"]*"|'[^']*'|[^"'<>])*>|([^<]+|<)/gi;

const NEW_LINE = /^(?:address|article|blockquote|br|dd|div|dl|dt|figure|h[1-6]|hr|li|ol|p|pre|section|table|tr|ul)$/i;

const PARAGRAPH = /^(?:article|blockquote|dl|h[1-6]|hr|ol|p|pre|section|table|ul)$/i;

/**
 * The text of HTML, up to `maxCharacters`; a truncated text ends in an ellipsis. `paragraphGap` separates paragraphs,
 * and a line break lines.
 */
export function toPlainText(html: string, maxCharacters: number, paragraphGap = "\n"): string {
  let text = "";
  let gap = ""; // before the next word; the text is only appended to, because reading its end would copy it
  for (const [, tag, words] of html.matchAll(TOKENS)) {
    if (tag && PARAGRAPH.test(tag)) gap = paragraphGap;
    else if (tag && NEW_LINE.test(tag) && gap !== paragraphGap) gap = "\n";
    if (!words) continue;
    const spaced = decodeEntities(words).replace(/\s+/g, " ");
    if (spaced.startsWith(" ")) gap ||= " ";
    const found = spaced.trim();
    if (!found) continue;
    text += text && gap;
    text += found;
    gap = spaced.endsWith(" ") ? " " : "";
    if (text.length > 2 * maxCharacters) break; // a character has one or two code units
  }
  return truncate(text, maxCharacters);
}

/** Truncates to `maxCharacters`; a truncated text ends in an ellipsis. */
export function truncate(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const characters = [...text];
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join("").trimEnd()}…`;
}

const ELLIPSIS = "…", ELLIPSIS_BYTES = 3;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Truncates to a number of UTF-8 bytes with an ellipsis, without splitting a character or an entity. Does not use
 * TextEncoder.encodeInto: in Deno 2.1.4 its `read` counts bytes once a call with Latin-1 text is compiled.
 */
export function truncateBytes(text: string, maxBytes: number): string {
  if (text.length <= maxBytes / 3) return text;
  const bytes = encoder.encode(text.slice(0, maxBytes + 1)); // a character has at least one byte
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes - ELLIPSIS_BYTES;
  while ((bytes[end] & 0xc0) === 0x80) end--; // within a character
  const kept = decoder.decode(bytes.subarray(0, end));
  const entity = /&[#a-z0-9]{0,32}$/i.exec(kept);
  const isSplit = entity && /^[#a-z0-9]{0,32};/i.test(text.slice(kept.length, kept.length + 33));
  return `${(isSplit ? kept.slice(0, entity.index) : kept).trimEnd()}${ELLIPSIS}`;
}

/** Decodes character references of HTML; unknown ones stay. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+[0-9]*));/gi,
    (reference, decimal, hex, name) =>
      (name ? HTML_ENTITIES.get(name) : decodeCharacterReference(decimal, hex)) ?? reference,
  );
}
