/** Uploaded JSON files, bounded before code walks them, with the lines of their elements for errors. */
import { isNestedDeeper } from "../../runtime/json.ts";
import { lineAt, LineError } from "./lines.ts";

const MAX_DEPTH = 16;

/** Parses a file and returns it with one of its lists. Throws a LineError. */
export function parseListFile(text: string, list: string): { file: Record<string, unknown>; elements: unknown[] } {
  if (isNestedDeeper(text, MAX_DEPTH)) throw new LineError(1, `JSON can have at most ${MAX_DEPTH} levels`);
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    const [, position] = / at position (\d+)/.exec((error as Error).message) ?? [];
    throw new LineError(lineAt(text, position ? Number(position) : wrongValueAt(text)), "expected valid JSON");
  }
  const elements = isObject(file) ? file[list] : undefined;
  if (!Array.isArray(elements)) throw new LineError(1, `expected an object with the list ${list}`);
  return { file: file as Record<string, unknown>, elements };
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An error in an element of a list of the file's object. */
export const elementError = (line: number, list: string, index: number, problem: string) =>
  new LineError(line, `${list}[${index}]${problem}`);

/** Where a value is wrong, which V8 reports without its position; else the end of the text. */
function wrongValueAt(text: string): number {
  const isInList: boolean[] = [];
  let needsValue = true, previous = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at], literal = LITERALS[character];
    if (" \t\r\n".includes(character)) continue;
    const isEmptyList = character === "]" && previous === "[";
    if (needsValue && !isEmptyList && !VALUE_BEGINNING.test(character)) return at;
    if (literal && !text.startsWith(literal, at)) return at;
    if (character === '"') at = stringEnd(text, at);
    else if (literal) at += literal.length - 1;
    else if (character === "[" || character === "{") isInList.push(character === "[");
    else if (character === "]" || character === "}") isInList.pop();
    needsValue = character === "[" || character === ":" || character === "," && isInList.at(-1) === true;
    previous = character;
  }
  return text.length;
}

const VALUE_BEGINNING = /["[{tfn\d-]/;
const LITERALS: Record<string, string | undefined> = { t: "true", f: "false", n: "null" };

/** Where the string that begins here ends. */
function stringEnd(text: string, at: number): number {
  while (++at < text.length && text[at] !== '"') if (text[at] === "\\") at++;
  return at;
}

/** The lines where the elements of the list begin, in well-formed JSON. */
export function linesOfElements(text: string, list: string): number[] {
  let depth = 0, isListed = false, isExpected = false, name = "", line = 1, found: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (" \t\r\n".includes(character)) {
      if (character === "\n" || character === "\r" && text[at + 1] !== "\n") line++;
      continue;
    }
    if (isListed && depth === 2 && isExpected && character !== "]") {
      found.push(line);
      isExpected = false;
    }
    if (character === '"') {
      const start = at;
      at = stringEnd(text, at);
      if (depth === 1) name = JSON.parse(text.slice(start, at + 1));
    } else if (character === "[" || character === "{") {
      // the last of several members with this name counts, as for JSON.parse
      if (++depth === 2 && character === "[" && name === list) [isListed, isExpected, found] = [true, true, []];
    } else if (character === "]" || character === "}") {
      if (--depth === 1) isListed = false;
    } else if (character === "," && depth === 2) isExpected = true;
  }
  return found;
}
