// Scans a parameter of the query string from left to right.
import { RequestError } from "../errors.ts";

/** The maximum depth, because parsing is recursive. */
const maxDepth = 64;

const quotedPattern = /"((?:[^"\\]|\\.)*)"/ys;
const namePattern = /[\p{L}\p{Nd}_ $]+(?:-(?!>)[\p{L}\p{Nd}_ $]+)*/yu;

export class Scanner {
  at = 0;
  private depth = 0;
  /** `what` names the parameter in the error; `before` counts the characters that PostgREST puts before the text. */
  constructor(private readonly text: string, private readonly what: string, private readonly before = 0) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Consumes and returns the match of a sticky pattern. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  skip(literal: string): boolean {
    const isThere = this.text.startsWith(literal, this.at);
    if (isThere) this.at += literal.length;
    return isThere;
  }

  sees(literal: string): boolean {
    return this.text.startsWith(literal, this.at);
  }

  expect(literal: string) {
    if (!this.skip(literal)) this.fail(`"${literal}"`);
  }

  skipBlanks() {
    this.match(/[ \t]*/y);
  }

  /** Consumes a string in double quotes and returns it unescaped. */
  quoted(): string | undefined {
    return this.match(quotedPattern)?.[1].replace(/\\(.)/gs, "$1");
  }

  optionalName(): string | undefined {
    return this.quoted() ?? (this.match(namePattern)?.[0].trim() || undefined);
  }

  /** `orElse` names what else may be there. */
  name(orElse = ""): string {
    return this.optionalName() ?? this.fail(`field name (* or [a..z0..9_$])${orElse}`);
  }

  /** Runs `read` one level deeper. */
  nested<T>(read: () => T): T {
    if (++this.depth > maxDepth) this.fail(`at most ${maxDepth} levels`);
    const result = read();
    this.depth--;
    return result;
  }

  list<T>(read: () => T): T[] {
    const items = [read()];
    while (this.skip(",")) items.push(read());
    return items;
  }

  rest(): string {
    const rest = this.text.slice(this.at);
    this.at = this.text.length;
    return rest;
  }

  fail(expected: string): never {
    const quote = expected.endsWith("end of input") ? "'" : '"'; // as PostgREST's parser
    const found = this.isAtEnd ? "end of input" : `${quote}${this.text[this.at]}${quote}`;
    throw new RequestError(400, {
      code: "PGRST100",
      message: `"failed to parse ${this.what} (${this.text})" (line 1, column ${this.before + this.at + 1})`,
      details: `unexpected ${found} expecting ${expected}`,
    });
  }
}
