/** Helpers of the service tests: a connection as `postgres`, and waiting for a condition. */
import { connectTo } from "../database.ts";
import type { StackInfo } from "../stack.ts";

/** A connection as `postgres` by default, closed at the end of the scope. */
export function asPostgres(stack: Pick<StackInfo, "dbUrl">, other: { database?: string; username?: string } = {}) {
  const sql = connectTo(stack.dbUrl, 2, other);
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) });
}

export { waitFor } from "../wait_for.ts";
