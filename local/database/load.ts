// Fills a fresh database from sql/; migrations.ts fills one from supabase/migrations.
import { basename, join, relative, sep as SEPARATOR } from "node:path";
import postgres, { connected } from "../postgres/client.ts";
import { StartupError } from "../host/startup_error.ts";
import { lineOf } from "./sql_text.ts";

const normalization = await Deno.readTextFile(join(import.meta.dirname!, "normalize_expressions.sql"));

/**
 * Loads sql/ folder by folder, records the grants that it gives, if the project wants to know them, and runs
 * private.install(), which writes reference rows.
 */
export async function loadDeclared(url: string, folder: string) {
  await connected(url, async (sql) => {
    for (const files of await foldersOfSql(folder)) {
      await runInOrderOfNeed(files, async (file) => {
        const text = await Deno.readTextFile(file);
        await sql.unsafe(text).simple().catch((error) => {
          if (!(error instanceof postgres.PostgresError)) throw error;
          throw new LoadError(`sql/${relative(folder, file)}${lineOf(text, error)}: ${error.message} (${error.code})`, {
            cause: error,
          });
        });
      });
    }
    const [{ records }] = await sql`select to_regprocedure('private.record_grants()') is not null as records`;
    if (records) await sql`select private.record_grants()`;
    await sql`select private.install()`;
  });
}

class LoadError extends StartupError {
  /** Whether the file names what another file may create. */
  get isEarly(): boolean {
    const { code } = this.cause as postgres.PostgresError;
    return ["42883", "42P01", "42704", "3F000"].includes(code); // no such function, table, type, schema
  }
}

/**
 * Runs files in the order given, but a file that names what does not exist yet after those that follow: only tables have
 * numbers. Each file is one transaction, so an early one leaves nothing. Throws the first error that no order mends.
 */
async function runInOrderOfNeed(files: string[], run: (file: string) => Promise<void>) {
  for (let left = files; left.length;) {
    const early: { file: string; error: LoadError }[] = [];
    for (const file of left) {
      await run(file).catch((error) => {
        if (!(error instanceof LoadError) || !error.isEarly) throw error;
        early.push({ file, error });
      });
    }
    if (early.length === left.length) throw early[0].error;
    left = early.map(({ file }) => file);
  }
}

/** Re-parses every expression that Postgres printed, so that equal databases print equal definitions. */
export async function normalizeExpressions(url: string) {
  await connected(url, (sql) => sql.unsafe(normalization).simple());
}

/** The .sql files below `folder`, by its own folders in their order: numbered files first, then the others by path. */
async function foldersOfSql(folder: string): Promise<string[][]> {
  const isNumbered = (file: string) => /^\d/.test(basename(file));
  const byFolder = Map.groupBy(await sqlFiles(folder), (file) => relative(folder, file).split(SEPARATOR)[0]);
  return [...byFolder.values()].map((files) => files.toSorted((a, b) => Number(isNumbered(b)) - Number(isNumbered(a))) // keeps the order of paths
  );
}

/** Every .sql file below `folder`, by path. */
export async function sqlFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) files.push(...await sqlFiles(path));
    else if (entry.name.endsWith(".sql")) files.push(path);
  }
  return files.sort();
}
