// docs/errors.md lists every machine code, and none that nothing says.
import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { sqlFiles } from "../../local/database/load.ts";
import { repository } from "../../local/project.ts";

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* sources(path);
    else if (path.endsWith(".ts")) yield await Deno.readTextFile(path);
  }
}

/** The codes that SQL and the functions say in these forms, sorted. */
async function said(inSql: RegExp, inFunctions: RegExp): Promise<string[]> {
  const codes = new Set<string>();
  const collect = (text: string, form: RegExp) => {
    for (const [, code] of text.matchAll(form)) codes.add(code);
  };
  for (const file of await sqlFiles(join(repository, "sql"))) collect(await Deno.readTextFile(file), inSql);
  for await (const text of sources(join(repository, "functions"))) collect(text, inFunctions);
  return [...codes].sort();
}

/** The codes of the table below this heading. */
async function listed(heading: string): Promise<string[]> {
  const sections = (await Deno.readTextFile(join(repository, "docs/errors.md"))).split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, code]) => code);
}

/** The list of SQL; tests/sql/_shape compares it with what the functions raise and return. */
async function sqlCodes(): Promise<string[]> {
  const list = await Deno.readTextFile(join(repository, "sql/00_foundation/28_error_codes.sql"));
  return [...list.matchAll(/^ {4}'([A-Z_]+)'/gm)].map(([, code]) => code);
}

Deno.test("docs/errors.md lists every code of SQL and of the functions, and no other", async () => {
  const thrownOrInAList = /(?:\bcode: |^ {2}\| )"([A-Z][A-Z_]+)"/gm;
  const codes = new Set([...await sqlCodes(), ...await said(/(?!)/g, thrownOrInAList)]);
  deepEqual(await listed("Codes"), [...codes].sort());
});

Deno.test("docs/errors.md lists every code that an item of an import can fail with", async () => {
  const stagedOrEnded = /'([A-Z_]+)'(?= end as error_code\b|\)(?<=_import_item\([^;]*);)/g;
  deepEqual(
    await listed("Codes of import items"),
    await said(stagedOrEnded, /\bnew PermanentItemError\(\s*"([A-Z_]+)"/g),
  );
});
