/**
 * npm run deploy -- --ref REF [--environment staging] [--captcha] [--dry-run] [--yes]: deploys to a hosted project.
 * Each step can run again, so a deployment that failed is repeated as a whole.
 */
import { build } from "./steps/build.ts";
import { check } from "./steps/check.ts";
import { readConfiguration } from "./configuration.ts";
import { configure, replaceWorkerSecret } from "./steps/configure.ts";
import { deployFunctions } from "./steps/deploy_functions.ts";
import type { Deployment } from "./deployment.ts";
import { Failure } from "./failure.ts";
import { openManagementApi } from "./management_api.ts";
import { plan, sendConfig } from "./steps/plan.ts";
import { pushMigrations } from "./steps/push_migrations.ts";
import { remaining } from "./steps/remaining.ts";
import { smokeTest } from "./smoke/smoke_checks.ts";
import { readTarget } from "./target.ts";

const done: string[] = [];
let current: string | undefined;

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  current = name;
  console.log(name);
  const result = await work();
  done.push(name);
  current = undefined;
  return result;
}

async function deploy(args: string[]): Promise<void> {
  const target = await readTarget(args);
  const report = (text: string) => console.log(text.replace(/^/gm, "  "));
  const deployment: Deployment = { target, api: openManagementApi(target), report };
  const { functions } = await readConfiguration();

  const { name, stored } = await step("check", () => check(deployment));
  await step("build", () => build(deployment, functions));
  const planned = await step("plan", () => plan(deployment, functions, stored));
  if (target.isDryRun) return console.log("Nothing was changed (--dry-run).");
  if (!target.isConfirmed) confirmOrStop(`${name} (${target.ref}), ${target.environment}`);
  await step("push_migrations", () => pushMigrations(deployment, planned));
  await step("configure", () => configure(deployment, planned));
  await step("deploy_functions", async () => {
    await deployFunctions(deployment, functions);
    await replaceWorkerSecret(deployment, planned);
  });
  await step("send_config", async () => {
    await sendConfig(deployment, "--yes");
    report(`${target.environment}.toml sent`);
  });
  await step("smoke_test", () => smokeTest(deployment, planned.workerSecret.value));
  await step("remaining", () => remaining(deployment));
  console.log(`Deployed to ${target.url}.`);
}

function confirmOrStop(project: string) {
  if (!Deno.stdin.isTerminal()) throw new Failure("Nothing was changed: this run cannot ask. Add --yes to confirm.");
  if (!confirm(`Deploy to ${project}?`)) throw new Failure("Nothing was changed.");
}

try {
  await deploy(Deno.args);
} catch (error) {
  const isExpected = error instanceof Failure;
  console.error(isExpected ? error.message : error);
  if (current) {
    console.error(
      `${current} failed. Done before: ${done.join(", ") || "nothing"}. Repair it, and run the command again.`,
    );
  }
  Deno.exit(1);
}
Deno.exit(0);
