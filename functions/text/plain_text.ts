/** HTML as plain text, for places where only that may stand: tags stripped, entities decoded, cut to a length. */
import { HTML_ENTITIES } from "./html_entities.ts";
import { decodeCharacterReference } from "./character.ts";

/**
 * A comment, an element whose content is no text, a tag, text, or a `<` that begins none of them. A name is whole, so
 * that a tag without an end is not tried at every letter of it.
 */
const TOKENS =
  /<!--[^]*?(?:-->|$)|<(?:script|style)\b[^]*?(?:<\/(?:script|style)\s*>|$)|<[/!?]?([a-z][a-z0-9]*)(?![a-z0-9])(?:"[^"]*"|'[^']*'|[^"'<>])*>|([^<]+|<)/gi;

const NEW_LINE = /^(?:address|article|blockquote|br|dd|div|dl|dt|figure|h[1-6]|hr|li|ol|p|pre|section|table|tr|ul)$/i;

/** At most so many characters of it; what was cut ends in an ellipsis. */
export function toPlainText(html: string, maxCharacters: number): string {
  let text = "";
  let gap = ""; // before the next word; the text itself is only appended to, since reading its end would copy all of it
  for (const [, tag, words] of html.matchAll(TOKENS)) {
    if (tag && NEW_LINE.test(tag)) gap = "\n";
    if (!words) continue;
    const spaced = decodeEntities(words).replace(/\s+/g, " ");
    if (spaced.startsWith(" ")) gap ||= " ";
    const found = spaced.trim();
    if (!found) continue;
    text += text && gap;
    text += found;
    gap = spaced.endsWith(" ") ? " " : "";
    if (text.length > 2 * maxCharacters) break; // a character takes one place or two
  }
  return truncate(text, maxCharacters);
}

/** At most so many characters; what was cut ends in an ellipsis. */
export function truncate(text: string, maxCharacters: number): string {
  const characters = [...text];
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join("").trimEnd()}…`;
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+[0-9]*));/gi,
    (reference, decimal, hex, name) =>
      (name ? HTML_ENTITIES.get(name) : decodeCharacterReference(decimal, hex)) ?? reference,
  );
}
