// Every request is one transaction, begun as PostgREST begins it: role, claims and request in one statement.
import { type Kysely, sql } from "kysely";
import type { Caller } from "./caller.ts";
import type { SchemaCache } from "./schema_cache.ts";

/** What the settings of a transaction are made from. */
export interface Turn {
  caller: Caller;
  request: Request;
  /** The path below /rest/v1. */
  path: string;
  /** Of the body; "" without one. */
  contentType: string;
  /** The profile asked for, else the first exposed schema. */
  schema: string;
}

const isRead = (method: string) => method === "GET" || method === "HEAD";

/** The called function's name, or undefined when the path is a table's. */
export const functionOf = (path: string) => /^\/rpc\/([^/]+)$/.exec(path)?.[1];

/** GET and HEAD may not write, and neither may a function that says it does not. */
function isReadOnly(turn: Turn, cache: SchemaCache): boolean {
  if (isRead(turn.request.method)) return true;
  const name = functionOf(turn.path);
  if (!name) return false;
  const called = cache.introspection.functions.filter((f) => f.schema === turn.schema && f.name === name);
  return called.length > 0 && called.every((f) => f.volatility !== "v");
}

/** `set_config(…, true)` for everything that a function or policy may ask about the request. */
export async function applySettings(transaction: Kysely<unknown>, turn: Turn, cache: SchemaCache) {
  const { caller, request, path, schema } = turn;
  const headers = Object.fromEntries(request.headers);
  const cookies = Object.fromEntries((headers.cookie ?? "").split(/; */).filter(Boolean).map((c) => c.split("=", 2)));
  const timeout = cache.functionTimeouts.get(`${schema}.${functionOf(path)}`);
  const settings: [string, string][] = [
    ["search_path", `"${schema.replaceAll('"', '""')}", "public", "extensions"`],
    ["role", caller.role],
    ["request.jwt.claims", JSON.stringify({ role: caller.role, ...caller.claims })],
    ["request.method", request.method],
    ["request.path", path],
    ["request.headers", JSON.stringify(headers)],
    ["request.cookies", JSON.stringify(cookies)],
    ["response.status", ""],
    ["response.headers", ""],
    ...cache.roleSettings.get(caller.role) ?? [],
    ...timeout ? [["statement_timeout", timeout] as [string, string]] : [],
    ...isReadOnly(turn, cache) ? [["transaction_read_only", "on"] as [string, string]] : [],
  ];
  await sql`select ${sql.join(settings.map(([name, value]) => sql`set_config(${name}, ${value}, true)`))}`
    .execute(transaction);
}
