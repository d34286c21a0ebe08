// docs/errors.md describes exactly the machine codes that SQL and the functions list.
import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { ERROR_CODES, ITEM_ERROR_CODES } from "../../functions/app/error_codes.ts";
import { repository } from "../../local/project.ts";
import { sourceFiles } from "../source_files.ts";

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
function sqlItemCodes(): string[] {
  const form = /'([A-Z_]+)'(?= end as error_code\b|\)(?<=_import_item\([^;]*);)/g;
  return sourceFiles(["sql"], /\.sql$/).flatMap(({ text }) => [...text.matchAll(form)].map(([, code]) => code));
}

const sorted = (codes: readonly string[]) => [...new Set(codes)].sort();

Deno.test("docs/errors.md lists every code of SQL and of the functions, and no other", async () => {
  deepEqual(await listed("Codes"), sorted([...ERROR_CODES, ...await sqlCodes()]));
});

Deno.test("docs/errors.md lists every code of import items, and no other", async () => {
  deepEqual(await listed("Codes of import items"), sorted([...ITEM_ERROR_CODES, ...sqlItemCodes()]));
});

Deno.test("each code of functions/app/error_codes.ts is used by a function", () => {
  const sources = sourceFiles(["functions"], /\.ts$/).filter(({ path }) => !path.endsWith("error_codes.ts"))
    .map(({ text }) => text.replace(/_CODES = \[[^\]]*\]/g, ""));
  const isUsed = (code: string) => sources.some((text) => text.includes(`"${code}"`));
  deepEqual([...ERROR_CODES, ...ITEM_ERROR_CODES].filter((code) => !isUsed(code)), []);
});
