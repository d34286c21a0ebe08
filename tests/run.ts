// npm test: all checks and tests in one command. Ends with `N passed, N failed`.
//   npm test                          all deterministic tests, with seeded samples of the long ones
//   npm run test:quick                checks, pgTAP, rooms and what each route promises
//   npm test -- tests/http/api        the tests below these paths, .test.ts and .test.sql
//   npm test -- --attach tests/http   Deno tests on the stack of npm start
//   npm run test:faults               fuzz, race and kill tests at full length
import { join, relative, resolve } from "node:path";
import { runningStack } from "../local/host/data_folder.ts";
import { projectPaths, repository } from "../local/host/project.ts";
import { useMemoryFolder } from "./memory_folder.ts";
import { checkDatabase, checkSources, runDenoTests, runSqlTests, type TestCounts } from "./checks.ts";
import { sourcePaths } from "./source_files.ts";
import type { StackInfo } from "./stack.ts";
import { isBelow, isIn, isTest, longestFirst } from "./tiers.ts";

const OPTIONS = ["--quick", "--faults", "--attach"];
const unknown = Deno.args.find((arg) => arg.startsWith("--") && !OPTIONS.includes(arg));
if (unknown) {
  console.error(`Unknown: ${unknown}. Options: ${OPTIONS.join(", ")}, and paths.`);
  Deno.exit(2);
}
const faults = Deno.args.includes("--faults");
const command = faults ? "faults" : Deno.args.includes("--quick") ? "quick" : "full";
const named = Deno.args.filter((arg) => !arg.startsWith("--"))
  .map((path) => relative(repository, resolve(repository, path)));
const withChecks = !faults && !named.length;
const chosen = sourcePaths("tests").filter(isTest)
  .filter((file) => named.length ? isBelow(file, named) : isIn(command, file));
const absolute = (file: string) => join(repository, file);
const sqlTests = chosen.filter((file) => file.endsWith(".sql")).map(absolute);
const denoTests = longestFirst(chosen.filter((file) => file.endsWith(".ts"))).map(absolute);
const attached = Deno.args.includes("--attach") ? await attachedStack() : undefined;

const outcomes: TestCounts[] = [];
const times: string[] = [];
await runAll();

const [passed, failed, ignored] = [sum("passed"), sum("failed"), sum("ignored")];
const hasTests = passed + failed + ignored > 0;
if (!hasTests) console.error("No tests match this path.");
console.log(`\nSeconds: ${times.join(", ")}`);
if (ignored) console.log(`${ignored} ignored`);
console.log(`${passed} passed, ${failed} failed`);
Deno.exit(failed || !hasTests ? 1 : 0);

async function runAll() {
  // Fault tests store hundreds of megabytes
  await using _memory = faults ? undefined : await useMemoryFolder();
  // All at once: checks and SQL tests use the cores while Deno tests wait for servers
  const parts = await Promise.allSettled([
    withChecks && timed("source", async () => outcomes.push(...await checkSources(repository))),
    timed("database", runDatabaseTests),
    runTests(),
  ]);
  for (const part of parts) if (part.status === "rejected") throw part.reason;
}

async function runDatabaseTests() {
  if (withChecks) outcomes.push(await checkDatabase());
  if (sqlTests.length) outcomes.push(await runSqlTests(sqlTests));
}

async function runTests() {
  if (!denoTests.length) return;
  if (denoTests.some((file) => file.includes("/browser/"))) await import("./browser/chromium.ts"); // unpacks Chromium, or reports that there is none
  await timed("Deno tests", async () => {
    outcomes.push(await runDenoTests(denoTests, faults ? "full" : "short", attached));
  });
}

async function attachedStack(): Promise<StackInfo> {
  const stack = await runningStack(projectPaths().data);
  if (stack?.url) return stack as StackInfo; // a state with a URL is complete
  console.error("No stack runs. Start one with npm start.");
  Deno.exit(1);
}

async function timed(part: string, work: () => Promise<unknown>) {
  const start = performance.now();
  await work();
  times.push(`${part} ${Math.round((performance.now() - start) / 1000)}`);
}

function sum(what: keyof TestCounts): number {
  return outcomes.reduce((total, outcome) => total + (outcome[what] ?? 0), 0);
}
