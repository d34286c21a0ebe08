// How migration files run: in one transaction, alone if Postgres demands it, and never on a database with another history.
import { deepStrictEqual as same, rejects } from "node:assert";
import { join } from "node:path";
import { migrate } from "../../../local/database/migrations.ts";
import { startScratch } from "../../../local/database/scratch.ts";
import { runsOutsideTransactions, splitStatements } from "../../../local/database/statements.ts";
import { StartupError } from "../../../local/host/startup_error.ts";
import { connected } from "../../../local/postgres/client.ts";
import { startStack } from "../../../local/stack/stack.ts";
import { projectFolder } from "../host/project_folder.ts";

const NOTES = "20260101000000_notes.sql", INDEX = "20260101000001_index.sql";
const notes = "create table public.notes (words text);\n";

/** A project whose migrations are these files, by name. */
async function projectWith(files: Record<string, string>) {
  const folder = await projectFolder({
    "supabase/config.toml": 'project_id = "migrations"\n',
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`supabase/migrations/${name}`, text])),
  });
  const migrations = join(folder, "supabase/migrations");
  return {
    folder,
    migrations,
    write: (name: string, text: string) => Deno.writeTextFile(join(migrations, name), text),
  };
}

const read = (url: string, statement: string) =>
  connected(url, async (sql) => (await sql.unsafe(statement)).map((row) => Object.values(row)[0]));

Deno.test("splitStatements ignores semicolons in comments, quotes and bodies", () => {
  same(
    splitStatements(
      "-- a; b\nselect ';' as \"x;y\"; /* ; */ select e'\\';';\n" +
        "create function f() returns int language sql begin atomic\n  select 1;\n  select 2;\nend;\n" +
        "do $x$ begin perform 1; end $x$;\n-- the end;\n",
    ),
    [
      "select ';' as \"x;y\"",
      "select e'\\';'",
      "create function f() returns int language sql begin atomic\n  select 1;\n  select 2;\nend",
      "do $x$ begin perform 1; end $x$",
    ],
  );
  same(
    ["create unique index concurrently i on t (a)", "drop index concurrently i", "create index i on t (a)", "vacuum t"]
      .map(runsOutsideTransactions),
    [true, true, false, true],
  );
});

Deno.test("a migration is one transaction, and a concurrent index has a file of its own", async () => {
  await using scratch = await startScratch();
  const url = await scratch.create("notes");
  const concurrently = "create index concurrently notes_idx on public.notes (words);\n";
  const project = await projectWith({ [NOTES]: `${notes}select 1 / 0;\n` });
  await rejects(migrate(url, project), new StartupError(`supabase/migrations/${NOTES}: division by zero (22012)`));
  same(await read(url, "select to_regclass('public.notes')"), [null]);
  await project.write(NOTES, notes);
  await project.write(INDEX, `set lock_timeout = '1s';\n${concurrently}`);
  const mixed = `supabase/migrations/${INDEX}: "create index concurrently notes_idx on public.notes (words)" runs ` +
    "outside transactions, so an error would leave half of the file; give it a file of its own.";
  await rejects(migrate(url, project), new StartupError(mixed));
  await project.write(INDEX, `-- Only this\n${concurrently}`);
  await migrate(url, project);
  await migrate(url, project); // nothing is missing
  same(await read(url, "select indisvalid from pg_index where indexrelid = 'public.notes_idx'::regclass"), [true]);
  same(await read(url, "select version from supabase_migrations.schema_migrations order by 1"), [
    "20260101000000",
    "20260101000001",
  ]);
});

Deno.test("npm start applies new migrations to its data, and refuses data with other migrations without a change", async () => {
  const project = await projectWith({ [NOTES]: notes }), dataDir = join(project.folder, "data");
  const options = { dataDir, project: project.folder };
  const start = async (statement: string) => {
    const stack = await startStack(options);
    return await read(stack.dbUrl, statement).finally(stack.stop);
  };
  const words = "select words from public.notes";
  same(await start(`insert into public.notes values ('kept') returning words`), ["kept"]);
  await project.write(INDEX, "alter table public.notes add column pages int default 7;\n");
  same(await start("select pages from public.notes"), [7]);
  const reset = "Nothing was changed; npm run db:reset deletes the local data and starts from the present migrations.";
  await project.write(NOTES, "create table public.notes (words text, other int);\n");
  await rejects(
    start(words),
    new StartupError(`The database has run supabase/migrations/${NOTES}, which has changed since. ${reset}`),
  );
  await Deno.remove(join(project.migrations, INDEX));
  await project.write(NOTES, notes);
  await rejects(
    start(words),
    new StartupError(`The database has run supabase/migrations/${INDEX}, which no longer exists. ${reset}`),
  );
  await project.write(INDEX, "alter table public.notes add column pages int default 7;\n");
  same(await start(words), ["kept"]);
});
