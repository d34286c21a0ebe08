// Runs the text of SQL files, and finds the lines of their errors.
import postgres from "../postgres/client.ts";
import { StartupError } from "../host/startup_error.ts";

/** Runs the text of a file and records it in one transaction. Throws StartupError with file and line. */
export async function asOneTransaction(
  sql: postgres.Sql,
  file: string,
  text: string,
  record?: (transaction: postgres.TransactionSql) => Promise<unknown>,
) {
  const work = sql.begin(async (transaction) => {
    await transaction.unsafe(text).simple();
    await transaction`reset all`; // settings such as search_path end with the file
    await record?.(transaction);
  });
  await work.catch((error) => throwWithLine(file, text, error));
}

/** Runs the text of a file that is one statement, outside transactions. Throws StartupError with file and line. */
export async function asOneStatement(sql: postgres.Sql, file: string, text: string) {
  await sql.unsafe(text).simple().catch((error) => throwWithLine(file, text, error));
}

function throwWithLine(file: string, text: string, error: unknown): never {
  if (!(error instanceof postgres.PostgresError) || error.code === "53100") throw error; // a full disk is not an error of the file
  throw new StartupError(`${file}${lineOf(text, error)}: ${error.message} (${error.code})`);
}

/** ":line" of an error, if Postgres gives its position, which counts characters from 1. */
export function lineOf(text: string, { position }: postgres.PostgresError): string {
  return position ? `:${[...text].slice(0, Number(position) - 1).filter((char) => char === "\n").length + 1}` : "";
}
