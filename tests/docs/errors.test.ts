// docs/errors.md describes exactly the machine codes that SQL and the functions list.
import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { sqlFiles } from "../../local/database/load.ts";
import { ERROR_CODES, ITEM_ERROR_CODES } from "../../functions/app/error_codes.ts";
import { repository } from "../../local/project.ts";

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

/** Codes that SQL gives to import items. */
async function sqlItemCodes(): Promise<string[]> {
  const codes: string[] = [];
  for (const file of await sqlFiles(join(repository, "sql"))) {
    const text = await Deno.readTextFile(file);
    codes.push(
      ...[...text.matchAll(/'([A-Z_]+)'(?= end as error_code\b|\)(?<=_import_item\([^;]*);)/g)].map(([, c]) => c),
    );
  }
  return codes;
}

const sorted = (codes: readonly string[]) => [...new Set(codes)].sort();

Deno.test("docs/errors.md lists every code of SQL and of the functions, and no other", async () => {
  deepEqual(await listed("Codes"), sorted([...ERROR_CODES, ...await sqlCodes()]));
});

Deno.test("docs/errors.md lists every code of import items, and no other", async () => {
  deepEqual(await listed("Codes of import items"), sorted([...ITEM_ERROR_CODES, ...await sqlItemCodes()]));
});

Deno.test("each code of functions/app/error_codes.ts is used by a function", async () => {
  let source = "";
  for await (const path of sourcesBelow(join(repository, "functions"))) {
    if (!/error_codes\.ts$/.test(path)) source += (await Deno.readTextFile(path)).replace(/_CODES = \[[^\]]*\]/g, "");
  }
  deepEqual([...ERROR_CODES, ...ITEM_ERROR_CODES].filter((code) => !source.includes(`"${code}"`)), []);
});

async function* sourcesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* sourcesBelow(path);
    else if (name.endsWith(".ts")) yield path;
  }
}
