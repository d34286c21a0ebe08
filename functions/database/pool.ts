/**
 * The database connections of an isolate: few, and closed a few seconds after their last use, because Auth, Storage,
 * REST and all other isolates share the database's connections. Time limits belong to the statements (db.ts): a
 * transaction pooler refuses startup parameters and keeps no settings.
 *
 * Each connection is a driver of its own and is replaced when it is lost, because of faults of postgres 3.4.9 on Deno
 * 2.1, each of which ends the process or blocks a connection forever:
 * - Two statements sent over one connection at the same moment can write the same bytes twice
 *   (https://github.com/denoland/deno/issues/29262). A connection here runs one work item at a time.
 * - An error of its own query for array types reaches no handler. The query is turned off.
 * - A connection that closes while it waits to write never writes again (https://github.com/porsager/postgres/issues/1208).
 */
import "./immediate_writes.ts";
import postgres from "postgres";
import { databaseUrls, env } from "../runtime/env.ts";
import { ApiError } from "../runtime/api_error.ts";
import { startTimeLimit } from "../runtime/start_time_limit.ts";
import { FIND_LIMITS, findPodcasts } from "./find_podcasts.ts";
import { connectTls } from "./tls_socket.ts";
import { openTurns, type Turn } from "./turns.ts";

const { performance } = globalThis; // see runtime/start_time_limit.ts

interface Connection {
  sql: postgres.Sql;
  url: string;
  /** Whether the server has accepted it. */
  isOpen: boolean;
  isLost: boolean;
  /** When its last work ended. */
  idleSince: number;
}

type Work<T> = (sql: postgres.Sql) => PromiseLike<T>;

export interface WorkLimits extends Partial<Omit<Turn, "start">> {
  /** When Postgres ends the statement. The pool closes a connection whose server has not done so soon after. */
  statementMs: number;
  /** The caller gets 503 after this time, which includes waiting and connecting. */
  callerMs?: number;
}

export interface Pool {
  /** Runs work, one statement, on a connection of its own; waits while all connections are busy. */
  run<T>(work: Work<T>, limits: WorkLimits): Promise<T>;
  /** Closes the connections of a test's own database. The pool can be used again. */
  close(): Promise<void>;
}

interface PoolOptions {
  size: number;
  connectTimeoutSeconds?: number;
  /** How long a connection stays open without work. */
  idleMs?: number;
  /** Finds the key that each key belongs to, with one statement, which FIND_LIMITS limit. */
  findOwners?: (sql: postgres.Sql, keys: string[]) => Promise<Map<string, string>>;
}

/** How long the server may take to end a statement after its limit before it counts as hung. */
const GRACE_MS = 1000;

export function openPool({ size, connectTimeoutSeconds = 5, idleMs = 10_000, findOwners }: PoolOptions): Pool {
  const connections = new Set<Connection>();
  let idle: Connection[] = []; // the least recently used first
  let stopIdleTimer: (() => void) | undefined;
  const urls = [...databaseUrls]; // new connections use the first
  const turns = openTurns(size, findOwners && ((keys) => run((sql) => findOwners(sql, keys), FIND_LIMITS)));

  function connect(): Connection {
    const [url] = urls;
    const sql = postgres(url, {
      max: 1,
      prepare: url === env.SUPABASE_DB_URL, // a transaction pooler sends each statement to another session
      fetch_types: false,
      types: { texts: arrayType(1009), bigints: arrayType(1016) },
      connect_timeout: connectTimeoutSeconds,
      idle_timeout: 0, // the driver's timer could close a connection that has just got work
      max_lifetime: null,
      ...env.DATABASE_CA && { socket: () => connectTls(url, env.DATABASE_CA!, 1000 * connectTimeoutSeconds) },
      connection: { application_name: "functions" }, // the only parameter that every pooler accepts
      onnotice: () => {},
      onclose: () => lose(connection),
    });
    const connection: Connection = { sql, url, isOpen: false, isLost: false, idleSince: 0 };
    connections.add(connection);
    return connection;
  }

  function lose(connection: Connection) {
    if (connection.isLost) return;
    connection.isLost = true;
    connections.delete(connection);
    idle = idle.filter((other) => other !== connection);
    connection.sql.end({ timeout: 0 }).catch(() => {}); // rejects pending statements
  }

  /** Closes the connections that have been idle for `idleMs`, and comes back for the others. */
  function closeIdle() {
    const end = performance.now() - idleMs;
    while (idle.length > 0 && idle[0].idleSince <= end) lose(idle[0]);
    stopIdleTimer = idle.length > 0 ? startTimeLimit(idle[0].idleSince - end, closeIdle) : undefined;
  }

  function release(connection: Connection) {
    if (connection.isLost) return;
    connection.isOpen = true;
    connection.idleSince = performance.now();
    idle.push(connection);
    stopIdleTimer ??= startTimeLimit(idleMs, closeIdle);
  }

  function run<T>(work: Work<T>, { statementMs, callerMs, keys = [], ...limits }: WorkLimits): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let clearLimit: (() => void) | undefined;
    let connection: Connection | undefined;
    let startedAt = 0, isRunning = false, mayTryOtherUrl = urls.length > 1;

    function done() {
      clearLimit?.();
      if (!isRunning) return;
      isRunning = false;
      if (connection) release(connection);
      connection = undefined;
      turns.end(turn);
    }
    const turn: Turn = { keys, ...limits, start: begin };
    function begin() {
      isRunning = true;
      startedAt = performance.now();
      try {
        connection = idle.pop() ?? connect();
        Promise.resolve(work(connection.sql)).then(resolve, fail).catch(reject).then(done);
      } catch (error) {
        fail(error);
        done();
      }
    }
    function fail(error: unknown): unknown {
      if (connection && mayTryOtherUrl && isRefused(connection, error)) {
        mayTryOtherUrl = false;
        lose(connection);
        if (connection.url === urls[0]) urls.push(urls.shift()!);
        connection = connect();
        return work(connection.sql).then(resolve, fail);
      }
      const isEnded = isFatal(error);
      if (!isEnded && !isNetworkError(error)) return reject(error);
      // the driver reports this before it closes: do not reuse the connection meanwhile
      if (connection) lose(connection);
      // Postgres ends the session of a statement that exceeds its limit, of which the driver tells only the end
      if (performance.now() - startedAt >= statementMs) return reject(timeoutError());
      reject(isEnded ? new ApiError(503, "The database is unavailable", { cause: error }) : error);
    }
    function giveUp() {
      reject(timeoutError());
      if (!isRunning) return turns.cancel(turn);
      clearLimit = startTimeLimit(statementMs + GRACE_MS, () => {
        if (!connection) return; // on a busy machine, the limit was once seen to end after the work
        lose(connection);
        done(); // ignore what the driver still reports
      });
    }

    if (callerMs !== undefined) clearLimit = startTimeLimit(callerMs, giveUp);
    turns.add(turn);
    return promise;
  }

  async function close() {
    stopIdleTimer?.();
    stopIdleTimer = undefined;
    await Promise.all([...connections].map(({ sql }) => sql.end({ timeout: 1 })));
  }

  return { run, close };
}

export const timeoutError = () => new ApiError(503, "The database timed out");

/** Whether the server ended the session. PgBouncer's errors have no other severity than this one. */
const isFatal = (error: unknown): error is postgres.PostgresError =>
  error instanceof postgres.PostgresError && error.severity_local === "FATAL";
/** Whether it did so before the first statement because of who connects. PgBouncer says 08P01, Supavisor XX000. */
const isRefused = (connection: Connection, error: unknown) =>
  !connection.isOpen && isFatal(error) && /^(28|08|XX)/.test(error.code);

/** Network errors have a code, as Postgres errors do. */
const isNetworkError = (error: unknown) =>
  error instanceof Error && !(error instanceof postgres.PostgresError) && "code" in error;

/** Arrays as parameters (`${ids}::bigint[]`). Results return arrays as JSON. */
function arrayType(type: number): postgres.PostgresType<string[]> {
  const quoted = (value: unknown) => `"${String(value).replace(/["\\]/g, "\\$&")}"`;
  return { to: type, from: [], serialize: (values: unknown[]) => `{${values.map(quoted)}}`, parse: JSON.parse };
}

/** The isolate's only pool. */
export const pool = openPool({ size: env.DATABASE_CONNECTIONS, findOwners: findPodcasts });
export const closePool = pool.close;
