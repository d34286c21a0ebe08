/** What the tests of the stand-in services share: a connection as `postgres`, and waiting for a condition. */
import postgres from "postgres";
import type { StackInfo } from "../stack.ts";

/** A connection as `postgres` (unless told otherwise), closed at the end of the scope. */
export function asPostgres(stack: Pick<StackInfo, "dbUrl">, other: { database?: string; username?: string } = {}) {
  const sql = postgres(stack.dbUrl, {
    max: 2,
    onnotice: () => {},
    connection: { statement_timeout: 120_000 },
    ...other,
  });
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) });
}

/** Resolves with what `look` finds, as soon as that is truthy; fails when it never is. */
export async function eventually<T>(what: string, look: () => T | Promise<T>, seconds = 20): Promise<NonNullable<T>> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > until) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
