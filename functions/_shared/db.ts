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
export const service = postgres(env.databaseUrl, {
  max: 16,
  // One statement per connection at a time: nobody waits behind another's slow one, and the driver never adds to a
  // write that it has already scheduled, which under load ends the process (https://github.com/denoland/deno/issues/29262)
  ...{ max_pipeline: 1 }, // missing from the driver's types
  prepare: !env.pooled,
  connect_timeout: 5,
  idle_timeout: 60,
  connection: { application_name: "functions", statement_timeout: 8000 },
  onnotice: () => {},
});

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
