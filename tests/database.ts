// Database connections of tests.
import postgres from "../local/postgres/client.ts";

/** Opens up to `max` connections. Statements fail after two minutes, so that a test cannot hang. */
export function connectTo(
  url: string,
  max: number,
  other: { database?: string; username?: string } = {},
): postgres.Sql {
  return postgres(url, { max, onnotice: () => {}, connection: { statement_timeout: 120_000 }, ...other });
}

/** A connection as `postgres` by default, closed at the end of the scope. */
export function asPostgres({ dbUrl }: { dbUrl: string }, other: { database?: string; username?: string } = {}) {
  const sql = connectTo(dbUrl, 2, other);
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) });
}
