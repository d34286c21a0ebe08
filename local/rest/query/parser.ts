// Parser combinators with the errors of Parsec, PostgREST's parser: where parsing failed, and what it expected there.
import { RequestError } from "../errors.ts";

/** In the order in which an error shows them. `found` is what the input has, `unexpected` what a rule excludes. */
type Kind = "found" | "unexpected" | "expected";
interface Message {
  kind: Kind;
  text: string;
}

/** At a place without messages nothing is known. */
interface Failure {
  at: number;
  messages: Message[];
}

type Result<T> =
  | { isOk: true; hasConsumed: boolean; value: T; at: number; failure: Failure }
  | { isOk: false; hasConsumed: boolean; failure: Failure };

/** Reads characters from a place. `failure` of a success is what else would have fitted there. */
export type Parser<T> = (text: string[], at: number) => Result<T>;

const unknown = (at: number): Failure => ({ at, messages: [] });
const success = <T>(value: T, at: number, hasConsumed: boolean, failure = unknown(at)): Result<T> => ({
  isOk: true,
  hasConsumed,
  value,
  at,
  failure,
});
const fail = (failure: Failure, hasConsumed = false): Result<never> => ({ isOk: false, hasConsumed, failure });

/** The failure that is farther in the text; of two at one place both messages. */
function merge(first: Failure, second: Failure): Failure {
  if (!second.messages.length && first.messages.length) return first;
  if (!first.messages.length && second.messages.length) return second;
  if (first.at !== second.at) return first.at > second.at ? first : second;
  return { at: first.at, messages: [...first.messages, ...second.messages] };
}

export const of = <T>(value: T): Parser<T> => (_, at) => success(value, at, false);

/** Fails without a message. */
export const never: Parser<never> = (_, at) => fail(unknown(at));

export const then = <T, U>(first: Parser<T>, next: (value: T) => Parser<U>): Parser<U> => (text, at) => {
  const read = first(text, at);
  if (!read.isOk) return read;
  const result = next(read.value)(text, read.at);
  if (result.hasConsumed) return result;
  return { ...result, hasConsumed: read.hasConsumed, failure: merge(read.failure, result.failure) };
};

export const map = <T, U>(parser: Parser<T>, convert: (value: T) => U): Parser<U> => (text, at) => {
  const read = parser(text, at);
  return read.isOk ? { ...read, value: convert(read.value) } : read;
};

type Values<P> = { [I in keyof P]: P[I] extends Parser<infer T> ? T : never };

/** One parser after the other. */
export const sequence = <P extends Parser<unknown>[]>(...parsers: P): Parser<Values<P>> =>
  parsers.reduceRight<Parser<unknown[]>>(
    (rest, parser) => then(parser, (value) => map(rest, (values) => [value, ...values])),
    of([]),
  ) as Parser<Values<P>>;

/** The first parser that succeeds, or fails after it consumed a character. */
export const oneOf = <T>(...parsers: Parser<T>[]): Parser<T> =>
  parsers.reduce((first, second) => (text, at) => {
    const read = first(text, at);
    if (read.isOk || read.hasConsumed) return read;
    const other = second(text, at);
    return other.hasConsumed ? other : { ...other, failure: merge(read.failure, other.failure) };
  });

/** Fails as if it had consumed nothing. */
export const attempt = <T>(parser: Parser<T>): Parser<T> => (text, at) => {
  const read = parser(text, at);
  return read.isOk ? read : fail(read.failure);
};

/** Reads and stays where it is. */
export const ahead = <T>(parser: Parser<T>): Parser<T> => (text, at) => {
  const read = parser(text, at);
  return read.isOk ? success(read.value, at, false) : read;
};

/** Names what a parser expects at its start. */
export const label = <T>(name: string, parser: Parser<T>): Parser<T> => (text, at) => {
  const read = parser(text, at);
  if (read.hasConsumed || read.isOk && !read.failure.messages.length) return read;
  return { ...read, failure: expecting(name, read.failure) };
};

function expecting(name: string, { at, messages }: Failure): Failure {
  const others = messages.filter(({ kind }) => kind !== "expected");
  return { at, messages: [{ kind: "expected", text: name }, ...others] };
}

export const many = <T>(parser: Parser<T>): Parser<T[]> => (text, start) => {
  const values: T[] = [];
  for (let at = start;;) {
    const read = parser(text, at);
    if (!read.isOk) return read.hasConsumed ? read : success(values, at, values.length > 0, read.failure);
    values.push(read.value);
    at = read.at;
  }
};

export const many1 = <T>(parser: Parser<T>): Parser<T[]> =>
  map(sequence(parser, many(parser)), ([first, rest]) => [first, ...rest]);

export const optional = <T>(parser: Parser<T>): Parser<T | undefined> => oneOf<T | undefined>(parser, of(undefined));

export const separated1 = <T>(parser: Parser<T>, separator: Parser<unknown>): Parser<T[]> =>
  map(sequence(parser, many(after(separator, parser))), ([first, rest]) => [first, ...rest]);

/** The value of the second parser, and that of the first. */
export const after = <T>(first: Parser<unknown>, second: Parser<T>): Parser<T> => then(first, () => second);
export const before = <T>(first: Parser<T>, second: Parser<unknown>): Parser<T> =>
  then(first, (value) => map(second, () => value));

/** A character that a test accepts. */
export const character = (accepts: (c: string) => boolean): Parser<string> => (text, at) => {
  const c = text[at];
  if (c !== undefined && accepts(c)) return success(c, at + 1, true);
  return fail({ at, messages: [found(c)] });
};

const found = (c: string | undefined): Message => ({ kind: "found", text: c === undefined ? "" : quote(c) });

export const char = (c: string): Parser<string> => label(quote(c), character((other) => other === c));

/** Fails at its start, also if only its end differs. */
export const string = (expected: string): Parser<string> => {
  const characters = [...expected];
  return (text, at) => {
    const differs = characters.findIndex((c, i) => text[at + i] !== c);
    if (differs < 0) return success(expected, at + characters.length, true);
    return fail(expecting(quote(expected), { at, messages: [found(text[at + differs])] }), differs > 0);
  };
};

/** Succeeds where `parser` does not. */
export const not = (parser: Parser<string>): Parser<undefined> => (text, at) => {
  const read = parser(text, at);
  if (!read.isOk) return success(undefined, at, false, read.failure);
  return fail({ at: read.at, messages: [{ kind: "unexpected", text: quote(read.value, "'") }] });
};

export const end: Parser<undefined> = label("end of input", (text, at) => {
  if (at >= text.length) return success(undefined, at, false, { at, messages: [found(undefined)] });
  return fail({ at, messages: [{ kind: "unexpected", text: quote(text[at], "'") }] });
});

/** As Haskell shows text: what is not printable ASCII as its code. */
function quote(text: string, mark = '"'): string {
  const shown = [...text].map((c) => {
    const code = c.codePointAt(0)!, escaped = escapes[c];
    if (escaped) return escaped;
    return c === mark ? `\\${c}` : code < 32 || code > 126 ? `\\${code}` : c;
  });
  return mark + shown.join("") + mark;
}
const escapes: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\x7f": "\\DEL" };

/** Parses the start of a text. `what` names the parameter in the error, and `given` its value. */
export function parse<T>(parser: Parser<T>, text: string, what: string, given = text): T {
  const characters = [...text];
  const read = parser(characters, 0);
  if (read.isOk) return read.value;
  throw new RequestError(400, {
    code: "PGRST100",
    message: `"failed to parse ${what} (${given})" (${placeOf(characters, read.failure.at)})`,
    details: describe(read.failure),
  });
}

/** Tabs go to the next column of eight. */
function placeOf(text: string[], at: number): string {
  let line = 1, column = 1;
  for (const c of text.slice(0, at)) {
    if (c === "\n") [line, column] = [line + 1, 1];
    else column = c === "\t" ? column + 8 - (column - 1) % 8 : column + 1;
  }
  return `line ${line}, column ${column}`;
}

function describe({ messages }: Failure): string {
  if (!messages.length) return "unknown parse error";
  const texts = (kind: Kind) => messages.filter((message) => message.kind === kind).map(({ text }) => text);
  const named = (kind: Kind) => [...new Set(texts(kind).filter(Boolean))];
  const [first] = texts("found"), unexpected = named("unexpected"), expected = named("expected");
  return [
    unexpected.length
      ? `unexpected ${joined(unexpected)}`
      : first !== undefined
      ? `unexpected ${first || "end of input"}`
      : "",
    expected.length ? `expecting ${joined(expected)}` : "",
  ].filter(Boolean).join(" ");
}

const joined = (texts: string[]) =>
  texts.length < 2 ? texts.join() : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
