// The parts of npm test, each with its count. What fails is printed where it is found.
import { checkDatabase } from "../local/database/check.ts";
import { sourcesIn } from "../local/database/sources.ts";
import { describe, runPgtap } from "./pgtap.ts";
import { startTestStack } from "./stack.ts";

export interface Outcome {
  passed: number;
  failed: number;
}

/** What can be said of the source without running it. */
export async function sourceClaims(folder: string): Promise<Outcome[]> {
  const claims: [string, string[]][] = [
    ["the types agree", ["check", "."]],
    ["the linter has nothing to say", ["lint", "--quiet"]],
    ["the code is formatted (node local/deno.mjs fmt)", ["fmt", "--check", "--quiet"]],
  ];
  const outcomes = [];
  for (const [claim, args] of claims) {
    const { success, output } = await deno(args, { cwd: folder });
    outcomes.push(told(claim, success ? "" : output));
  }
  return outcomes;
}

export async function databaseClaim(): Promise<Outcome> {
  const findings = await checkDatabase(sourcesIn()).catch((error) => [String(error)]);
  return told("migrations, types and advisors agree with sql/", findings.join("\n\n"));
}

export async function runSqlTests(files: string[]): Promise<Outcome> {
  const result = await runPgtap({ only: files });
  console.log(describe(result));
  return result;
}

/** Runs them side by side, against one stack where they ask for the shared one. */
export async function runDenoTests(files: string[]): Promise<Outcome> {
  await using stack = await startTestStack();
  const { success, output } = await deno([
    "test",
    "--allow-all",
    "--no-check",
    "--parallel",
    "--reporter=dot",
    ...files,
  ], {
    env: { CASTBASE_TEST_STACK: JSON.stringify(stack) },
  });
  console.log(output);
  const [, passed, failed] = /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/m.exec(output) ?? [];
  const outcome = { passed: Number(passed ?? 0), failed: Number(failed ?? 0) };
  // a file that cannot even be loaded fails the run without failing a test
  return success || outcome.failed ? outcome : { ...outcome, failed: 1 };
}

function told(claim: string, findings: string): Outcome {
  console.log(findings ? `not ok  ${claim}\n${findings.trimEnd()}\n` : `ok  ${claim}`);
  return findings ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
}

async function deno(args: string[], options: Deno.CommandOptions) {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    ...options,
    args,
    env: { ...options.env, NO_COLOR: "1" },
    stdin: "null",
  }).output();
  return { success, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}
