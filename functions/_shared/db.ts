/**
 * The database: one pool, and the one way in for a route that runs a verb as its caller (`private.call`, in
 * sql/00_foundation), which costs one round trip and meets grants and row level security as that role.
 */
import postgres from "postgres";
import { env } from "./env.ts";

/** What a verb answered: the HTTP status, and the JSON text as Postgres wrote it. At 400 and above it is an envelope. */
export interface Answer {
  status: number;
  text: string;
}

/** The database as one caller sees it. */
export interface Db {
  call(verb: string, args?: Record<string, unknown>): Promise<Answer>;
}

/**
 * The database as the service: no row level security. Only the worker uses it, and the routes that must write
 * server-side columns; they say so by this name.
 */
export let service = open();

/**
 * A pool that outlives what the driver gets wrong (postgres 3.4.9), each of which ends the process or a connection's
 * use for good: it adds to a write that it has already scheduled (so one statement per connection at a time), nobody
 * hears when its question for array types fails (so it does not ask), and a connection that closes with a write
 * scheduled never writes again (so a pool that lost a connection is replaced, not mended).
 */
function open(): postgres.Sql {
  const pool = postgres(env.databaseUrl, {
    max: 16,
    ...{ max_pipeline: 1 }, // missing from the driver's types
    fetch_types: false,
    types: { texts: list(1009), bigints: list(1016) },
    prepare: !env.pooled,
    connect_timeout: 5,
    idle_timeout: 0, // sessions close for no other reason than the database's or the network's
    max_lifetime: null,
    connection: { application_name: "functions", statement_timeout: 8000 },
    onnotice: () => {},
    onclose() {
      if (pool !== service) return;
      service = open();
      pool.end({ timeout: 8 }).catch(() => {});
    },
  });
  return pool;
}

/** Lists as parameters (`${ids}::bigint[]`). As answers they come as JSON. */
function list(type: number): postgres.PostgresType<string[]> {
  const quoted = (value: unknown) => `"${String(value).replace(/["\\]/g, "\\$&")}"`;
  return { to: type, from: [], serialize: (values: unknown[]) => `{${values.map(quoted)}}`, parse: JSON.parse };
}

const raced = new Set(["40001", "40P01"]);

/** Runs it again, twice at most, when it lost a race that leaves nothing behind: a serialization failure or deadlock. */
export async function retried<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await run();
    } catch (error) {
      if (tries === 3 || !raced.has((error as { code: string }).code)) throw error;
    }
  }
}

// Claims and arguments travel as text: given as jsonb, the driver would encode the texts once more
const CALL = "select status, data::text as text from private.call($1::text::jsonb, $2, $3::text::jsonb)";

/** The database as the holder of these claims (JSON text). */
export function as(claims: string): Db {
  return {
    async call(verb, args) {
      const given = [claims, verb, args ? JSON.stringify(args) : "{}"];
      const [answer] = await retried(() => service.unsafe<Answer[]>(CALL, given, { prepare: !env.pooled }));
      return answer;
    },
  };
}

/** The database as someone without a token sees it. */
export const anyone = as('{"role":"anon"}');

/** A public setting (sql/00_foundation); the database names a missing one. */
export async function setting(key: string): Promise<string> {
  const [{ value }] = await service<{ value: string }[]>`select private.setting(${key}) as value`;
  return value;
}
