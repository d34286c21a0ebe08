// The SELECT that calls a function.
import type { Payload } from "./payload.ts";
import { arrayLiteral, column, identifier, join, nothing, qualified, type Sql, sql, trusted } from "./sql.ts";
import { payloadRows } from "./write_sql.ts";
import type { Argument, Routine } from "./catalog.ts";

/** The arguments: JSON, or texts of a GET or a form. */
export type CallArguments = { kind: "payload"; payload: Payload } | { kind: "query"; pairs: [string, string][] };

export const returnsScalar = (routine: Routine) => !routine.isComposite && !routine.isSet;
export const returnsScalars = (routine: Routine) => !routine.isComposite && routine.isSet;

/** The names of the given arguments. */
export const namesOf = (args: CallArguments) =>
  args.kind === "payload" ? args.payload.keys : [...new Set(args.pairs.map(([name]) => name))];

/** `returned` are the columns that the response needs: a column may be a function of the row. */
export function callSql(routine: Routine, args: CallArguments, returned: string[]): Sql {
  const [first] = routine.args;
  const given = routine.args.filter(({ name }) => namesOf(args).includes(name));
  if (first?.name === "") return select(routine, sql`${wholeBody(args)}::${trusted(first.type)}`, returned);
  if (args.kind === "query") {
    return select(routine, join(given.map((arg) => queryArgument(arg, args.pairs))), returned);
  }
  if (!given.length) return select(routine, nothing, returned);
  const typed = given.map(({ name, type }) => ({ name, type: unlimited(type) }));
  const rows = payloadRows(args.payload, typed, { isOneRow: true });
  const passed = given.map((arg) => sql`${prefix(arg)}pgrst_body.${identifier(arg.name)}`);
  return select(routine, join(passed), returned, sql`${rows}, LATERAL `);
}

const wholeBody = (args: CallArguments) =>
  args.kind === "payload" ? args.payload.text : JSON.stringify(Object.fromEntries(args.pairs));

/** An argument has no length, but as the type of a value `character` is `character(1)`. */
const unlimited = (type: string) => type.replace(/^(bit|character)(?=\[\]$|$)/, "$1 varying");

/** Quotes the name, which may be `limit` or `order`. */
const prefix = ({ name, isVariadic }: Argument) =>
  sql`${trusted(isVariadic ? "VARIADIC " : "")}${identifier(name)} := `;

function queryArgument(arg: Argument, pairs: [string, string][]): Sql {
  const values = pairs.filter(([name]) => name === arg.name).map(([, value]) => value);
  const value = arg.isVariadic ? arrayLiteral(values) : values.at(-1)!;
  return sql`${prefix(arg)}${value}::${trusted(unlimited(arg.type))}`;
}

function select(routine: Routine, passed: Sql, returned: string[], before: Sql = nothing): Sql {
  const call = sql`${qualified(routine)}(${passed})`;
  if (!routine.isComposite) {
    return sql`SELECT pgrst_call.pgrst_scalar FROM ${before}(SELECT ${call} pgrst_scalar) pgrst_call`;
  }
  const columns = returned.map((name) => column({ schema: "", name: "pgrst_call" }, name));
  return sql`SELECT ${columns.length ? join(columns) : trusted("*")} FROM ${before}${call} pgrst_call`;
}
