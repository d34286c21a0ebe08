/**
 * Pools of database connections. Each connection is a driver of its own and is replaced when it is lost, because of
 * faults of postgres 3.4.9 on Deno 2.1, each of which ends the process or blocks a connection forever:
 * - Two statements sent over one connection at the same moment can write the same bytes twice
 *   (https://github.com/denoland/deno/issues/29262). A connection here runs one work item at a time.
 * - An error of its own query for array types reaches no handler. The query is turned off.
 * - A connection that closes while it waits to write never writes again (https://github.com/porsager/postgres/issues/1208).
 */
import "./immediate_writes.ts";
import postgres from "postgres";
import { env } from "../runtime/env.ts";
import { ApiError } from "../runtime/api_error.ts";
import { startTimeLimit } from "../runtime/start_time_limit.ts";

interface Connection {
  sql: postgres.Sql;
  isLost: boolean;
}

type Work<T> = (sql: postgres.Sql) => PromiseLike<T>;

export interface Pool {
  /**
   * Runs work, one statement, on a connection of its own; waits while all connections are busy. After `limitMs`, which
   * includes waiting and connecting, the caller gets 503. If the server does not end the statement soon after, its
   * connection is closed. Work with a common key, such as the id of a user or an episode, has at most half of the
   * connections: callers who wait for one row leave the others to everyone else.
   */
  run<T>(work: Work<T>, limitMs?: number, keys?: readonly string[]): Promise<T>;
  /** Closes the connections of a test's own database. The pool can be used again. */
  close(): Promise<void>;
}

interface PoolOptions {
  size: number;
  /** The server ends a statement that takes longer. */
  statementTimeoutMs: number;
  connectTimeoutSeconds: number;
}

interface Waiting {
  keys: readonly string[];
  start: (free: Connection) => void;
}

/** How long the server may take to end a statement after its timeout before it counts as hung. */
const GRACE_MS = 1000;

export function openPool({ size, statementTimeoutMs, connectTimeoutSeconds }: PoolOptions): Pool {
  const connections = new Set<Connection>();
  let idle: Connection[] = [];
  let busy = 0;
  const waiting = new Set<Waiting>();
  const maxBusyPerKey = Math.max(1, Math.floor(size / 2));
  const busyPerKey = new Map<string, number>();

  /** How many connections the key that has the most of them has. */
  const share = (keys: readonly string[]) => keys.reduce((most, key) => Math.max(most, busyPerKey.get(key) ?? 0), 0);

  function occupy(keys: readonly string[]) {
    busy++;
    for (const key of keys) busyPerKey.set(key, (busyPerKey.get(key) ?? 0) + 1);
  }

  /** The work whose keys have the fewest connections; of several, the one that waits longest. */
  function nextWaiting(): Waiting | undefined {
    let next: Waiting | undefined, least = maxBusyPerKey;
    for (const one of waiting) {
      const its = share(one.keys);
      if (its < least) [next, least] = [one, its];
      if (least === 0) break;
    }
    return next;
  }

  function connect(): Connection {
    const sql = postgres(env.databaseUrl, {
      max: 1,
      prepare: !env.usesPooler,
      fetch_types: false,
      types: { texts: arrayType(1009), bigints: arrayType(1016) },
      connect_timeout: connectTimeoutSeconds,
      idle_timeout: 0, // only the database or the network closes a connection
      max_lifetime: null,
      connection: { application_name: "functions", statement_timeout: statementTimeoutMs },
      onnotice: () => {},
      onclose: () => lose(connection),
    });
    const connection: Connection = { sql, isLost: false };
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

  function release(connection: Connection, keys: readonly string[]) {
    busy--;
    for (const key of keys) {
      const left = busyPerKey.get(key)! - 1;
      if (left > 0) busyPerKey.set(key, left);
      else busyPerKey.delete(key);
    }
    if (!connection.isLost) idle.push(connection);
    for (let next; busy < size && (next = nextWaiting());) { // several, if each waited for another key
      waiting.delete(next);
      occupy(next.keys);
      next.start(idle.pop() ?? connect());
    }
  }

  function run<T>(work: Work<T>, limitMs?: number, keys: readonly string[] = []): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let clearLimit: (() => void) | undefined;
    let connection: Connection | undefined;

    function done() {
      clearLimit?.();
      if (connection) release(connection, keys);
      connection = undefined;
    }
    const turn: Waiting = { keys, start: begin };
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
      // the driver reports this before it closes: do not reuse the connection meanwhile
      if (connection && isNetworkError(error)) lose(connection);
      reject(error);
    }
    function giveUp() {
      reject(timeoutError());
      if (!connection) return waiting.delete(turn);
      clearLimit = startTimeLimit(statementTimeoutMs + GRACE_MS, () => {
        lose(connection!);
        done(); // ignore what the driver still reports
      });
    }

    if (limitMs !== undefined) clearLimit = startTimeLimit(limitMs, giveUp);
    if (busy < size && share(keys) < maxBusyPerKey) {
      occupy(keys);
      begin(idle.pop() ?? connect());
    } else waiting.add(turn);
    return promise;
  }

  async function close() {
    await Promise.all([...connections].map(({ sql }) => sql.end({ timeout: 1 })));
  }

  return { run, close };
}

export const timeoutError = () => new ApiError(503, "The database timed out");

/** Network errors have a code, as Postgres errors do. */
const isNetworkError = (error: unknown) =>
  error instanceof Error && !(error instanceof postgres.PostgresError) && "code" in error;

/** Arrays as parameters (`${ids}::bigint[]`). Results return arrays as JSON. */
function arrayType(type: number): postgres.PostgresType<string[]> {
  const quoted = (value: unknown) => `"${String(value).replace(/["\\]/g, "\\$&")}"`;
  return { to: type, from: [], serialize: (values: unknown[]) => `{${values.map(quoted)}}`, parse: JSON.parse };
}

/** For routes and for the worker. */
const pool = openPool({ size: 10, statementTimeoutMs: 8000, connectTimeoutSeconds: 5 });
export const withConnection = pool.run;

/** How long a long statement may take. */
const LONG_STATEMENT_TIMEOUT_MS = 60_000;
/** For jobs whose one statement may be long. */
const longPool = openPool({ size: 2, statementTimeoutMs: LONG_STATEMENT_TIMEOUT_MS, connectTimeoutSeconds: 5 });
export const withLongConnection = longPool.run;

/** How long a public read may wait for the database in all. */
export const READ_LIMIT_MS = 2000;
/** For public reads: slow ones take no connection of other work, and the server ends each within the limit. */
const readPool = openPool({ size: 10, statementTimeoutMs: READ_LIMIT_MS, connectTimeoutSeconds: 2 });
export const withReadConnection = readPool.run;

export async function closePool() {
  await Promise.all([pool.close(), longPool.close(), readPool.close()]);
}
