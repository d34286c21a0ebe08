// `select=`: columns, and related tables with their own columns.
import { type Field, field, identifier, lexeme, name, nameOfPath } from "./field.ts";
import {
  after,
  ahead,
  attempt,
  before,
  char,
  end,
  map,
  never,
  not,
  of,
  oneOf,
  optional,
  parse,
  type Parser,
  separated1,
  sequence,
  string,
  then,
} from "./parser.ts";

export interface SelectedField {
  kind: "field";
  field: Field;
  cast?: string;
  alias?: string;
  aggregate?: Aggregate;
  /** `...table(count())` counts its rows. */
  isWholeRow?: boolean;
  /** The function that represents the column as JSON. */
  format?: string;
}

export interface Aggregate {
  name: "sum" | "avg" | "count" | "max" | "min";
  /** The type of the result. */
  cast?: string;
}

export interface SelectedRelation {
  kind: "relation";
  name: string;
  alias?: string;
  hint?: string;
  isInner: boolean;
  /** `...name(…)`: the columns become members of the outer row. */
  isSpread: boolean;
  select: SelectItem[];
}

export type SelectItem = SelectedField | SelectedRelation;

const endOfField = oneOf<unknown>(attempt(ahead(string(")"))), attempt(ahead(string(","))), attempt(end));
const alias = optional(attempt(before(name, sequence(char(":"), not(char(":"))))));
const cast = optional(after(string("::"), identifier));
const everything: Field = { name: "*", path: [] };

const star: Parser<SelectedField> = map(
  before(string("*"), endOfField),
  () => ({ kind: "field", field: everything, alias: undefined }),
);
const count: Parser<SelectedField> = map(
  before(sequence(alias, string("count()"), cast), endOfField),
  ([alias, _, cast]) => ({ kind: "field", field: everything, aggregate: { name: "count", cast }, alias }),
);
const aggregate = oneOf<Aggregate["name"]>(
  ...(["sum", "avg", "count"] as const).map((name) => map(string(name), () => name)),
  ...(["max", "min"] as const).map((name) => attempt(map(string(name), () => name))),
);
const column: Parser<SelectedField> = map(
  before(
    sequence(alias, field, cast, optional(attempt(before(after(char("."), aggregate), string("()")))), cast),
    endOfField,
  ),
  ([alias, field, cast, name, resultCast]) => ({
    kind: "field",
    field,
    cast,
    alias: alias ?? (name ? undefined : nameOfPath(field)),
    aggregate: name && { name, cast: resultCast },
  }),
);
const selectedField = lexeme(oneOf(attempt(star), attempt(count), column));

interface Option {
  hint?: string;
  join?: "left" | "inner";
}
const option: Parser<Option> = after(
  char("!"),
  oneOf<Option>(
    attempt(map(string("left"), () => ({ join: "left" }))),
    attempt(map(string("inner"), () => ({ join: "inner" }))),
    attempt(map(name, (hint) => ({ hint }))),
  ),
);
const options = map(sequence(optional(option), optional(option)), ([first, second]) => ({
  hint: first?.hint ?? second?.hint,
  isInner: (first?.join ?? second?.join) === "inner",
}));
const opening = attempt(ahead(string("(")));

type Relation = Omit<SelectedRelation, "select">;
const spread: Parser<Relation> = lexeme(map(
  sequence(after(string("..."), name), options, opening),
  ([name, options]) => ({ kind: "relation", name, ...options, isSpread: true }),
));
const relation: Parser<Relation> = lexeme(then(
  sequence(alias, then(name, (name) => name === "count" ? never : of(name))),
  ([alias, name]) =>
    map(sequence(options, opening), ([options]) => ({ kind: "relation", name, alias, ...options, isSpread: false })),
));

const embedded: Parser<SelectItem[]> = (text, at) => before(after(char("("), selection), char(")"))(text, at);
const withSelect = (relation: Parser<Relation>): Parser<SelectItem> =>
  then(attempt(relation), (relation) => map(embedded, (select) => ({ ...relation, select })));
const item = oneOf<SelectItem>(withSelect(spread), withSelect(relation), selectedField);
const selection = map(optional(separated1(item, lexeme(char(",")))), (items = []) => items);

/** As PostgREST, it ignores a rest that no item begins with. */
export const parseSelect = (text: string): SelectItem[] => parse(selection, text, "select parameter");
