// Every request is one transaction, which starts as in PostgREST: one statement sets role, claims and request.
import type { Caller } from "../wire/caller.ts";
import { identifier, join, type Name, qualified, type Sql, sql, statement } from "./sql.ts";
// @ts-types="../database/pg.d.ts"
import pg from "pg";

/** The source of the settings of a transaction. */
export interface RequestScope {
  caller: Caller;
  request: Request;
  /** The path below /rest/v1. */
  path: string;
  /** The requested schema, by default the first exposed one. */
  schema: string;
  /** Whether the response names the schema. */
  isNegotiated: boolean;
}

export interface TransactionOptions {
  isReadOnly: boolean;
  roleSettings: [name: string, value: string][];
  /** Has effect only before its statement. */
  statementTimeout?: string | null;
  timezone?: string;
  extraSearchPath: string[];
  preRequest?: Name;
  /** Undoes what the transaction wrote, after deferred constraints are checked. */
  isRolledBack: boolean;
}

/** Runs a statement of the transaction. */
export type Run = <Row>(query: Sql) => Promise<Row[]>;

/** Parses bytea and text[]. All other values are text. */
const types = {
  getTypeParser: (oid: number) => oid === 17 || oid === 1009 ? pg.types.getTypeParser(oid) : (text: string) => text,
};

export function createPool(connectionString: string) {
  const pool = new pg.Pool({ connectionString, max: 10, idleTimeoutMillis: 0 });
  pool.on("error", () => {}); // an idle connection closed; the pool opens another
  // an error between the pool's listener and ours would be uncaught
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

/** Runs a transaction. An error of `run` rolls it back; a lost connection ends it. */
export async function inTransaction<T>(
  pool: ReturnType<typeof createPool>,
  scope: RequestScope,
  options: TransactionOptions,
  run: (run: Run) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let lost: Error | undefined;
  const onError = (error: Error) => void (lost = error);
  client.on("error", onError);
  const execute: Run = async <Row>(query: Sql) => {
    const { rows } = await client.query({ ...statement(query), types });
    return rows as Row[];
  };
  try {
    await client.query(options.isReadOnly ? "begin read only" : "begin");
    await execute(settingsSql(scope, options));
    if (options.preRequest) await execute(sql`select ${qualified(options.preRequest)}()`);
    const result = await run(execute);
    await client.query(options.isRolledBack ? "set constraints all immediate; rollback" : "commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((failure: Error) => void (lost ??= failure));
    throw error;
  } finally {
    client.off("error", onError);
    client.release(lost);
  }
}

/** `set_config(…, true)` for all that functions and policies may read of the request. */
function settingsSql({ caller, request, path, schema }: RequestScope, options: TransactionOptions): Sql {
  const headers = Object.fromEntries(request.headers);
  const cookies = Object.fromEntries((headers.cookie ?? "").split(/; */).filter(Boolean).map((c) => c.split("=", 2)));
  const searchPath = [schema, ...options.extraSearchPath].map((name) => identifier(name).parts[0] as string);
  const settings: [string, string][] = [
    ["search_path", searchPath.join(", ")],
    ...options.roleSettings,
    ["role", caller.role],
    ["request.jwt.claims", JSON.stringify({ role: caller.role, ...caller.claims })],
    ["request.method", request.method],
    ["request.path", path],
    ["request.headers", JSON.stringify(headers)],
    ["request.cookies", JSON.stringify(cookies)],
    ["response.status", ""],
    ["response.headers", ""],
    ["pgrst.inserted", ""],
    ...options.timezone ? [["timezone", options.timezone] as [string, string]] : [],
    ...options.statementTimeout ? [["statement_timeout", options.statementTimeout] as [string, string]] : [],
  ];
  return sql`select ${join(settings.map(([name, value]) => sql`set_config(${name}, ${value}, true)`))}`;
}
