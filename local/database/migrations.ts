// Applies supabase/migrations.
import { join } from "node:path";
import type postgres from "../postgres/client.ts";
import { connected } from "../postgres/client.ts";
import type { Project } from "../host/project.ts";
import { StartupError } from "../host/startup_error.ts";
import { asOneStatement, asOneTransaction } from "./sql_text.ts";
import { runsOutsideTransactions, splitStatements } from "./statements.ts";

/** The CLI's own tables, so that `supabase migration list` reads them. */
const HISTORY = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (
    version text primary key, statements text[], name text, created_by text, idempotency_key text unique, rollback text[]
  );
  create table if not exists supabase_migrations.seed_files (path text primary key, hash text not null);`;

/**
 * Applies the missing migrations as `postgres`: a migration that needs a superuser fails, as on the platform. Throws
 * StartupError if the database has had others.
 */
export async function migrate(url: string, { migrations }: Pick<Project, "migrations">) {
  await connected(url, async (sql) => {
    await sql.unsafe(HISTORY).simple();
    await assertSameHistory(sql, migrations);
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
  return (await migrationFiles(folder)).filter((file) => !versions.has(versionOf(file)));
}

/** The names of the migration files of a folder, which may be missing, in the order in which they run. */
export async function migrationFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) if (MIGRATION.test(name)) files.push(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files.sort();
}

/** The version of a migration file. */
export const versionOf = (file: string) => MIGRATION.exec(file)![1];

/** Throws if the folder lacks a migration that the database has had, or has another text for it. */
async function assertSameHistory(sql: postgres.Sql, folder: string) {
  const files = new Map((await migrationFiles(folder)).map((file) => [versionOf(file), file]));
  // The CLI records the statements of a file one by one, without comments
  const applied = await sql<{ version: string; name: string; text?: string }[]>`
    select version, name, case when cardinality(statements) = 1 then statements[1] end as text
    from supabase_migrations.schema_migrations order by version`;
  for (const { version, name, text } of applied) {
    const file = files.get(version);
    const isSame = file && (!text?.endsWith("\n") || text === await Deno.readTextFile(join(folder, file)));
    if (isSame) continue;
    throw new StartupError(
      `The database has run supabase/migrations/${file ?? `${version}_${name}.sql`}, which ${
        file ? "has changed since" : "no longer exists"
      }. Nothing was changed; npm run db:reset deletes the local data and starts from the present migrations.`,
    );
  }
}

async function applyMigration(sql: postgres.Sql, folder: string, file: string) {
  const [, version, name] = MIGRATION.exec(file)!;
  const path = `supabase/migrations/${file}`, text = await Deno.readTextFile(join(folder, file));
  const record = (sql: postgres.ISql) =>
    sql`
      insert into supabase_migrations.schema_migrations (version, name, statements)
      values (${version}, ${name}, array[${text}])`;
  const statements = splitStatements(text), alone = statements.find(runsOutsideTransactions);
  if (!alone) return await asOneTransaction(sql, path, text, record);
  if (statements.length > 1) {
    throw new StartupError(
      `${path}: "${alone.split("\n")[0]}" runs outside transactions, so an error would leave half of the file; ` +
        "give it a file of its own.",
    );
  }
  await asOneStatement(sql, path, text);
  await record(sql);
}
