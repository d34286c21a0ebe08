// Database connections of tests.
import "../functions/database/immediate_writes.ts";
import postgres from "postgres";

/** Up to `max` connections. A statement that never ends fails after two minutes, and its test with it. */
export function connectTo(
  url: string,
  max: number,
  other: { database?: string; username?: string } = {},
): postgres.Sql {
  return postgres(url, { max, onnotice: () => {}, connection: { statement_timeout: 120_000 }, ...other });
}
