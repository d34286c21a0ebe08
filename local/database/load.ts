// The two ways to fill a fresh database: replay supabase/migrations, or load sql/.
import { join, relative } from "node:path";
import { migrate } from "./migrations.ts";
import postgres, { connected } from "../postgres/client.ts";
import { StartupError } from "../host/startup_error.ts";

const normalization = await Deno.readTextFile(join(import.meta.dirname!, "normalize_expressions.sql"));

/** Runs the migrations as every stack does. */
export async function replayMigrations(url: string, folder: string) {
  await migrate(url, { migrations: folder });
}

/** Runs every file of sql/ in the order of its path, then private.install(), which writes reference rows. */
export async function loadDeclared(url: string, folder: string) {
  await connected(url, async (sql) => {
    for (const file of await sqlFiles(folder)) await runFile(file, folder, (text) => sql.unsafe(text).simple());
    await sql`select private.install()`;
  });
}

/** Re-parses every expression that Postgres printed, so that equal databases print equal definitions. */
export async function normalizeExpressions(url: string) {
  await connected(url, (sql) => sql.unsafe(normalization).simple());
}

/** Every .sql file below `folder` in load order: by path. */
export async function sqlFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) files.push(...await sqlFiles(path));
    else if (entry.name.endsWith(".sql")) files.push(path);
  }
  return files.sort();
}

async function runFile(file: string, folder: string, send: (text: string) => Promise<unknown>) {
  const text = await Deno.readTextFile(file);
  try {
    await send(text);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    throw new StartupError(`sql/${relative(folder, file)}${lineOf(text, error)}: ${error.message} (${error.code})`);
  }
}

/** The line of an error. Postgres counts characters from 1. */
function lineOf(text: string, { position }: postgres.PostgresError): string {
  return position ? `:${text.slice(0, Number(position) - 1).split("\n").length}` : "";
}
