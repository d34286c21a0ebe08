/** HTML as plain text, for places where only that may stand: tags stripped, entities decoded, cut to a length. */
import { htmlEntities } from "./html_entities.ts";
import { characterOf } from "./character.ts";

/**
 * A comment, an element whose content is no text, a tag, text, or a `<` that begins none of them. A name is whole, so
 * that a tag without an end is not tried at every letter of it.
 */
const TOKENS =
  /<!--[^]*?(?:-->|$)|<(?:script|style)\b[^]*?(?:<\/(?:script|style)\s*>|$)|<[/!?]?([a-z][a-z0-9]*)(?![a-z0-9])(?:"[^"]*"|'[^']*'|[^"'<>])*>|([^<]+|<)/gi;

const NEW_LINE = /^(?:address|article|blockquote|br|dd|div|dl|dt|figure|h[1-6]|hr|li|ol|p|pre|section|table|tr|ul)$/i;

/** At most so many characters of it; what was cut ends in an ellipsis. */
export function plainText(html: string, most: number): string {
  let text = "";
  let gap = ""; // before the next word; the text itself is only appended to, since reading its end would copy all of it
  for (const [, tag, words] of html.matchAll(TOKENS)) {
    if (tag && NEW_LINE.test(tag)) gap = "\n";
    if (!words) continue;
    const spaced = decode(words).replace(/\s+/g, " ");
    if (spaced.startsWith(" ")) gap ||= " ";
    const found = spaced.trim();
    if (!found) continue;
    text += text && gap;
    text += found;
    gap = spaced.endsWith(" ") ? " " : "";
    if (text.length > 2 * most) break; // a character takes one place or two
  }
  return cut(text, most);
}

/** At most so many characters; what was cut ends in an ellipsis. */
export function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("").trimEnd()}…`;
}

function decode(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+[0-9]*));/gi,
    (reference, decimal, hex, name) => (name ? htmlEntities.get(name) : characterOf(decimal, hex)) ?? reference,
  );
}
