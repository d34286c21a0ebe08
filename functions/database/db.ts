/**
 * The database: the one way in for a route that runs a public function as its caller (operations.ts), which costs one
 * round trip and meets grants and row level security as that role.
 */
import type postgres from "postgres";
import {
  type Arguments,
  callParameters,
  callStatement,
  isPublicRead,
  type Operation,
  type PublicRead,
  readStatement,
} from "./operations.ts";
import { createOutageGuard } from "./outages.ts";
import { pool, timeoutError, type WorkLimits } from "./pool.ts";
import { ReturnedError } from "./returned_error.ts";
import { limitedTemplate, requestOf, type StatementLimits, textOf } from "./statements.ts";
import { ApiError } from "../runtime/api_error.ts";
import { startTimeLimit } from "../runtime/start_time_limit.ts";

const { performance } = globalThis; // see runtime/start_time_limit.ts

/** The result of a public function: HTTP status below 400, and JSON text as Postgres wrote it. */
export interface RpcResult {
  status: number;
  text: string;
}

/** The database as one caller sees it. */
export interface Db {
  /** Throws the errors that a function raises, and those that it returns. */
  call<O extends Operation>(operation: O, args: Arguments<O>): Promise<RpcResult>;
}

/** A template of a statement that runs as the service. */
export type Statement = <T extends readonly object[] = postgres.Row[]>(
  strings: readonly string[],
  ...values: postgres.SerializableParameter[]
) => Promise<postgres.RowList<T>>;

/** What a statement may take, and how long its caller waits for it, which ends only hung ones. */
interface Limits extends StatementLimits, Pick<WorkLimits, "kind"> {
  callerMs: number;
}

const CALL: Limits = { kind: "call", statementMs: 8000, callerMs: 30_000, namesRequest: true };
/** Jobs have an isolate of their own, so they leave no connection to others. */
const JOB: Limits = { statementMs: 60_000, callerMs: 90_000, lockWait: "8s", namesRequest: true };
/** A read's calls share one time for waiting, connecting and all statements. */
const READ: Limits = { kind: "read", statementMs: 2000, callerMs: 2000 };

const statementWith = (limits: Limits): Statement => (strings, ...values) => {
  const template = limitedTemplate(textOf(strings), limits);
  const parameters = [...values, ...requestOf(limits)]; // of this context: the pool may run it in another one
  return pool.run((sql) => sql(template, ...parameters), { ...limits, keys: idsIn(values) });
};

/** Runs a query of a job as the service, without row level security. */
export const serviceSql = statementWith(JOB);

/**
 * Runs a query as the service, without row level security, for a route: to write columns that only the service writes.
 * What routes and jobs share uses it too.
 */
export const routeSql = statementWith(CALL);

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

/**
 * The ids among the arguments of a function, and the slug of the podcast that they name. A public read has no caller: one
 * of neither counts by its name, so that oEmbed or sitemaps never take all connections.
 */
export function keysIn(operation: Operation, args: { podcastSlug?: unknown; slug?: unknown }): string[] {
  const keys = idsIn(Object.values(args)), isRead = isPublicRead(operation);
  const slug = isRead ? args.slug : args.podcastSlug;
  if (typeof slug === "string") keys.push(slug);
  return keys.length === 0 && isRead ? [operation] : keys;
}

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

/** How a call runs: work with a common key or caller has a share of the connections. */
type Run = <T>(work: (sql: postgres.Sql) => PromiseLike<T>, share: Pick<WorkLimits, "keys" | "caller">) => Promise<T>;

const runCall: Run = (work, share) => pool.run(work, { ...CALL, ...share });

/** The database as a caller with these claims (JSON text): a user's id, or an IP address. */
export function dbAs(claims: string, caller?: string, run = runCall, limits = CALL): Db {
  return {
    async call(operation, args) {
      const template = limitedTemplate(callStatement(operation), limits);
      const parameters = [...callParameters(claims, args), ...requestOf(limits)];
      const share = { keys: keysIn(operation, args), caller };
      const result = onlyRow(await withRetry(() => run((sql) => sql<RpcResult[]>(template, ...parameters), share)));
      if (result.status >= 400) throw new ReturnedError(result.text);
      return result;
    },
  };
}

/** The row of a statement that always returns one. A lost connection once gave neither a row nor an error. */
export function onlyRow<T>([row]: readonly T[]): T {
  if (!row) throw new ApiError(503, "The database is unavailable");
  return row;
}

const ANONYMOUS_CLAIMS = '{"role":"anon"}';

/** The database as an anonymous caller. */
export const anonymousDb = dbAs(ANONYMOUS_CLAIMS);

/** The database as a caller with this IP address, which private.client_address() returns. */
export const dbFrom = (clientAddress: string, claims = ANONYMOUS_CLAIMS, callerId?: string): Db =>
  dbAs(`${claims.slice(0, -1)},"client_address":${JSON.stringify(clientAddress)}}`, callerId ?? clientAddress);

/** The result of a public read. */
interface ReadResult {
  /** A strong ETag of the text. */
  etag: string;
  /** JSON text as Postgres wrote it; null if it has the ETag that the caller knows. */
  text: string | null;
}

/** The database for one public read: all its calls together take at most the time of READ. */
export interface PublicReads extends Db {
  read<R extends PublicRead>(read: R, args: Arguments<R>, knownEtag?: string): Promise<ReadResult>;
  serviceSql: Statement;
  /** Waits for work that continues if this read's time ends. */
  withinLimit<T>(work: Promise<T>): Promise<T>;
}

/**
 * A read of a podcast that does not exist. Its error is an answer, and it also meets locks on what each read needs. It
 * may take the connection that reads leave to others: while reads hang, it is the one that learns why.
 */
const probe = (onStart: () => void) =>
  pool.run((sql) => (onStart(), sql(limitedTemplate(PROBE, READ), "", "")), { ...READ, kind: undefined });
const PROBE = readStatement("get_public_podcast", { slug: "" });
const outageGuard = createOutageGuard(probe);

/** Work that never had its turn tells nothing of the database. */
async function runRead<T>(work: (sql: postgres.Sql) => PromiseLike<T>, limits: WorkLimits): Promise<T> {
  let hasStarted = false;
  try {
    return await pool.run((sql) => (hasStarted = true, work(sql)), limits);
  } catch (error) {
    if (hasStarted) outageGuard.report(error);
    throw error;
  }
}

export function startPublicReads(): PublicReads {
  const end = performance.now() + READ.callerMs;
  const left = () => Math.max(0, end - performance.now());
  const run: Run = (work, share) => outageGuard.run(() => runRead(work, { ...READ, callerMs: left(), ...share }));
  return {
    ...dbAs(ANONYMOUS_CLAIMS, undefined, run, READ),
    async read(read, args, knownEtag = "") {
      const template = limitedTemplate(readStatement(read, args), READ);
      const parameters = [knownEtag, ...Object.values(args) as string[]], share = { keys: keysIn(read, args) };
      return onlyRow(await run((sql) => sql<ReadResult[]>(template, ...parameters), share));
    },
    serviceSql(strings, ...values) {
      const template = limitedTemplate(textOf(strings), READ);
      return run((sql) => sql(template, ...values), { keys: values.filter((value) => typeof value === "string") });
    },
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
  const [{ value }] = await routeSql<{ value: string }[]>`select private.get_setting(_key => ${key}) as value`;
  return value;
}
