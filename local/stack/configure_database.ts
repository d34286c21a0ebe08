// Configures the database at each start of the stack, because the stack's URLs may have changed.
import { relative } from "node:path";
import { readOptionalText } from "../host/optional_file.ts";
import { asOneTransaction } from "../database/sql_text.ts";
import { connected } from "../postgres/client.ts";
import type { Project } from "../host/project.ts";

/** Runs supabase/local/start.sql, if the project has it. The file reads each setting as `local.<name>`. */
export async function configureDatabase(
  dbUrl: string,
  { folder, startSql }: Project,
  settings: { url: string; worker_secret: string },
) {
  const text = await readOptionalText(startSql);
  if (text === undefined) return;
  await connected(dbUrl, async (sql) => {
    for (const [name, value] of Object.entries(settings)) {
      await sql`select set_config(${`local.${name}`}, ${value}, false)`;
    }
    await asOneTransaction(sql, relative(folder, startSql), text);
  });
}

/** Sets what the CLI sets in a local database, and no hosted project has: seeds can tell where they run. */
export async function setSharedSecret(adminUrl: string, jwtSecret: string) {
  await connected(adminUrl, async (sql) => {
    const [{ statement }] = await sql`
      select format('alter database postgres set app.settings.jwt_secret to %L', ${jwtSecret}::text) as statement`;
    await sql.unsafe(statement);
  });
}

/** Gives the API roles all privileges on what migrations will create in schema public (auto_expose_new_tables). */
export async function exposeNewTables(dbUrl: string) {
  await connected(dbUrl, (sql) =>
    sql.unsafe(`
      alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
      alter default privileges in schema public grant all on functions to anon, authenticated, service_role;
      alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;`)
      .simple());
}
