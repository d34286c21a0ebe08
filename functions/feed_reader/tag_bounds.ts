/** Finds where names, tags and unclosed sections end in the text of a feed. */

/** Results besides offsets: the text ends first, or a `<` begins no tag. */
export const [WAIT, NOT_A_TAG] = [-1, -2];
export const [SPACE, EXCLAMATION, SLASH, LESS, GREATER, QUESTION] = [32, 33, 47, 60, 62, 63];
const [DOUBLE, SINGLE, EQUALS] = [34, 39, 61];

/**
 * Finds the `>` of a tag; WAIT if the text ends first, NOT_A_TAG if another tag begins first. Quotes count only after
 * an equals sign; a quote that contains a `>` and a `<` is unclosed and ends at that `>`.
 */
export function findTagEnd(text: string, from: number): number {
  let quote = 0;
  let last = 0;
  let greater = 0;
  let hasLess = false;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > GREATER) { // most characters
      last = code;
      continue;
    }
    if (quote) {
      if (code === LESS) hasLess = true;
      else if (code === GREATER) greater ||= at;
      else if (code === quote) quote = 0;
      if (greater && hasLess) return greater;
      if (!quote) [greater, hasLess] = [0, false];
    } else if (code === GREATER) {
      return at;
    } else if (code === LESS) {
      return NOT_A_TAG;
    } else if ((code === DOUBLE || code === SINGLE) && last === EQUALS) {
      quote = code;
    }
    if (code > SPACE) last = code;
  }
  return WAIT;
}

/**
 * The offset where the element around a section is closed, before the next section at `to`: then the section itself
 * was unclosed. WAIT if there is none. Letter case is ignored, as outside of sections.
 */
export function findUnclosedEnd(text: string, from: number, to: number, element: string): number {
  const name = element.toLowerCase();
  if (to <= from || !name) return WAIT;
  for (let close = text.indexOf("</", from); close >= 0 && close < to; close = text.indexOf("</", close + 2)) {
    let end = close + 2 + name.length;
    if (text.slice(close + 2, end).toLowerCase() !== name) continue;
    while (text.charCodeAt(end) <= SPACE) end++;
    if (text.charCodeAt(end) === GREATER) return close;
  }
  return WAIT;
}

/** White space, a slash, the tag's end, or a character that no name has. */
export const isNameEnd = (code: number) =>
  code <= SPACE || code === SLASH || code === GREATER || code === LESS || code === EQUALS;

export function findNameEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isNameEnd(text.charCodeAt(at))) at++;
  return at;
}

/** Any letter of any script (approximately), an underscore or a colon (XML 1.0, 2.3). */
export function isNameStart(code: number): boolean {
  return code >= 97 && code <= 122 || code >= 65 && code <= 90 || code === 95 || code === 58 || code > 127;
}

export function isBlank(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) > SPACE) return false;
  return true;
}
