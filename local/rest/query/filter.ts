// Filters: `column=operator.value`, and `and`/`or` trees of them.
import { type Field, readField } from "./field.ts";
import { Scanner } from "./scanner.ts";

export type Operation =
  | { kind: "compare"; operator: string; quantifier?: "any" | "all"; value: string }
  | { kind: "in"; values: string[] }
  | { kind: "is"; keyword: string }
  | { kind: "distinct"; value: string }
  | { kind: "search"; query: string; language?: string; value: string };

export interface Filter {
  kind: "filter";
  field: Field;
  isNegated: boolean;
  operation: Operation;
}

export interface LogicGroup {
  kind: "group";
  operator: "and" | "or";
  isNegated: boolean;
  conditions: Condition[];
}

export type Condition = Filter | LogicGroup;

/** Operators with a quantifier: `like(any).{a*,b*}`. */
const quantifiable: Record<string, string> = {
  eq: "=",
  gte: ">=",
  gt: ">",
  lte: "<=",
  lt: "<",
  like: "like",
  ilike: "ilike",
  match: "~",
  imatch: "~*",
};
const plain: Record<string, string> = {
  neq: "<>",
  cs: "@>",
  cd: "<@",
  ov: "&&",
  sl: "<<",
  sr: ">>",
  nxr: "&<",
  nxl: "&>",
  adj: "-|-",
};
const searches: Record<string, string> = {
  fts: "to_tsquery",
  plfts: "plainto_tsquery",
  phfts: "phraseto_tsquery",
  wfts: "websearch_to_tsquery",
};
const keywords: Record<string, string> = {
  null: "NULL",
  not_null: "NOT NULL",
  true: "TRUE",
  false: "FALSE",
  unknown: "UNKNOWN",
};

const quantifiedPattern = /(eq|gte|gt|lte|lt|like|ilike|match|imatch)(?:\((any|all)\))?\./y;
const plainPattern = /(neq|cs|cd|ov|sl|sr|nxr|nxl|adj)\./y;
const searchPattern = /(fts|plfts|phfts|wfts)(?:\(([\p{L}\p{Nd}_ $]+)\))?\./yu;
const keywordPattern = /null|not_null|true|false|unknown/yi;

/** Parses the operator and value of a parameter; undefined without an operator. */
export function parseOperation(text: string): Pick<Filter, "isNegated" | "operation"> | undefined {
  const scanner = new Scanner(text, "filter");
  return readOperation(scanner, () => scanner.rest());
}

export function failAsFilter(text: string): never {
  const scanner = new Scanner(text, "filter");
  return scanner.fail('"not" or operator (eq, gt, ...)');
}

/** `and=(…)`, `or=(…)` and `not.or=(…)`: `operator` and negation are the parameter's name. */
export function parseLogic(text: string, operator: "and" | "or", isNegated: boolean): LogicGroup {
  const scanner = new Scanner(text, "logic tree", operator.length + (isNegated ? "not.".length : 0));
  return readGroup(scanner, operator, isNegated); // PostgREST ignores a rest
}

function readGroup(scanner: Scanner, operator: "and" | "or", isNegated: boolean): LogicGroup {
  scanner.skipBlanks();
  scanner.expect("(");
  const conditions = scanner.nested(() => scanner.list(() => readCondition(scanner)));
  scanner.expect(")");
  scanner.skipBlanks();
  return { kind: "group", operator, isNegated, conditions };
}

function readCondition(scanner: Scanner): Condition {
  scanner.skipBlanks();
  const group = scanner.match(/(not\.)?(and|or)(?=[ \t]*\()/y);
  if (group) return readGroup(scanner, group[2] as "and" | "or", group[1] !== undefined);
  const field = readField(scanner, ", negation operator (not) or logic operator (and, or)");
  scanner.expect(".");
  const read = readOperation(scanner, () => readLogicValue(scanner));
  return { kind: "filter", field, ...read ?? scanner.fail("operator (eq, gt, ...)") };
}

function readOperation(scanner: Scanner, readValue: () => string) {
  const isNegated = scanner.skip("not.");
  const operation = readOperator(scanner, readValue);
  return operation && { isNegated, operation };
}

function readOperator(scanner: Scanner, readValue: () => string): Operation | undefined {
  if (scanner.skip("in.")) return { kind: "in", values: readList(scanner) };
  if (scanner.skip("is.")) {
    const keyword = scanner.match(keywordPattern)?.[0];
    if (!keyword) scanner.fail("isVal: (null, not_null, true, false, unknown)");
    return { kind: "is", keyword: keywords[keyword.toLowerCase()] };
  }
  if (scanner.skip("isdistinct.")) return { kind: "distinct", value: readValue() };
  const search = scanner.match(searchPattern);
  if (search) return { kind: "search", query: searches[search[1]], language: search[2], value: readValue() };
  const simple = scanner.match(plainPattern);
  if (simple) return { kind: "compare", operator: plain[simple[1]], value: readValue() };
  const quantified = scanner.match(quantifiedPattern);
  if (!quantified) return;
  const [, name, quantifier] = quantified;
  const value = readValue();
  return {
    kind: "compare",
    operator: quantifiable[name],
    quantifier: quantifier as "any" | "all" | undefined,
    value: name.endsWith("like") ? value.replaceAll("*", "%") : value,
  };
}

function readList(scanner: Scanner): string[] {
  scanner.skipBlanks();
  scanner.expect("(");
  scanner.skipBlanks();
  const values = scanner.list(() => readElement(scanner));
  scanner.expect(")");
  scanner.skipBlanks();
  return values;
}

/** A value is quoted only if no text follows the quotes. */
function readElement(scanner: Scanner): string {
  const start = scanner.at;
  const quoted = scanner.quoted();
  if (quoted !== undefined && (scanner.isAtEnd || scanner.sees(",") || scanner.sees(")"))) return quoted;
  scanner.at = start;
  return scanner.match(/[^,)]*/y)![0];
}

function readLogicValue(scanner: Scanner): string {
  const start = scanner.at;
  const quoted = scanner.quoted();
  if (quoted !== undefined && (scanner.isAtEnd || scanner.sees(",") || scanner.sees(")"))) return quoted;
  scanner.at = start;
  return scanner.match(/\{[^{}]*\}/y)?.[0] ?? scanner.match(/[^,)]*/y)![0];
}
