// Brings a database to where supabase/ says it should be: its migrations.
import { join } from "node:path";
import postgres, { connected } from "./postgres_client.ts";
import { StartupError } from "./startup_error.ts";
import type { Project } from "./project.ts";

/** As the CLI keeps its books, so that `supabase migration list` reads them. */
const BOOKS = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (
    version text primary key, statements text[], name text, created_by text, idempotency_key text unique, rollback text[]
  );
  create table if not exists supabase_migrations.seed_files (path text primary key, hash text not null);`;

/** Applies what is missing. `url` connects as `postgres`: a migration that needs a superuser fails here as it would there. */
export async function migrate(url: string, { migrations }: Pick<Project, "migrations">) {
  await connected(url, async (sql) => {
    await sql.unsafe(BOOKS).simple();
    for (const file of await outstanding(sql, migrations)) await applyMigration(sql, migrations, file);
  });
}

const MIGRATION = /^(\d+)_(.*)\.sql$/;

async function outstanding(sql: postgres.Sql, folder: string): Promise<string[]> {
  const applied = await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations`;
  const versions = new Set(applied.map(({ version }) => version));
  const files: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) {
      const version = MIGRATION.exec(name)?.[1];
      if (version && !versions.has(version)) files.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files.sort();
}

async function applyMigration(sql: postgres.Sql, folder: string, file: string) {
  const [, version, name] = MIGRATION.exec(file)!;
  const text = await Deno.readTextFile(join(folder, file));
  await asOneTransaction(sql, `supabase/migrations/${file}`, text, (transaction) =>
    transaction`
      insert into supabase_migrations.schema_migrations (version, name, statements)
      values (${version}, ${name}, array[${text}])`);
}

/** Runs the text of a file and what records it; a refusal names the file and its line. */
export async function asOneTransaction(
  sql: postgres.Sql,
  file: string,
  text: string,
  record?: (transaction: postgres.TransactionSql) => Promise<unknown>,
) {
  try {
    await sql.begin(async (transaction) => {
      await transaction.unsafe(text).simple();
      await transaction`reset all`; // what the file set, `search_path` say, ends with it
      await record?.(transaction);
    });
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code === "53100") throw error; // a full disk is not the file's fault
    const line = error.position ? text.slice(0, Number(error.position)).split("\n").length : 1;
    throw new StartupError(`${file}:${line}: ${error.message} (${error.code})`);
  }
}
