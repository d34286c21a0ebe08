// Function calls: selects the overload and builds the SELECT that calls it.
import { closest } from "./closest.ts";
import { RequestError } from "./errors.ts";
import type { Payload } from "./payload.ts";
import type { Argument, Routine } from "./schema_cache.ts";
import { arrayLiteral, identifier, join, type Name, nothing, qualified, type Sql, sql, trusted } from "./sql.ts";
import { payloadRows } from "./write_sql.ts";

/** The arguments: JSON of a POST, texts of a GET. */
export type CallArguments = { kind: "payload"; payload: Payload } | { kind: "query"; pairs: [string, string][] };

export const returnsScalar = (routine: Routine) => !routine.isComposite && !routine.isSet;
export const returnsScalars = (routine: Routine) => !routine.isComposite && routine.isSet;

const namesOf = (args: CallArguments) =>
  args.kind === "payload" ? args.payload.keys : [...new Set(args.pairs.map(([name]) => name))];

/** Finds the function with these arguments, or one that takes the whole body. */
export function findRoutine(routines: Routine[], called: Name, args: CallArguments, contentType: string): Routine {
  const named = routines.filter(({ schema, name }) => schema === called.schema && name === called.name);
  const given = namesOf(args);
  const byName = named.filter((routine) => takes(routine, given));
  const byBody = args.kind === "payload" ? named.filter((routine) => takesBody(routine, contentType)) : [];
  const found = byName.length ? byName : byBody;
  if (found.length === 1) return found[0];
  throw found.length ? ambiguous(found) : unknown(routines, named, called, given, args.kind === "payload");
}

function takes({ args }: Routine, given: string[]): boolean {
  const isUnnamed = args.length === 1 && args[0].name === "";
  return !isUnnamed && given.every((name) => args.some((arg) => arg.name === name)) &&
    args.every((arg) => !arg.isRequired || given.includes(arg.name));
}

const bodyTypes: Record<string, string[]> = {
  "text/plain": ["text"],
  "text/xml": ["xml"],
  "application/octet-stream": ["bytea"],
};

function takesBody({ args: [argument, ...others] }: Routine, contentType: string): boolean {
  if (!argument || others.length || argument.name !== "") return false;
  return (bodyTypes[contentType.split(";")[0]] ?? ["json", "jsonb"]).includes(argument.type);
}

export function callSql(routine: Routine, args: CallArguments): Sql {
  const [first] = routine.args;
  const isByBody = first?.name === "";
  const given = routine.args.filter(({ name }) => namesOf(args).includes(name));
  if (isByBody) {
    return select(routine, args.kind === "payload" ? sql`${args.payload.text}::${trusted(first.type)}` : nothing);
  }
  if (args.kind === "query") return select(routine, join(given.map((arg) => queryArgument(arg, args.pairs))));
  if (!given.length) return select(routine, nothing);
  const rows = payloadRows(args.payload, given, { isOneRow: true });
  const passed = given.map((arg) => sql`${prefix(arg)}pgrst_body.${identifier(arg.name)}`);
  return select(routine, join(passed), sql`${rows}, LATERAL `);
}

/** Quotes the name, which may be `limit` or `order`. */
const prefix = ({ name, isVariadic }: Argument) =>
  sql`${trusted(isVariadic ? "VARIADIC " : "")}${identifier(name)} := `;

function queryArgument(arg: Argument, pairs: [string, string][]): Sql {
  const values = pairs.filter(([name]) => name === arg.name).map(([, value]) => value);
  const value = arg.isVariadic ? arrayLiteral(values) : values.at(-1)!;
  return sql`${prefix(arg)}${value}::${trusted(arg.type)}`;
}

function select(routine: Routine, passed: Sql, before: Sql = nothing): Sql {
  const call = sql`${qualified(routine)}(${passed})`;
  return routine.isComposite
    ? sql`SELECT pgrst_call.* FROM ${before}${call} pgrst_call`
    : sql`SELECT pgrst_call.pgrst_scalar FROM ${before}(SELECT ${call} pgrst_scalar) pgrst_call`;
}

function ambiguous(found: Routine[]): RequestError {
  const signatures = found.map(({ schema, name, args }) =>
    `${schema}.${name}(${args.map((arg) => `${arg.name} => ${arg.type}`).join(", ")})`
  );
  return new RequestError(300, {
    code: "PGRST203",
    message: `Could not choose the best candidate function between: ${signatures.join(", ")}`,
    hint: "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
  });
}

function unknown(
  routines: Routine[],
  named: Routine[],
  called: Name,
  given: string[],
  isByBody: boolean,
): RequestError {
  const name = `${called.schema}.${called.name}`, sorted = [...given].sort();
  const parameters = `with parameter${sorted.length > 1 ? "s" : ""} ${sorted.join(", ")}`;
  const searched = (sorted.length ? parameters : "without parameters") +
    (isByBody ? " or with a single unnamed json/jsonb parameter" : "");
  return new RequestError(404, {
    code: "PGRST202",
    message: `Could not find the function ${name}${sorted.length ? `(${sorted.join(", ")})` : " without parameters"} ` +
      "in the schema cache",
    details: `Searched for the function ${name} ${searched}, but no matches were found in the schema cache.`,
    hint: hintFor(routines, named, called),
  });
}

function hintFor(routines: Routine[], named: Routine[], { schema, name }: Name): string | null {
  const meant = named.length === 1
    ? `${name}(${named[0].args.map((arg) => arg.name).sort().join(", ")})`
    : closest(name, routines.filter((routine) => routine.schema === schema).map((routine) => routine.name));
  return meant ? `Perhaps you meant to call the function ${schema}.${meant}` : null;
}
