/**
 * Connections to the database that outlive what the driver gets wrong (postgres 3.4.9 on this Deno), each of which
 * ends the process, or the use of a connection for good:
 * - Two statements that are sent over one connection at the same moment can write twice what was written once
 *   (https://github.com/denoland/deno/issues/29262). So there are never more at work than there are connections.
 * - Nobody hears when its own question for array types fails. So it does not ask.
 * - A connection that closes while it waits to write never writes again (https://github.com/porsager/postgres/issues/1208).
 *   So a pool that lost a connection is replaced, not mended.
 */
import postgres from "postgres";
import { env } from "./env.ts";

const CONNECTIONS = 10;

let current = open();

function open(): postgres.Sql {
  const pool = postgres(env.databaseUrl, {
    max: CONNECTIONS,
    prepare: !env.pooled,
    fetch_types: false,
    types: { texts: list(1009), bigints: list(1016) },
    connect_timeout: 5,
    idle_timeout: 0, // none closes but by the database or the network
    max_lifetime: null,
    connection: { application_name: "functions", statement_timeout: 8000 },
    onnotice: () => {},
    onclose() {
      if (pool !== current) return;
      current = open();
      pool.end({ timeout: 8 }).catch(() => {}); // what is still at work there may end
    },
  });
  return pool;
}

/** Lists as parameters (`${ids}::bigint[]`). As answers they come as JSON. */
function list(type: number): postgres.PostgresType<string[]> {
  const quoted = (value: unknown) => `"${String(value).replace(/["\\]/g, "\\$&")}"`;
  return { to: type, from: [], serialize: (values: unknown[]) => `{${values.map(quoted)}}`, parse: JSON.parse };
}

let working = 0;
const waiting: (() => void)[] = [];

/** Does work for which a connection is free: a statement, or a transaction. Work that is too much waits its turn. */
export async function pooled<T>(work: (sql: postgres.Sql) => PromiseLike<T>): Promise<T> {
  if (working < CONNECTIONS) working++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work(current);
  } finally {
    const next = waiting.shift(); // it takes over our place
    if (next) next();
    else working--;
  }
}

/** Closes the connections, for a test that has its own database. */
export async function closePool() {
  const pool = current;
  current = open(); // lazily: nothing connects before it is used
  await pool.end({ timeout: 1 });
}
