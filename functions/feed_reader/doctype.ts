/** Where a document type ends, which may hold declarations of its own (XML 1.0, 2.8). */

/** The text between its brackets, and the offset behind it. */
export interface Doctype {
  subset: string;
  end: number;
}

/**
 * Outside of declarations; a comment, an instruction or a declaration with its literals, and what is between them. A
 * comment without an end is no declaration, or the end would be searched for at each of many.
 */
const PART = /<!--[^]*?-->|<\?[^]*?\?>|<!(?!--)[^"'>]*(?:(?:"[^"]*"|'[^']*')[^"'>]*)*>|[^<\]]+/y;
const HEAD = /<!DOCTYPE(?:"[^"]*"|'[^']*'|[^"'[>])*\[/iy;
const TAIL = /\]\s*>/y;

/** Of a document type with brackets that begins at `at`; undefined when it is not whole, or not well-formed. */
export function parseDoctype(text: string, at: number): Doctype | undefined {
  HEAD.lastIndex = at;
  if (!HEAD.test(text)) return;
  const from = HEAD.lastIndex;
  let end = from;
  for (PART.lastIndex = end; PART.test(text); PART.lastIndex = end) end = PART.lastIndex;
  TAIL.lastIndex = end;
  return TAIL.test(text) ? { subset: text.slice(from, end), end: TAIL.lastIndex } : undefined;
}
