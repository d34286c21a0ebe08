// npm test: everything that must hold, in one command. It ends with `N passed, N failed`.
//   npm test                          everything, with fuzz, race and kill tests short; random tests not at all
//   npm test -- tests/http/api        the tests below these paths, .test.ts and .test.sql
//   npm run test:faults               the fuzz, race and kill tests alone, and whole
import { join, resolve } from "node:path";
import { repository } from "../local/project.ts";
import { databaseClaim, type Outcome, runDenoTests, runSqlTests, sourceClaims } from "./checks.ts";

const faults = Deno.args.includes("--faults");
const named = Deno.args.filter((arg) => !arg.startsWith("--")).map((path) => resolve(repository, path));
const lengthy = [
  "faults",
  "races",
  "feed/random.test.ts",
  "feed/worker.test.ts",
  "http/api/artwork_timeout.test.ts",
  "http/api/imports_timeout.test.ts",
  "guarded/fuzz.test.ts",
  "guarded/stream.test.ts",
  "images/mutated.test.ts",
  "imports/late_farewell.test.ts",
  "local/storage_large.test.ts",
  "rss/fuzz.test.ts",
];
/** Depend on chance, so they run only in npm run test:faults, or when they are named. */
const random = ["faults/lost_backends.test.ts"].map((path) => join(repository, "tests", path));
const folders = faults ? lengthy.map((path) => join(repository, "tests", path)) : named;
const isBelow = (file: string, folder: string) => file.startsWith(`${folder}/`) && (faults || !random.includes(file));
const chosen = [...filesBelow(join(repository, "tests"))].filter((file) =>
  folders.length ? folders.some((folder) => file === folder || isBelow(file, folder)) : !random.includes(file)
);
const sqlTests = chosen.filter((file) => file.endsWith(".test.sql"));
const denoTests = chosen.filter((file) => file.endsWith(".test.ts"));

if (denoTests.some((file) => file.includes("/browser/"))) await import("./browser/chromium.ts"); // says so when there is none
const outcomes: Outcome[] = [];
if (!folders.length) outcomes.push(...await sourceClaims(repository), await databaseClaim());
if (sqlTests.length) outcomes.push(await runSqlTests(sqlTests));
if (denoTests.length) outcomes.push(await runDenoTests(denoTests, faults ? "whole" : "short"));

const [passed, failed] = [sum("passed"), sum("failed")];
if (passed + failed === 0) console.error("No test has such a path.");
console.log(`\n${passed} passed, ${failed} failed`);
Deno.exit(failed || !passed ? 1 : 0);

function sum(what: keyof Outcome): number {
  return outcomes.reduce((total, outcome) => total + outcome[what], 0);
}

function* filesBelow(folder: string): Generator<string> {
  const entries = [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  for (const { name, isDirectory } of entries) {
    if (isDirectory) yield* filesBelow(join(folder, name));
    else yield join(folder, name);
  }
}
