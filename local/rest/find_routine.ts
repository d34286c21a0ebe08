// Finds the function of a call: one whose parameters have the names of the arguments, or one that takes the whole body.
import { closest } from "./closest.ts";
import { RequestError } from "./errors.ts";
import { rawTypes } from "./payload.ts";
import type { Name } from "./sql.ts";
import type { Routine } from "./catalog.ts";

interface Called {
  name: Name;
  /** The names of the arguments. */
  given: string[];
  /** The media type of the body of a POST; undefined for GET and HEAD. */
  bodyType?: string;
}

/** Among several functions none is better. `routines` are in the order of PostgREST's message. */
export function findRoutine(routines: Routine[], called: Called): Routine {
  const named = routines.filter(({ schema, name }) => schema === called.name.schema && name === called.name.name);
  const byName = named.filter((routine) => takesNames(routine, called));
  const found = byName.length ? byName : named.filter((routine) => takesBody(routine, called));
  if (found.length === 1) return found[0];
  throw found.length ? ambiguous(found) : unknown(routines, named, called);
}

/** An unnamed parameter has the name "". */
function takesNames({ args }: Routine, { given, bodyType }: Called): boolean {
  if (!args.length) return !given.length && !rawTypes.has(bodyType ?? "");
  return given.every((name) => args.some((arg) => arg.name === name)) &&
    args.every((arg) => !arg.isRequired || given.includes(arg.name));
}

function takesBody({ args: [argument, ...others] }: Routine, { bodyType }: Called): boolean {
  if (!argument || others.length || argument.name !== "" || bodyType === undefined) return false;
  if (bodyType === "application/json") return argument.type === "json" || argument.type === "jsonb";
  return argument.type === rawTypes.get(bodyType);
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

function unknown(routines: Routine[], named: Routine[], { name: { schema, name }, given, bodyType }: Called) {
  const sorted = [...given].sort();
  const rawType = rawTypes.get(bodyType ?? "");
  const parameters = sorted.length
    ? ` with parameter${sorted.length > 1 ? "s" : ""} ${sorted.join(", ")}`
    : " without parameters";
  const searched = rawType
    ? ` with a single unnamed ${rawType} parameter`
    : bodyType === "application/json"
    ? `${parameters} or with a single unnamed json/jsonb parameter`
    : parameters;
  const shown = rawType ? "" : sorted.length ? `(${sorted.join(", ")})` : " without parameters";
  return new RequestError(404, {
    code: "PGRST202",
    message: `Could not find the function ${schema}.${name}${shown} in the schema cache`,
    details: `Searched for the function ${schema}.${name}${searched}, but no matches were found in the schema cache.`,
    hint: rawType ? null : hint(routines, named, schema, name, sorted),
  });
}

/** The nearest parameters of the function's overloads, or the nearest function. */
function hint(routines: Routine[], named: Routine[], schema: string, name: string, given: string[]): string | null {
  const listed = (names: string[]) => `(${[...names].sort().join(", ")})`;
  const lists = named.map(({ args }) => listed(args.map((arg) => arg.name)));
  const others = routines.filter((routine) => routine.schema === schema).map((routine) => routine.name);
  const near = named.length ? closest(listed(given), lists, 0.33) : closest(name, others, 0.75);
  if (near === undefined) return null;
  return `Perhaps you meant to call the function ${schema}.${named.length ? name : ""}${near}`;
}
