// npm run lint:sql on migrations: the rules hold for those that are newer than the last release.
import { deepStrictEqual as same, match, strictEqual as equal } from "node:assert";
import { join } from "node:path";
import { releasedProject, startedProject } from "./small_project.ts";

async function lint(folder: string): Promise<{ code: number; text: string }> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-all",
      "--no-check",
      join(import.meta.dirname!, "../../../local/cli/lint_migrations.ts"),
      folder,
    ],
    env: { NO_COLOR: "1" },
  }).output();
  return { code, text: new TextDecoder().decode(stdout) };
}

/** The rules that squawk names. */
const rules = (text: string) =>
  [...new Set([...text.matchAll(/warning[^]*?docs\/([a-z-]+)/g)].map(([, rule]) => rule))].sort();

Deno.test("lint:sql accepts what db:migration writes after a release, and says when there is no release", async () => {
  await using unreleased = await startedProject();
  match((await lint(unreleased.project.folder)).text, /^No tag v<version> in Git/);
  await using small = await releasedProject();
  await small.edit(
    "10_shelf/10_books.sql",
    "  place       int",
    "  pages       int check (pages > 0),\n  place       int",
  );
  await small.edit("10_shelf/10_books.sql", /$/, "create index books_place_idx on public.books (place);\n");
  equal((await small.migrate({ name: "pages" })).length, 3);
  const { code, text } = await lint(small.project.folder);
  same({ code, rules: rules(text) }, { code: 0, rules: [] });
});

Deno.test("lint:sql rejects a new migration that locks a table for long, or breaks the previous release", async () => {
  await using small = await releasedProject();
  await Deno.writeTextFile(
    join(small.project.migrations, "20260102000000_bad.sql"),
    "alter table public.books alter column place type bigint;\ncreate index books_isbn_idx on public.books (isbn);\n" +
      "alter table public.books drop column cover;\n",
  );
  const { code, text } = await lint(small.project.folder);
  equal(code, 1);
  same(rules(text), [
    "ban-drop-column",
    "changing-column-type",
    "require-concurrent-index-creation",
    "require-lock-timeout",
  ]);
});
