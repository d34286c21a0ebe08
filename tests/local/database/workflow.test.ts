// The database workflow on a small project with one object of each kind.
import { deepStrictEqual as same, match, ok, rejects } from "node:assert";
import { join } from "node:path";
import { checkDatabase } from "../../../local/database/check.ts";
import { MigrationError } from "../../../local/database/write_migration.ts";
import { loadDeclared } from "../../../local/database/load.ts";
import { connected } from "../../../local/postgres/client.ts";
import { startScratch } from "../../../local/database/scratch.ts";
import { generateServiceFunctions } from "../../../local/database/service_functions.ts";
import { writeTypes } from "../../../local/database/types.ts";
import { names, replace, smallProject, START, startedProject } from "./small_project.ts";

const books = "10_shelf/10_books.sql";
const install = "99_wiring/10_install.sql";

Deno.test("db:migration writes one file that brings an empty project to the state of sql/", async () => {
  await using small = await startedProject();
  same(names(small.project), [START]);
  match(await Deno.readTextFile(join(small.project.migrations, START)), /\nselect private\.install\(\);\n$/);
});

Deno.test("db:migration writes a change of every kind, a dropped column only with --allow-drops, then nothing", async () => {
  await using small = await startedProject();
  await small.edit(books, "'paper', 'cloth', 'leather'", "'paper', 'board', 'cloth', 'leather'");
  await small.edit(books, "default 'cloth'", "default 'board'");
  await small.edit(books, "  place       int", "  subtitle    text not null default '',\n  place       int");
  await small.edit(books, "set storage external", "set storage plain");
  await small.edit(books, "deferrable\n);", "deferrable initially deferred\n);");
  await small.edit(books, "update (title, place)", "update (title)");
  await small.edit(books, "between 1 and 9 and b.title", "between 1 and 5 and b.title");
  await small.edit(books, "'On the shelf'", "'From the left'");
  await small.edit(
    books,
    "returns setof public.books\nlanguage sql stable security definer",
    "returns setof public.books\nlanguage sql stable",
  );
  await small.edit(books, "for select to anon, authenticated using", "for select to authenticated using");
  await small.edit("10_shelf/20_events.sql", "new.email is not null", "new.email_confirmed_at is not null");
  await small.edit(install, "'5 4 * * *'", "'6 4 * * *'");
  await small.edit(books, / {2}size .*\n/, "");
  await rejects(small.migrate({ name: "change" }), (error) => {
    ok(error instanceof MigrationError);
    match(error.message, /^This migration would drop .*:\n- .*"?books"?\s+drop column "?size"?$/); // and nothing else
    return true;
  });
  same(names(small.project), [START]);
  same((await small.migrate({ name: "change", allowDrops: true })).length, 2);
  // A new enum value is committed before its use
  same(names(small.project).slice(1), ["20260101000001_change_1.sql", "20260101000002_change_2.sql"]);
  same(await small.migrate({ name: "again" }), []);
});

Deno.test("db:migration reports changes that only private.install() can make", async () => {
  await using small = await smallProject();
  await small.edit(books, /$/, "create statistics public.by_author on author_id, place from public.books;\n");
  await small.edit(install, /$/, "create policy covers_stay on storage.objects for delete to anon using (false);\n");
  await rejects(small.migrate({ name: "start" }), (error) => {
    same((error as Error).message.split("\n").slice(1), [
      "- policy storage.objects covers_stay: in sql/, but not in the migrations",
      "- object statistics object public.by_author: in sql/, but not in the migrations",
    ]);
    return true;
  });
  same(names(small.project), []);
});

Deno.test("db:migration rejects an invalid name", async () => {
  await using small = await smallProject();
  await rejects(small.migrate({ name: "Add Books" }), MigrationError);
});

Deno.test("db:migration names the file and line of an error in sql/", async () => {
  await using small = await smallProject();
  await small.edit(books, "references public.authors", "references public.writers");
  await rejects(
    small.migrate({ name: "start" }),
    /10_shelf\/10_books\.sql.*: relation "public\.writers" does not exist/,
  );
});

Deno.test("db:check passes if migrations and types match sql/, and db:types describes the service's functions and constraints", async () => {
  await using small = await startedProject();
  same(await writeTypes(small.project), [
    small.project.types,
    small.project.serviceFunctions,
    small.project.constraintMessages,
  ]);
  same(await checkDatabase(small.project), []);
  const { constraintMessages } = await import(`file://${small.project.constraintMessages}`);
  same(constraintMessages, { "books.title_is_sane": "Short, and no blank at its end" });
  const { serviceFunctions } = await import(`file://${small.project.serviceFunctions}`);
  same(serviceFunctions, {
    count_books: {
      args: {
        _author_id: "uuid",
        since: "timestamp with time zone default null",
        bindings: "public.binding[] default '{cloth}'::public.binding[]",
      },
      returns: "bigint",
    },
    list_authors: { args: {}, returns: { id: "uuid", books: "bigint[]" } },
    list_shelf: { args: {}, returns: { name: "text", books: "bigint" } },
  });
});

Deno.test("db:types rejects functions of the service that cannot be called by name", async () => {
  await using small = await smallProject();
  await using scratch = await startScratch();
  const url = await scratch.create("declared");
  await loadDeclared(url, small.project.sql);
  const create = (name: string, rest: string) =>
    connected(url, (sql) =>
      sql.unsafe(`create function private.${name} ${rest};
      grant execute on function private.${name} to service_role`).simple());
  await create("list_shelf(int)", "returns int language sql return 1");
  await rejects(generateServiceFunctions(url), /private\.list_shelf is overloaded/);
  await create("list_names()", "returns setof text language sql return 'a'");
  await rejects(generateServiceFunctions(url), /private\.list_names must return one value, or rows of a table/);
});

Deno.test("db:check reports an edited migration, stale types, an unsafe table and an install() that is not idempotent", async () => {
  await using small = await startedProject();
  const open = "create table public.open (id int primary key);\ngrant select on public.open to anon;\n";
  const once = " on conflict do nothing;\n  perform";
  const again = " on conflict (key) do update set value = private.settings.value || '!';\n  perform";
  const last = "\nselect private.install();", migration = join(small.project.migrations, START);
  await small.edit(install, once, again);
  await small.edit(books, /$/, open);
  await replace(migration, once, again);
  await replace(migration, last, `\n${open}alter table public.books add column pages int;${last}`);
  const { types: tables, serviceFunctions, constraintMessages } = small.project;
  for (const generated of [tables, serviceFunctions, constraintMessages]) await Deno.writeTextFile(generated, "");
  const [differ, repeat, types, service, constraints, advice, ...rest] = await checkDatabase(small.project);
  match(
    differ,
    /^Migrations and sql\/ differ .*\n- column public\.books\.pages: in the migrations, but not in sql\/$/,
  );
  match(repeat, /not idempotent:\n- row of private\.settings/);
  match(types, /types\/database\.ts/);
  match(service, /types\/service\.ts is out of date/);
  match(constraints, /types\/constraints\.ts is out of date/);
  match(advice, /advisors[^]*rls_disabled_in_public: Table `public\.open`/);
  same(rest, []);
});
