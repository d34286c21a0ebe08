// Applies supabase/migrations.
import { join } from "node:path";
import type postgres from "../postgres/client.ts";
import { connected } from "../postgres/client.ts";
import type { Project } from "../host/project.ts";
import { asOneTransaction } from "./sql_text.ts";

/** The CLI's own tables, so that `supabase migration list` reads them. */
const HISTORY = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (
    version text primary key, statements text[], name text, created_by text, idempotency_key text unique, rollback text[]
  );
  create table if not exists supabase_migrations.seed_files (path text primary key, hash text not null);`;

/** Applies the missing migrations as `postgres`: a migration that needs a superuser fails, as on the platform. */
export async function migrate(url: string, { migrations }: Pick<Project, "migrations">) {
  await connected(url, async (sql) => {
    await sql.unsafe(HISTORY).simple();
    for (const file of await missingFiles(sql, migrations)) await applyMigration(sql, migrations, file);
  });
}

/** Marks all migrations as applied, in a database that was made from sql/. */
export async function recordMigrations(url: string, { migrations }: Pick<Project, "migrations">) {
  await connected(url, async (sql) => {
    await sql.unsafe(HISTORY).simple();
    for (const file of await missingFiles(sql, migrations)) {
      const [, version, name] = MIGRATION.exec(file)!;
      await sql`insert into supabase_migrations.schema_migrations (version, name) values (${version}, ${name})`;
    }
  });
}

const MIGRATION = /^(\d+)_(.*)\.sql$/;

async function missingFiles(sql: postgres.Sql, folder: string): Promise<string[]> {
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
