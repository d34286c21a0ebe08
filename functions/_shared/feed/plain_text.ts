/** HTML as plain text, for places where only that may stand: tags stripped, entities decoded, cut to a length. */

/** A comment, an element whose content is no text, a tag, text, or a `<` that begins none of them. */
const TOKENS =
  /<!--[^]*?(?:-->|$)|<(?:script|style)\b[^]*?(?:<\/(?:script|style)\s*>|$)|<[/!?]?([a-z][a-z0-9]*)(?:"[^"]*"|'[^']*'|[^"'<>])*>|([^<]+|<)/gi;

const NEW_LINE = /^(?:address|article|blockquote|br|dd|div|dl|dt|figure|h[1-6]|hr|li|ol|p|pre|section|table|tr|ul)$/i;

/** At most so many characters of it; what was cut ends in an ellipsis. */
export function plainText(html: string, most: number): string {
  let text = "";
  for (const [, tag, words] of html.matchAll(TOKENS)) {
    if (tag && NEW_LINE.test(tag)) text = text && `${text.trimEnd()}\n`;
    if (!words) continue;
    const spaced = decode(words).replace(/\s+/g, " ");
    text += /(?:^|\s)$/.test(text.slice(-1)) ? spaced.trimStart() : spaced;
    if (text.length > 2 * most) break; // a character takes one place or two
  }
  return cut(text.trim(), most);
}

/** At most so many characters; what was cut ends in an ellipsis. */
export function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("").trimEnd()}…`;
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+[0-9]*));/gi, (entity, decimal, hex, name) => {
    if (name) return named.get(name) ?? entity;
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}

/** The names that editors write; others stay as they are. */
const named = new Map<string, string>(Object.entries({
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", ndash: "–", mdash: "—", hellip: "…", bull: "•", euro: "€" },
  ...{ lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„", lsaquo: "‹", rsaquo: "›", trade: "™" },
  ...{ OElig: "Œ", oelig: "œ", Scaron: "Š", scaron: "š", Yuml: "Ÿ", ensp: " ", emsp: " ", thinsp: " " },
  ...{ zwnj: "\u200c", zwj: "\u200d", lrm: "\u200e", rlm: "\u200f" },
}));
// Latin-1 from U+00A0 on, in its order
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 " +
  "acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring " +
  "AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times " +
  "Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave " +
  "eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute " +
  "ucirc uuml yacute thorn yuml";
LATIN.split(" ").forEach((name, i) => named.set(name, String.fromCharCode(0xa0 + i)));
