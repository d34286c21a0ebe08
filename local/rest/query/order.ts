// `order=`: columns of the table, or of a table on the one side of a relationship.
import { type Field, field, lexeme, name } from "./field.ts";
import {
  after,
  ahead,
  attempt,
  before,
  char,
  end,
  map,
  of,
  oneOf,
  optional,
  parse,
  type Parser,
  separated1,
  sequence,
  string,
} from "./parser.ts";
import { delimiter } from "./filter.ts";

export interface OrderTerm {
  field: Field;
  /** `order=podcasts(title)`: a column of the embedded table. */
  relation?: string;
  direction?: "ASC" | "DESC";
  nulls?: "NULLS FIRST" | "NULLS LAST";
}

const word = <T>(text: string, value: T) => attempt(map(after(delimiter, string(text)), () => value));
const endOfTerm = oneOf<unknown>(attempt(ahead(char(","))), attempt(end));
const direction = optional(oneOf(word("asc", "ASC" as const), word("desc", "DESC" as const)));
const nulls = oneOf<OrderTerm["nulls"]>(
  before(
    optional(oneOf(word("nullsfirst", "NULLS FIRST" as const), word("nullslast", "NULLS LAST" as const))),
    endOfTerm,
  ),
  after(endOfTerm, of(undefined)),
);

const relationTerm: Parser<OrderTerm> = map(
  sequence(name, before(after(char("("), field), char(")")), direction, nulls),
  ([relation, field, direction, nulls]) => ({ relation, field, direction, nulls }),
);
const plainTerm: Parser<OrderTerm> = map(
  sequence(field, direction, nulls),
  ([field, direction, nulls]) => ({ field, direction, nulls }),
);
const terms = separated1(lexeme(oneOf(attempt(relationTerm), plainTerm)), char(","));

export const parseOrder = (text: string): OrderTerm[] => parse(terms, text, "order");
