// npm test: all checks and tests in one command. Ends with `N passed, N failed`.
//   npm test                          all deterministic tests, with seeded samples of the long ones
//   npm test -- tests/http/api        the tests below these paths, .test.ts and .test.sql
//   npm run test:faults               fuzz, race and kill tests at full length
import { join, resolve } from "node:path";
import { repository } from "../local/host/project.ts";
import { useMemoryFolder } from "./memory_folder.ts";
import { checkDatabase, checkSources, runDenoTests, runSqlTests, type TestCounts } from "./checks.ts";
import { sourcePaths } from "./source_files.ts";

/** Tests that kill processes at random, depend on timing, move hundreds of megabytes or repeat others: only in test:faults. */
const faultTests = [
  "faults/automations_killed.test.ts",
  "faults/billing_killed.test.ts",
  "faults/bookings_killed.test.ts",
  "faults/import.test.ts",
  "faults/import_large.test.ts",
  "faults/killed_backends.test.ts",
  "faults/killed_functions.test.ts",
  "faults/lost_backends.test.ts",
  "faults/media_killed.test.ts",
  "faults/media_large.test.ts",
  "faults/notifications_killed.test.ts",
  "faults/notification_histories.test.ts",
  "faults/notification_plans.test.ts",
  "faults/podcast_deletions.test.ts",
  "worker/shutdown_timeout.test.ts",
  "local/pg_prove.test.ts",
  "local/storage/large.test.ts",
].map((path) => join(repository, "tests", path));

/** Tests that test:faults repeats: races, and those with a seeded sample in npm test, at full length (tests/scale.ts). */
const isRepeated = (file: string) =>
  isBelow(file, [join(repository, "tests/races")]) ||
  file.endsWith(".test.ts") && Deno.readTextFileSync(file).includes('/scale.ts"');

/** They mostly wait, up to a minute. They start first, so that other files use the cores meanwhile. */
const waitingTests = ["worker/import_item.test.ts", "worker/import_resume.test.ts"]
  .map((path) => join(repository, "tests", path));

const faults = Deno.args.includes("--faults");
const named = Deno.args.filter((arg) => !arg.startsWith("--")).map((path) => resolve(repository, path));
const everything = !faults && !named.length;
const isBelow = (file: string, paths: string[]) => paths.some((path) => file === path || file.startsWith(`${path}/`));
const isChosen = (file: string) => {
  if (named.length) return isBelow(file, named);
  return faults ? isBelow(file, faultTests) || isRepeated(file) : !isBelow(file, faultTests);
};
const chosen = sourcePaths("tests").map((path) => join(repository, path)).filter(isChosen);
const sqlTests = chosen.filter((file) => file.endsWith(".test.sql"));
const isWaiting = (file: string) => isBelow(file, waitingTests);
const denoTests = chosen.filter((file) => file.endsWith(".test.ts"))
  .sort((a, b) => Number(isWaiting(b)) - Number(isWaiting(a))); // keeps the order of the others

// Fault tests store hundreds of megabytes
const memory = faults ? undefined : await useMemoryFolder();
const outcomes: TestCounts[] = [];
const times: string[] = [];
// Source checks use one core, the databases of the SQL tests the other
await Promise.all([
  everything && timed("source", async () => outcomes.push(...await checkSources(repository))),
  timed("database", async () => {
    if (everything) outcomes.push(await checkDatabase());
    if (sqlTests.length) outcomes.push(await runSqlTests(sqlTests));
  }),
]);
if (denoTests.length) {
  if (denoTests.some((file) => file.includes("/browser/"))) await import("./browser/chromium.ts"); // unpacks Chromium, or reports that there is none
  await timed("Deno tests", async () => outcomes.push(await runDenoTests(denoTests, faults ? "full" : "short")));
}

await memory?.[Symbol.asyncDispose]();

const [passed, failed] = [sum("passed"), sum("failed")];
if (passed + failed === 0) console.error("No tests match this path.");
console.log(`\nSeconds: ${times.join(", ")}`);
console.log(`${passed} passed, ${failed} failed`);
Deno.exit(failed || !passed ? 1 : 0);

async function timed(part: string, work: () => Promise<unknown>) {
  const start = performance.now();
  await work();
  times.push(`${part} ${Math.round((performance.now() - start) / 1000)}`);
}

function sum(what: keyof TestCounts): number {
  return outcomes.reduce((total, outcome) => total + outcome[what], 0);
}
