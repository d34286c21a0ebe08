/**
 * The database: the one way in for a route that runs a verb as its caller (`private.call`, in
 * sql/00_foundation), which costs one round trip and meets grants and row level security as that role.
 */
import type postgres from "postgres";
import { env } from "./env.ts";
import { pooled } from "./pool.ts";
import { Refusal } from "./refusal.ts";

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
export function service<T extends readonly object[] = postgres.Row[]>(
  strings: TemplateStringsArray,
  ...values: postgres.SerializableParameter[]
): Promise<postgres.RowList<T>> {
  return pooled((sql) => sql<T>(strings, ...values));
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
const CALL = "select status, data::text as text from private.call($1::text::json, $2, $3::text::jsonb)";

/** The database as the holder of these claims (JSON text). */
export function as(claims: string): Db {
  return {
    async call(verb, args) {
      const given = [claims, verb, args ? JSON.stringify(args) : "{}"];
      const [answer] = await retried(() =>
        pooled((sql) => sql.unsafe<Answer[]>(CALL, given, { prepare: !env.pooled }))
      );
      // seen once of a connection that was lost on the way: the driver gave neither a row nor an error
      if (!answer) throw new Refusal(503, "The database cannot be reached");
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
