// A column, or a value inside a JSON column: `notes->chapters->0->>title`.
import {
  after,
  ahead,
  attempt,
  before,
  char,
  character,
  end,
  label,
  many,
  many1,
  map,
  not,
  oneOf,
  optional,
  type Parser,
  separated1,
  sequence,
  string,
} from "./parser.ts";

interface JsonStep {
  /** `->>` returns text. */
  isText: boolean;
  key: string;
  isIndex: boolean;
}

export interface Field {
  name: string;
  path: JsonStep[];
}

export const noneOf = (excluded: string) => character((c) => !excluded.includes(c));
export const text = (characters: Parser<string[]>) => map(characters, (read) => read.join(""));
export const lexeme = <T>(parser: Parser<T>): Parser<T> => before(after(blanks, parser), blanks);
const blanks = many(character((c) => c === " " || c === "\t"));

export const digit = label("digit", character((c) => c >= "0" && c <= "9"));
const letter = label("letter", character((c) => /^\p{L}$/u.test(c)));

const trimmed = (characters: Parser<string>) => map(text(many1(characters)), (read) => read.trim());
export const identifier = trimmed(oneOf(letter, digit, character((c) => "_ $".includes(c))));

/** Words with dashes between them, as in `episode-number`; `->` begins a path. */
const withDashes = (word: Parser<string>) =>
  map(separated1(word, attempt(sequence(char("-"), not(char(">"))))), (words) => words.join("-"));

/** Text in double quotes, unescaped. */
export const quoted: Parser<string> = before(
  after(char('"'), text(many(oneOf(noneOf('\\"'), after(char("\\"), character(() => true)))))),
  char('"'),
);

export const name: Parser<string> = label(
  "field name (* or [a..z0..9_$])",
  oneOf(quoted, withDashes(identifier)),
);

const endOfIndex = oneOf<unknown>(
  ...["->", "::", ".", ","].map((next) => attempt(ahead(string(next)))),
  attempt(end),
);
const index = before(
  map(sequence(optional(char("-")), many1(digit)), ([sign = "", digits]) => sign + digits.join("")),
  endOfIndex,
);
const key = label(
  "any non reserved character different from: .,>()",
  oneOf(quoted, withDashes(trimmed(noneOf("(-:.,>)")))),
);
const step: Parser<JsonStep> = map(
  sequence(
    oneOf(attempt(string("->>")), attempt(string("->"))),
    oneOf(
      attempt(map(index, (key) => ({ key, isIndex: true }))),
      attempt(map(key, (key) => ({ key, isIndex: false }))),
    ),
  ),
  ([arrow, step]) => ({ isText: arrow === "->>", ...step }),
);
export const path: Parser<JsonStep[]> = map(optional(many(step)), (steps = []) => steps);

export const field: Parser<Field> = lexeme(map(sequence(name, path), ([name, path]) => ({ name, path })));

/** The name of a JSON value in the response: its last key. */
export function nameOfPath({ name, path }: Field): string | undefined {
  return path.length ? path.findLast((step) => !step.isIndex)?.key ?? name : undefined;
}
