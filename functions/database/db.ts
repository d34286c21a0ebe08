/**
 * The database: the one way in for a route that runs a public function as its caller (operations.ts), which costs one
 * round trip and meets grants and row level security as that role.
 */
import type postgres from "postgres";
import { env } from "../runtime/env.ts";
import {
  type Arguments,
  callParameters,
  callStatement,
  type Operation,
  type PublicRead,
  readStatement,
} from "./operations.ts";
import { READ_LIMIT_MS, timeoutError, withConnection, withLongConnection, withReadConnection } from "./pool.ts";
import { ApiError } from "../runtime/api_error.ts";
import { startTimeLimit } from "../runtime/start_time_limit.ts";

const { performance } = globalThis; // see runtime/start_time_limit.ts

/**
 * The result of a public function: HTTP status and JSON text as Postgres wrote it. From status 400 the text is an error envelope.
 */
export interface RpcResult {
  status: number;
  text: string;
}

/** The database as one caller sees it. */
export interface Db {
  call<O extends Operation>(operation: O, args: Arguments<O>): Promise<RpcResult>;
}

/** A template of a statement that runs as the service. */
export type Statement = <T extends readonly object[] = postgres.Row[]>(
  strings: TemplateStringsArray,
  ...values: postgres.SerializableParameter[]
) => Promise<postgres.RowList<T>>;

/** Runs a statement of a job as the service, without row level security. */
export const serviceSql: Statement = (strings, ...values) =>
  withConnection((sql) => sql(strings, ...values), STATEMENT_LIMIT_MS, idsIn(values));

/**
 * Runs a query as the service, without row level security, for a route: to write columns that only the service writes.
 * It waits for a lock as briefly as a call does (private.limit_lock_waits). What routes and jobs share uses it too.
 */
export const routeSql: Statement = (strings, ...values) => serviceSql(limitingLockWaits(strings), ...values);

/** Postgres evaluates a condition without columns once, before the query. */
function limitingLockWaits(strings: TemplateStringsArray): TemplateStringsArray {
  const texts = [...strings];
  texts[0] = `select q.* from (${texts[0]}`;
  texts[texts.length - 1] += ") q where (select private.limit_lock_waits())";
  return Object.assign(texts, { raw: strings.raw });
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The ids among the values: statements that share one may contend for the same rows. */
function idsIn(values: readonly unknown[]): string[] {
  const ids: string[] = [];
  for (const value of values) {
    if (typeof value !== "string" || value.length !== 36) continue;
    const id = value.toLowerCase();
    if (UUID.test(id) && !ids.includes(id)) ids.push(id);
  }
  return ids;
}

/** Like `serviceSql`, for a statement of a job that may take a minute. */
export function longServiceSql<T extends readonly object[] = postgres.Row[]>(
  strings: TemplateStringsArray,
  ...values: postgres.SerializableParameter[]
): Promise<postgres.RowList<T>> {
  return withLongConnection((sql) => sql<T>(strings, ...values), LONG_STATEMENT_LIMIT_MS);
}

/** For waiting, connecting and the statement together. Longer than their own limits, so they end only hung calls. */
const STATEMENT_LIMIT_MS = 30_000, LONG_STATEMENT_LIMIT_MS = 90_000;

const RETRYABLE_STATES = new Set(["40001", "40P01"]);

/** Retries up to twice after a serialization failure or a deadlock, which change nothing. */
export async function withRetry<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await run();
    } catch (error) {
      if (tries === 3 || !RETRYABLE_STATES.has((error as { code: string }).code)) throw error;
    }
  }
}

/** The database as the user with these claims (JSON text) and this id. */
export function dbAs(claims: string, userId?: string, run: Run = runWithLimit): Db {
  return {
    async call(operation, args) {
      const statement = callStatement(operation), parameters = callParameters(claims, args);
      const ids = idsIn([userId, ...Object.values(args)]);
      return onlyRow(
        await withRetry(() =>
          run((sql) => sql.unsafe<RpcResult[]>(statement, parameters, { prepare: !env.usesPooler }), ids)
        ),
      );
    },
  };
}

/** Statements with a common id have a share of the connections. */
type Run = <T>(work: (sql: postgres.Sql) => PromiseLike<T>, ids?: string[]) => Promise<T>;

const runWithLimit: Run = (work, ids) => withConnection(work, STATEMENT_LIMIT_MS, ids);

/** The row of a statement that always returns one. A lost connection once gave neither a row nor an error. */
export function onlyRow<T>([row]: readonly T[]): T {
  if (!row) throw new ApiError(503, "The database is unavailable");
  return row;
}

const ANONYMOUS_CLAIMS = '{"role":"anon"}';

/** The database as an anonymous caller. */
export const anonymousDb = dbAs(ANONYMOUS_CLAIMS);

/** The database as a caller with this IP address, by which private.client_address() limits calls. */
export const dbFrom = (clientAddress: string, claims = ANONYMOUS_CLAIMS, callerId?: string): Db =>
  dbAs(JSON.stringify({ ...JSON.parse(claims), client_address: clientAddress }), callerId);

/** The result of a public read. */
interface ReadResult {
  /** A strong ETag of the text. */
  etag: string;
  /** JSON text as Postgres wrote it; null if it has the ETag that the caller knows. */
  text: string | null;
}

/** The database for one public read: all its calls together take at most READ_LIMIT_MS. */
export interface PublicReads extends Db {
  read<R extends PublicRead>(read: R, args: Arguments<R>, knownEtag?: string): Promise<ReadResult>;
  serviceSql: Statement;
  /** Waits for work that continues if this read's time ends. */
  withinLimit<T>(work: Promise<T>): Promise<T>;
}

export function startPublicReads(): PublicReads {
  const end = performance.now() + READ_LIMIT_MS;
  const left = () => Math.max(0, end - performance.now());
  const run: Run = (work) => withReadConnection(work, left());
  return {
    ...dbAs(ANONYMOUS_CLAIMS, undefined, run),
    async read(read, args, knownEtag = "") {
      const statement = readStatement(read, args), parameters = [knownEtag, ...Object.values(args) as string[]];
      return onlyRow(await run((sql) => sql.unsafe<ReadResult[]>(statement, parameters, { prepare: !env.usesPooler })));
    },
    serviceSql: (strings, ...values) => run((sql) => sql(strings, ...values)),
    withinLimit<T>(work: Promise<T>) {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const clearLimit = startTimeLimit(left(), () => reject(timeoutError()));
      work.then(resolve, reject).finally(clearLimit);
      return promise;
    },
  };
}

/** Returns a public setting (sql/00_foundation); the database's error names a missing one. */
export async function getSetting(key: string): Promise<string> {
  const [{ value }] = await serviceSql<{ value: string }[]>`select private.get_setting(_key => ${key}) as value`;
  return value;
}
