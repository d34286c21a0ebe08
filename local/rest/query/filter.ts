// Filters: `column=operator.value`, and `and`/`or` trees of them.
import { type Field, field, identifier, lexeme, noneOf, quoted, text } from "./field.ts";
import {
  after,
  attempt,
  before,
  char,
  label,
  many,
  map,
  not,
  of,
  oneOf,
  optional,
  parse,
  type Parser,
  separated1,
  sequence,
  string,
} from "./parser.ts";

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

export const delimiter = label("delimiter (.)", char("."));

const operators = (names: string[]) =>
  label("unknown single value operator", oneOf(...names.map((name) => attempt(string(name)))));
const inAnyCase = (word: string): Parser<unknown> =>
  sequence(...[...word].map((c) => oneOf(char(c), char(c.toUpperCase()))));

const list: Parser<string[]> = before(
  after(lexeme(char("(")), separated1(elementOf(), char(","))),
  lexeme(char(")")),
);
const keyword: Parser<string> = label(
  "isVal: (null, not_null, true, false, unknown)",
  oneOf(...Object.keys(keywords).map((word) => attempt(map(inAnyCase(word), () => keywords[word])))),
);
const quantifier = optional(
  attempt(before(
    after(char("("), oneOf(attempt(string("any")), string("all"))),
    char(")"),
  )),
) as Parser<"any" | "all" | undefined>;

/** A value without the comma or parenthesis after it; quotes are part of it if text follows them. */
function elementOf(...others: Parser<string>[]): Parser<string> {
  const whole = attempt(before(quoted, not(noneOf(",)"))));
  return oneOf(whole, ...others, text(many(noneOf(",)"))));
}

const isNegated = oneOf(attempt(map(sequence(string("not"), delimiter), () => true)), of(false));

/** An operator, `not.` before it and its value. */
function operationWith(value: Parser<string>): Parser<Pick<Filter, "isNegated" | "operation">> {
  const valueAfter = <T>(operator: Parser<T>) => sequence(before(operator, delimiter), value);
  const operation = label(
    "operator (eq, gt, ...)",
    oneOf<Operation>(
      map(after(attempt(sequence(string("in"), delimiter)), list), (values) => ({ kind: "in", values })),
      map(after(attempt(sequence(string("is"), delimiter)), keyword), (keyword) => ({ kind: "is", keyword })),
      map(
        after(attempt(sequence(string("isdistinct"), delimiter)), value),
        (value) => ({ kind: "distinct", value }),
      ),
      attempt(map(
        sequence(
          oneOf(...Object.keys(searches).map((name) => attempt(string(name)))),
          optional(attempt(before(after(char("("), identifier), char(")")))),
          after(delimiter, value),
        ),
        ([name, language, value]) => ({ kind: "search", query: searches[name], language, value }),
      )),
      attempt(map(
        valueAfter(operators(Object.keys(plain))),
        ([name, value]) => ({ kind: "compare", operator: plain[name], value }),
      )),
      attempt(map(
        valueAfter(sequence(operators(Object.keys(quantifiable)), quantifier)),
        ([[name, quantifier], value]) => ({
          kind: "compare",
          operator: quantifiable[name],
          quantifier,
          value: name.endsWith("like") ? value.replaceAll("*", "%") : value,
        }),
      )),
    ),
  );
  return map(sequence(isNegated, operation), ([isNegated, operation]) => ({ isNegated, operation }));
}

const filterOperation = operationWith((characters, at) => ({
  isOk: true,
  hasConsumed: at < characters.length,
  value: characters.slice(at).join(""),
  at: characters.length,
  failure: { at: characters.length, messages: [] },
}));
const argument = oneOf(filterOperation, of(undefined));

/** Parses the operator and value of a parameter. An argument of a function has none: undefined. */
export const parseOperation = (text: string, canBeArgument: boolean) =>
  parse(canBeArgument ? argument : filterOperation, text, "filter");

const array = map(sequence(string("{"), text(many(noneOf("{}"))), string("}")), (parts) => parts.join(""));
const logicFilter: Parser<Condition> = map(
  sequence(field, after(delimiter, operationWith(elementOf(attempt(array))))),
  ([field, operation]) => ({ kind: "filter", field, ...operation }),
);
const negation = label("negation operator (not)", isNegated);
const logicOperator = label(
  "logic operator (and, or)",
  oneOf(attempt(string("and")), string("or")),
) as Parser<LogicGroup["operator"]>;

const conditions: Parser<Condition[]> = (text, at) => separated1(condition, lexeme(char(",")))(text, at);
const group: Parser<Condition> = map(
  sequence(negation, logicOperator, before(after(lexeme(char("(")), conditions), lexeme(char(")")))),
  ([isNegated, operator, conditions]) => ({ kind: "group", operator, isNegated, conditions }),
);
const condition = oneOf(attempt(logicFilter), group);

/** `and=(…)`, `or=(…)` and `not.or=(…)`: PostgREST reads the parameter's last names and its value as one text. */
export const parseLogic = (operator: string, text: string): Condition =>
  parse(condition, operator + text, "logic tree", text);
