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
