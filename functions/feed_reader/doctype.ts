/** Finds the end of a document type, which may contain declarations (XML 1.0, 2.8). */

/** The text between the brackets, and the offset after the document type. */
interface Doctype {
  subset: string;
  end: number;
}

/**
 * A comment, an instruction, a declaration with its literals, or the text between them. An unclosed comment is not a
 * declaration, so that its end is not searched for at each of many.
 */
const PART = /<!--[^]*?-->|<\?[^]*?\?>|<!(?!--)[^"'>]*(?:(?:"[^"]*"|'[^']*')[^"'>]*)*>|[^<\]]+/y;
const HEAD = /<!DOCTYPE(?:"[^"]*"|'[^']*'|[^"'[>])*\[/iy;
const TAIL = /\]\s*>/y;

/** Parses a document type with brackets that begins at `at`; undefined if it is incomplete or malformed. */
export function parseDoctype(text: string, at: number): Doctype | undefined {
  HEAD.lastIndex = at;
  if (!HEAD.test(text)) return;
  const from = HEAD.lastIndex;
  let end = from;
  for (PART.lastIndex = end; PART.test(text); PART.lastIndex = end) end = PART.lastIndex;
  TAIL.lastIndex = end;
  return TAIL.test(text) ? { subset: text.slice(from, end), end: TAIL.lastIndex } : undefined;
}
