// types/error_codes.ts describes exactly the machine codes that SQL and the functions use.
import { deepStrictEqual as deepEqual } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LOSS_REASONS } from "../../functions/feed_reader/losses.ts";
import { WARNINGS } from "../../functions/feed_reader/warnings.ts";
import { TRANSCRIPT_WARNINGS } from "../../functions/media/transcripts/repairs.ts";
import { repository } from "../../local/host/project.ts";
import {
  ERROR_CODES,
  IMPORT_ERROR_CODES,
  IMPORT_LOSS_REASONS,
  IMPORT_WARNING_CODES,
  OTHER_IMPORT_WARNINGS,
  OTHER_LOSS_REASONS,
  TRANSCRIPT_WARNING_CODES,
} from "../../types/error_codes.ts";
import { sourceFiles } from "../source_files.ts";

const read = (path: string) => readFileSync(join(repository, path), "utf8");

/** A list of SQL; tests/sql/_shape compares it with what the functions raise, return and store. */
const sqlCodes = (path: string) => [...read(path).matchAll(/^ {4}'([A-Z_]+)'/gm)].map(([, code]) => code);
const sqlErrorCodes = sqlCodes("sql/00_foundation/rules/error_codes.sql");
const sqlImportCodes = sqlCodes("sql/75_imports/rules/import_codes.sql");

Deno.test("the lists of types/error_codes.ts are in alphabetical order", () => {
  const lists = [ERROR_CODES, IMPORT_ERROR_CODES, IMPORT_WARNING_CODES, TRANSCRIPT_WARNING_CODES, IMPORT_LOSS_REASONS];
  for (const codes of lists) deepEqual([...codes], [...new Set<string>(codes)].sort());
});

Deno.test("each warning of imports and transcripts has a text", () => {
  deepEqual(Object.keys({ ...WARNINGS, ...OTHER_IMPORT_WARNINGS }).sort(), [...IMPORT_WARNING_CODES]);
  deepEqual(Object.keys(TRANSCRIPT_WARNINGS).sort(), [...TRANSCRIPT_WARNING_CODES]);
});

Deno.test("each reason of a loss has a text", () => {
  deepEqual(Object.keys({ ...LOSS_REASONS, ...OTHER_LOSS_REASONS }).sort(), [...IMPORT_LOSS_REASONS]);
});

Deno.test("IMPORT_LOSS_REASONS lists exactly the reasons of the feed reader and of SQL", () => {
  const list = "sql/75_imports/rules/import_loss_reasons.sql", listed = sqlCodes(list);
  const sources = sourceFiles(["sql/75_imports"], /\.sql$/).filter(({ path }) => path !== list);
  const literals = sources.flatMap(({ text }) => [...text.matchAll(/['"]([A-Z_]+)['"]/g)].map(([, code]) => code));
  const written = sources.flatMap(({ text }) =>
    [...text.matchAll(/'reason', ('[A-Z_]+'|case\b[^;]*?\bend\b)/g)]
      .flatMap(([, value]) => [...value.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code))
  );
  deepEqual(written.filter((code) => !listed.includes(code)), []);
  deepEqual(listed.filter((code) => !literals.includes(code)), []);
  deepEqual([...new Set([...Object.keys(LOSS_REASONS), ...listed])].sort(), [...IMPORT_LOSS_REASONS]);
});

Deno.test("types/error_codes.ts lists every code of SQL", () => {
  const ofImports: string[] = [...IMPORT_ERROR_CODES, ...IMPORT_WARNING_CODES];
  deepEqual(sqlErrorCodes.filter((code) => !(ERROR_CODES as string[]).includes(code)), []);
  deepEqual(sqlImportCodes.filter((code) => !ofImports.includes(code)), []);
});

Deno.test("SQL or a function uses each code of types/error_codes.ts", () => {
  const sources = sourceFiles(["functions"], /\.ts$/).map(({ text }) =>
    text.replace(/^export type \w+Code =[^;]*;/gm, "")
  );
  const isUsed = (code: string) =>
    [...sqlErrorCodes, ...sqlImportCodes].includes(code) || code in WARNINGS ||
    sources.some((text) => text.includes(`"${code}"`));
  deepEqual([...ERROR_CODES, ...IMPORT_ERROR_CODES, ...IMPORT_WARNING_CODES].filter((code) => !isUsed(code)), []);
});
