/** Parses the attributes of a tag. Written by hand, because a regular expression takes several times as long. */

const [SPACE, DOUBLE, SINGLE, SLASH, EQUALS] = [32, 34, 39, 47, 61];

/** In source order: names in lower case, values as written with their references, names as written. */
export type Attributes = [name: string, value: string, written: string][];

export const NO_ATTRIBUTES: Attributes = [];

/**
 * Parses attributes. An unclosed quote ends with the word, or before the next attribute name if the quote that seems
 * to close it follows that name's equals sign. A name without a value is skipped.
 */
export function parseAttributes(raw: string): Attributes {
  const attributes: Attributes = [];
  const { length } = raw;
  for (let at = 0; at < length;) {
    let code = raw.charCodeAt(at);
    if (code <= SPACE || code === SLASH || code === DOUBLE || code === SINGLE || code === EQUALS) {
      at++;
      continue;
    }
    const start = at;
    while (at < length && (code = raw.charCodeAt(at)) > SPACE && code !== EQUALS && code !== SLASH) at++;
    const end = at;
    at = skipSpace(raw, at);
    if (raw.charCodeAt(at) !== EQUALS) continue;
    at = skipSpace(raw, at + 1);
    code = raw.charCodeAt(at);
    const isQuoted = code === DOUBLE || code === SINGLE;
    const close = isQuoted ? raw.indexOf(code === DOUBLE ? '"' : "'", at + 1) : -1;
    const from = isQuoted ? at + 1 : at;
    const value = close < 0 ? null : unclosedValue(raw, from, close);
    const name = raw.slice(start, end);
    if (value) {
      attributes.push([name.toLowerCase(), value, name]);
      at = from + value.length;
      continue;
    }
    if (close < 0) { for (at = from; at < length && (code = raw.charCodeAt(at)) > SPACE && code !== DOUBLE;) at++; }
    else at = close;
    attributes.push([name.toLowerCase(), raw.slice(from, at), name]);
    if (close >= 0) at++;
  }
  return attributes;
}

/** The value of an unclosed quote, as in `url="a length="5"`; undefined when the quote is closed. */
function unclosedValue(raw: string, from: number, close: number): string | undefined {
  if (raw.charCodeAt(close - 1) !== EQUALS) return;
  const next = raw.charCodeAt(close + 1);
  if (!(next > SPACE) || next === SLASH) return; // the quote ends a value
  return NEXT_NAME.exec(raw.slice(from, close))?.[1];
}

const NEXT_NAME = /^(.*\S)\s+[a-z][\w:.-]*=$/is;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++;
  return at;
}

/** The value of the first attribute with this name, with or without a prefix; undefined if there is none. */
export function attributeValue(attributes: Attributes, wanted: string): string | undefined {
  for (const [name, value] of attributes) {
    if (name === wanted || name.length > wanted.length && name.endsWith(`:${wanted}`)) return value;
  }
}

/** Whether an attribute declares a namespace. */
export const isDeclaration = (name: string) => name === "xmlns" || name.startsWith("xmlns:");
