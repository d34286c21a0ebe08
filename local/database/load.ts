// The two ways to fill a fresh project: replay supabase/migrations, or load sql/ as it stands today.
import { join, relative } from "node:path";
import postgres from "postgres";
import { CannotStart } from "../cannot_start.ts";
import { migrate } from "../migrations.ts";
import { connected } from "./scratch.ts";

const settling = await Deno.readTextFile(join(import.meta.dirname!, "settle.sql"));

/** Runs the migrations as every stack does. */
export async function replayMigrations(url: string, folder: string) {
  await migrate(url, { migrations: folder });
}

/** Loads every file of sql/ in the order of its path, then lets `private.install()` write the data that belongs to it. */
export async function loadDeclared(url: string, folder: string) {
  await connected(url, async (sql) => {
    for (const file of await sqlFiles(folder)) await run(file, folder, (text) => sql.unsafe(text).simple());
    await sql`select private.install()`;
  });
}

/** Has Postgres read its own printouts back, so that two databases that mean the same also print the same. */
export async function settle(url: string) {
  await connected(url, (sql) => sql.unsafe(settling).simple());
}

/** Every .sql file below `folder`, in the order in which it loads: by path. */
export async function sqlFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) files.push(...await sqlFiles(path));
    else if (entry.name.endsWith(".sql")) files.push(path);
  }
  return files.sort();
}

async function run(file: string, folder: string, send: (text: string) => Promise<unknown>) {
  const text = await Deno.readTextFile(file);
  try {
    await send(text);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    throw new CannotStart(`sql/${relative(folder, file)}${place(text, error)}: ${error.message} (${error.code})`);
  }
}

/** Postgres counts characters from 1; people count lines. */
function place(text: string, { position }: postgres.PostgresError): string {
  return position ? `:${text.slice(0, Number(position) - 1).split("\n").length}` : "";
}
