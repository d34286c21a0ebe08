// The parts of npm test. Each prints its failures and returns its counts.
import { dirname, join, relative } from "node:path";
import { checkDatabase as findDatabaseProblems } from "../local/database/check.ts";
import { projectPaths, repository } from "../local/host/project.ts";
import { describeResult, runPgtap } from "./pgtap.ts";
import { shareProjectCluster, shareProjectServer } from "./project_cluster.ts";
import { importsBelow } from "./shape/imports.ts";
import { sharedServersOf } from "./shared_servers.ts";
import { type StackInfo, startTestStack } from "./stack.ts";

export interface TestCounts {
  passed: number;
  failed: number;
  /** Tests that cannot run here. */
  ignored?: number;
}

/** They use DOM types, so they have a configuration of their own. */
const BROWSER_SCRIPTS = "functions/browser";

/** Checks the source without running it. */
export async function checkSources(folder: string): Promise<TestCounts[]> {
  const browser = ["--config", `${BROWSER_SCRIPTS}/deno.json`, BROWSER_SCRIPTS];
  const checks: [string, string[]][] = [
    ["deno check", ["check", "functions", "local", "scripts", "tests", "types"]], // bench/ has packages of its own
    ["deno lint", ["lint", "--quiet"]],
    ["lint:sql", ["task", "--quiet", "lint:sql"]],
    ["deno fmt --check", ["fmt", "--check", "--quiet"]],
    ["deno check of browser scripts", ["check", ...browser]],
    ["deno lint of browser scripts", ["lint", "--quiet", ...browser]],
    ["deno fmt --check of browser scripts", ["fmt", "--check", "--quiet", ...browser]],
  ];
  const outcomes = [];
  for (const [title, args] of checks) {
    const { success, stdout, stderr } = await deno(args, { cwd: folder });
    outcomes.push(report(title, success ? "" : stdout + stderr));
  }
  return outcomes;
}

export async function checkDatabase(): Promise<TestCounts> {
  const findings = await findDatabaseProblems(projectPaths()).catch((error) => [String(error)]);
  return report("migrations, types and advisors match sql/", findings.join("\n\n"));
}

export async function runSqlTests(files: string[]): Promise<TestCounts> {
  const result = await runPgtap({ only: files });
  console.log(describeResult(result));
  return result;
}

/** The output of tests, stacks and functions, for the analysis of failures. */
const LOG = join(repository, ".cache/tests.log");

/** Tests that never end are stopped after these minutes, and fail; twice what two slow cores need. */
const MINUTES = { short: 25, full: 60 };

/** Concurrent test files: more than the cores, because tests mostly wait for other processes. */
const JOBS = "4";

/** Runs test files concurrently. Those that need a stack share one: `attached`, or one of this command. */
export async function runDenoTests(
  files: string[],
  scale: keyof typeof MINUTES,
  attached?: StackInfo,
): Promise<TestCounts> {
  await Deno.mkdir(dirname(LOG), { recursive: true });
  await Deno.writeTextFile(LOG, "");
  const needed = sharedServersOf(files.map((file) => relative(repository, file)), importsBelow("tests"));
  await using _cluster = needed.cluster ? await shareProjectCluster() : undefined;
  await using _server = needed.databases ? await shareProjectServer() : undefined;
  await using own = needed.stack && !attached ? await startTestStack({}, LOG) : undefined;
  const stack = attached ?? own;
  await using log = await openLog();
  const { success, stdout } = await log.record(
    new Deno.Command(Deno.execPath(), {
      args: ["test", "--allow-all", "--no-check", "--parallel", ...files],
      env: {
        ...stack && { CASTBASE_TEST_STACK: JSON.stringify(stack) },
        CASTBASE_TEST_SCALE: scale,
        DENO_JOBS: JOBS,
        NO_COLOR: "1",
      },
      signal: AbortSignal.timeout(MINUTES[scale] * 60_000),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }),
  );
  const [, passed, failed] = /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/m.exec(stdout) ?? [];
  const ignored = Array.from(stdout.matchAll(/^(.+ => .+) \.\.\. ignored \(/gm), ([, test]) => test);
  for (const test of ignored) console.log(`ignored  ${test}`);
  const errors = stdout.indexOf("\n ERRORS");
  if (errors >= 0) console.log(stdout.slice(errors));
  else if (!passed) console.log(unfinished(stdout, files));
  if (!success) console.log(`The output is in ${relative(repository, LOG)}.`);
  // a file that cannot be loaded fails the run but no test
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0) || (success ? 0 : 1), ignored: ignored.length };
}

/** Appends to the log what a command prints, at once, so that a run that is stopped leaves its results. */
async function openLog() {
  const file = await Deno.open(LOG, { append: true });
  const writing = (text: string[], decoder = new TextDecoder()) =>
    new WritableStream<Uint8Array>({
      async write(chunk) {
        text.push(decoder.decode(chunk, { stream: true }));
        for (let rest = chunk; rest.length;) rest = rest.subarray(await file.write(rest));
      },
    });
  return {
    async record(command: Deno.Command) {
      const child = command.spawn(), stdout: string[] = [];
      const output = [child.stdout.pipeTo(writing(stdout)), child.stderr.pipeTo(writing([]))];
      const { success } = await child.status;
      await Promise.all(output);
      return { success, stdout: stdout.join("") };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(file.close()),
  };
}

function unfinished(report: string, files: string[]): string {
  const silent = files.map((file) => `./${relative(repository, file)}`).filter((file) =>
    !report.includes(`${file} => `)
  );
  return `The tests did not finish. The last results:\n${report.slice(-2000)}\n\nFiles without a result:\n${
    silent.join("\n")
  }\n`;
}

function report(title: string, findings: string): TestCounts {
  console.log(findings ? `not ok  ${title}\n${findings.trimEnd()}\n` : `ok  ${title}`);
  return findings ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
}

async function deno(args: string[], options: Deno.CommandOptions) {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    ...options,
    args,
    env: { ...options.env, NO_COLOR: "1" },
    stdin: "null",
  }).output();
  return { success, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}
