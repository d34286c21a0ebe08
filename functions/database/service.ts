/**
 * Calls of SQL functions as the service, without row level security: `service("end_object_removal", { id })`. The
 * functions, their arguments and results come from the catalog (types/service.ts): those that sql/ grants to service_role
 * alone. A query that is more than one call is a template of db.ts.
 */
import { Buffer } from "node:buffer";
import { serviceFunctions } from "../../types/service.ts";
import type { Database } from "../../types/database.ts";
import { onlyRow, routeSql, serviceSql, type Statement, withRetry } from "./db.ts";
import { type CamelName, toCamelName } from "./operations.ts";

type Functions = typeof serviceFunctions;
type ServiceFunction = keyof Functions;

/** The arguments by their names in TypeScript: episodeId is episode_id or _episode_id in SQL. An absent one has its default. */
type ServiceArguments<F extends ServiceFunction, Args = Functions[F]["args"]> =
  & { [Name in keyof Args as Args[Name] extends Defaulted ? never : ArgumentName<Name>]: Argument<Args[Name]> }
  & { [Name in keyof Args as Args[Name] extends Defaulted ? ArgumentName<Name> : never]?: Argument<Args[Name]> };

type Defaulted = `${string} default ${string}`;
type ArgumentName<Name> = CamelName<Name extends `_${infer Rest}` ? Rest : Name>;

/** Only an argument whose default is null may be null. */
type Argument<Type> = Type extends `${infer Of} default null` ? Input<Of> | null
  : Type extends `${infer Of} default ${string}` ? Input<Of>
  : Input<Type>;
type Input<Type> = Type extends `${infer Element}[]` ? readonly Input<Element>[]
  : Type extends "boolean" ? boolean
  : Type extends "integer" | "double precision" | "numeric" ? number
  : Type extends "bigint" ? number | string
  : Type extends "timestamp with time zone" ? Date | string
  : Type extends "bytea" ? Uint8Array
  : Type extends "jsonb" ? object | JsonText
  : Type extends `public.${infer Name}` ? Enum<Name>
  : string;

/** JSON that is text already. */
type JsonText = string;
type Enum<Name> = Name extends keyof Enums ? Enums[Name] : string;
type Enums = Database["public"]["Enums"];

/**
 * Rows, or one value, which is null only if the catalog cannot exclude it: a boolean is not. The catalog does not know
 * the shape of JSON, nor which columns may be null: the caller declares it.
 */
type ServiceResult<F extends ServiceFunction> = Functions[F]["returns"] extends infer Type ? Type extends "void" ? void
  : Type extends "boolean" ? boolean
  : Type extends string ? Output<Type> | null
  : { -readonly [Column in keyof Type]: Output<Type[Column]> }[]
  : never;
/** A bigint is text, an element of an array a number, which is exact up to 2^53. */
type Output<Type> = Type extends "bigint[]" ? number[]
  : Type extends "timestamp with time zone[]" ? string[]
  : Type extends `${infer Element}[]` ? Output<Element>[]
  : Type extends "boolean" ? boolean
  : Type extends "integer" | "double precision" ? number
  : Type extends "timestamp with time zone" ? Date
  : Type extends "bytea" ? Uint8Array
  : Type extends "jsonb" ? unknown
  : Type extends `public.${infer Name}` ? Enum<Name>
  : string;

type JsonFunction = { [F in ServiceFunction]: Functions[F]["returns"] extends "jsonb" ? F : never }[ServiceFunction];

export interface Service {
  /** Calls the function, up to twice again after a serialization failure or a deadlock. */
  <F extends ServiceFunction>(name: F, args: ServiceArguments<F>): Promise<ServiceResult<F>>;
  /** The same for a function that returns JSON, as the text that Postgres wrote. */
  text<F extends JsonFunction>(name: F, args: ServiceArguments<F>): Promise<JsonText | null>;
}

/** For jobs. */
export const service = serviceWith(serviceSql);
/** For routes, and for what routes and jobs share: it waits for a lock as briefly as a call does. */
export const routeService = serviceWith(routeSql);

/** Calls with the templates of a public read, within its limit. */
export function serviceWith(statement: Statement): Service {
  const run = async (name: ServiceFunction, args: object, isText = false) => {
    const returns: Returns = serviceFunctions[name].returns;
    const { strings, values } = callOf(name, args, isText ? "text" : returns);
    const rows = await withRetry(() => statement(strings, ...values));
    if (typeof returns === "object") return [...rows];
    const { result } = onlyRow(rows);
    return returns === "void" ? undefined : result;
  };
  const text: Service["text"] = (name, args) => run(name, args, true);
  return Object.assign(run as unknown as Service, { text });
}

type Returns = string | Record<string, string>;

/** Only named arguments, in the order of the function: one prepared statement for each set of names. */
function callOf(name: ServiceFunction, given: object, returns: Returns) {
  const all = argumentsOf(name), strings = [`private.${name}(`], values: (string | null)[] = [];
  const unknown = Object.keys(given).find((key) => !all.has(key));
  if (unknown) throw new Error(`private.${name} has no argument ${unknown}`);
  for (const [key, { sqlName, type }] of all) {
    const value = (given as Record<string, unknown>)[key];
    if (value === undefined) continue;
    strings[values.length] += `${values.length > 0 ? ", " : ""}"${sqlName}" => `;
    values.push(toText(value, type));
    strings.push(type === "text" ? "::text" : `::text::${type}`);
  }
  strings[values.length] += ")";
  const [before, after] = queryAround(returns);
  strings[0] = before + strings[0];
  strings[values.length] += after;
  return { strings, values };
}

type ArgumentMap = Map<string, { sqlName: string; type: string }>;
const argumentMaps = new Map<ServiceFunction, ArgumentMap>();

function argumentsOf(name: ServiceFunction): ArgumentMap {
  let found = argumentMaps.get(name);
  if (!found) {
    const declared: [string, string][] = Object.entries(serviceFunctions[name].args);
    found = new Map(declared.map(([sqlName, text]) => {
      const [type] = text.split(" default ");
      return [toCamelName(sqlName.replace(/^_/, "")), { sqlName, type }];
    }));
    argumentMaps.set(name, found);
  }
  return found;
}

/** The driver reads no array, so arrays come as JSON. */
function queryAround(returns: Returns): [before: string, after: string] {
  if (returns === "text") return ["select ", "::text as result"];
  if (typeof returns === "string") {
    return returns.endsWith("[]") ? ["select to_json(", ") as result"] : ["select ", " as result"];
  }
  const columns = Object.entries(returns).map(([name, type]) =>
    type.endsWith("[]") ? `to_json("${name}") as "${name}"` : `"${name}"`
  );
  return [`select ${columns.join(", ")} from `, ""];
}

/** Postgres casts each value from text: the driver would encode JSON twice, and cut times to milliseconds. */
function toText(value: unknown, type: string): string | null {
  if (value === null || typeof value === "string") return value;
  if (type === "jsonb") return JSON.stringify(value);
  if (Array.isArray(value)) return `{${value.map((element) => toElement(element)).join()}}`;
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  return value instanceof Date ? value.toISOString() : String(value);
}

const toElement = (value: unknown) => value === null ? "null" : `"${toText(value, "")!.replace(/["\\]/g, "\\$&")}"`;
