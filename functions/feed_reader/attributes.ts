/** What stands in a tag behind its name. Read by hand: a regular expression takes several times as long. */

const [SPACE, DOUBLE, SINGLE, SLASH, EQUALS] = [32, 34, 39, 47, 61];

/** In the order of the tag: names in lower case, values as written, entities and all. */
export type Attributes = [name: string, value: string][];

/**
 * A quote that is never closed ends with the word, or before the next name: where the quote that seems to close it stands
 * behind that name's equals sign, and before a value. A name without a value is passed over.
 */
export function attributesOf(written: string): Attributes {
  const found: Attributes = [];
  const { length } = written;
  for (let at = 0; at < length;) {
    let code = written.charCodeAt(at);
    if (code <= SPACE || code === SLASH || code === DOUBLE || code === SINGLE || code === EQUALS) {
      at++;
      continue;
    }
    const start = at;
    while (at < length && (code = written.charCodeAt(at)) > SPACE && code !== EQUALS && code !== SLASH) at++;
    const end = at;
    at = pastSpace(written, at);
    if (written.charCodeAt(at) !== EQUALS) continue;
    at = pastSpace(written, at + 1);
    code = written.charCodeAt(at);
    const isQuoted = code === DOUBLE || code === SINGLE;
    const close = isQuoted ? written.indexOf(code === DOUBLE ? '"' : "'", at + 1) : -1;
    const from = isQuoted ? at + 1 : at;
    const value = close < 0 ? null : unclosed(written, from, close);
    if (value) {
      found.push([written.slice(start, end).toLowerCase(), value]);
      at = from + value.length;
      continue;
    }
    if (close < 0) { for (at = from; at < length && (code = written.charCodeAt(at)) > SPACE && code !== DOUBLE;) at++; }
    else at = close;
    found.push([written.slice(start, end).toLowerCase(), written.slice(from, at)]);
    if (close >= 0) at++;
  }
  return found;
}

/** `url="a length="5"`: the value, when it was not closed. */
function unclosed(written: string, from: number, close: number): string | undefined {
  if (written.charCodeAt(close - 1) !== EQUALS) return;
  const next = written.charCodeAt(close + 1);
  if (!(next > SPACE) || next === SLASH) return; // it ends a value
  return NEXT_NAME.exec(written.slice(from, close))?.[1];
}

const NEXT_NAME = /^(.*\S)\s+[a-z][\w:.-]*=$/is;

function pastSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++;
  return at;
}

/** The first of that name, with or without a prefix; undefined where there is none. */
export function valueOf(attributes: Attributes, wanted: string): string | undefined {
  for (const [name, value] of attributes) {
    if (name === wanted || name.length > wanted.length && name.endsWith(`:${wanted}`)) return value;
  }
}

export const attribute = (written: string, wanted: string): string | undefined =>
  written ? valueOf(attributesOf(written), wanted) : undefined;
