/**
 * Pools of database connections. Each connection is a driver of its own (postgres 3.4.9 on this Deno) and is replaced
 * when it is lost, because of what the driver gets wrong, each of which ends the process or a connection's use for good:
 * - Two statements sent over one connection at the same moment can write twice what was written once
 *   (https://github.com/denoland/deno/issues/29262). A connection here does one work at a time.
 * - A failure of its own question for array types reaches no handler. It does not ask.
 * - A connection that closes while it waits to write never writes again (https://github.com/porsager/postgres/issues/1208).
 */
import "./immediate_writes.ts";
import postgres from "postgres";
import { env } from "../app/env.ts";
import { ApiError } from "../app/errors.ts";

interface Connection {
  sql: postgres.Sql;
  isLost: boolean;
}

type Work<T> = (sql: postgres.Sql) => PromiseLike<T>;

export interface Pool {
  /**
   * Does work on a connection of its own: one statement. Work waits while all connections are busy.
   * After `limitMs`, which includes this wait and connecting, the caller gets a 503; a statement that the server does
   * not end by itself soon after loses its connection.
   */
  run<T>(work: Work<T>, limitMs?: number): Promise<T>;
  /** Closes the connections, for a test that has its own database. The pool can be used again. */
  close(): Promise<void>;
}

interface PoolOptions {
  size: number;
  /** The server ends a statement that takes longer. */
  statementTimeoutMs: number;
  connectTimeoutSeconds: number;
}

/** How long the server may take to end a statement that is over its timeout, before it counts as hung. */
const GRACE_MS = 1000;

export function openPool({ size, statementTimeoutMs, connectTimeoutSeconds }: PoolOptions): Pool {
  const all = new Set<Connection>();
  let idle: Connection[] = [];
  let busy = 0;
  const waiting = new Set<(free: Connection) => void>();

  function connect(): Connection {
    const sql = postgres(env.databaseUrl, {
      max: 1,
      prepare: !env.pooled,
      fetch_types: false,
      types: { texts: arrayType(1009), bigints: arrayType(1016) },
      connect_timeout: connectTimeoutSeconds,
      idle_timeout: 0, // none closes but by the database or the network
      max_lifetime: null,
      connection: { application_name: "functions", statement_timeout: statementTimeoutMs },
      onnotice: () => {},
      onclose: () => lose(connection),
    });
    const connection: Connection = { sql, isLost: false };
    all.add(connection);
    return connection;
  }

  function lose(connection: Connection) {
    if (connection.isLost) return;
    connection.isLost = true;
    all.delete(connection);
    idle = idle.filter((other) => other !== connection);
    connection.sql.end({ timeout: 0 }).catch(() => {}); // rejects what is at work
  }

  function release(connection: Connection) {
    const [next] = waiting;
    if (next) {
      waiting.delete(next);
      return next(connection.isLost ? connect() : connection);
    }
    busy--;
    if (!connection.isLost) idle.push(connection);
  }

  function run<T>(work: Work<T>, limitMs?: number): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let timer: number | undefined;
    let connection: Connection | undefined;

    function done() {
      clearTimeout(timer);
      if (connection) release(connection);
      connection = undefined;
    }
    function begin(free: Connection) {
      connection = free;
      try {
        work(free.sql).then(resolve, fail).then(done);
      } catch (error) {
        fail(error);
        done();
      }
    }
    function fail(error: unknown) {
      // the driver says so before it closes: the connection must not be taken again meanwhile
      if (connection && isNetworkError(error)) lose(connection);
      reject(error);
    }
    function giveUp() {
      reject(timeoutError());
      if (!connection) return waiting.delete(begin);
      timer = setTimeout(() => {
        lose(connection!);
        done(); // whatever the driver still says
      }, statementTimeoutMs + GRACE_MS);
    }

    if (limitMs !== undefined) timer = setTimeout(giveUp, limitMs);
    if (busy < size) {
      busy++;
      begin(idle.pop() ?? connect());
    } else waiting.add(begin);
    return promise;
  }

  async function close() {
    await Promise.all([...all].map(({ sql }) => sql.end({ timeout: 1 })));
  }

  return { run, close };
}

export const timeoutError = () => new ApiError(503, "The database took too long");

/** Network failures have a code, as Postgres' errors have. */
const isNetworkError = (error: unknown) =>
  error instanceof Error && !(error instanceof postgres.PostgresError) && "code" in error;

/** Lists as parameters (`${ids}::bigint[]`). As answers they come as JSON. */
function arrayType(type: number): postgres.PostgresType<string[]> {
  const quoted = (value: unknown) => `"${String(value).replace(/["\\]/g, "\\$&")}"`;
  return { to: type, from: [], serialize: (values: unknown[]) => `{${values.map(quoted)}}`, parse: JSON.parse };
}

/** For routes that act for a caller, and for the worker. */
const pool = openPool({ size: 10, statementTimeoutMs: 8000, connectTimeoutSeconds: 5 });
export const withConnection = pool.run;

/** How long a public read may wait for the database in all. */
export const READ_LIMIT_MS = 2000;
/** For public reads: slow ones take no connection from other work, and the server ends each within their limit. */
const readPool = openPool({ size: 10, statementTimeoutMs: READ_LIMIT_MS, connectTimeoutSeconds: 2 });
export const withReadConnection = readPool.run;

export async function closePool() {
  await Promise.all([pool.close(), readPool.close()]);
}
