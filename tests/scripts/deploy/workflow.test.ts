// .github/workflows/deploy.yml; deploy.test.ts runs the commands of its job `staging`.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../../local/host/project.ts";
import { readTarget } from "../../../scripts/deploy/target.ts";
import { commandsOf, workflow, workflowText } from "./workflow.ts";

Deno.test("the workflow checks, then deploys to staging, then to production", () => {
  const order = Object.entries(workflow.jobs).map(([name, { needs, environment }]) => [name, needs, environment]);
  assert.deepEqual(order, [
    ["check", undefined, undefined],
    ["staging", "check", "staging"],
    ["production", "staging", "production"],
  ]);
  for (const name of ["staging", "production"]) {
    const { if: condition, concurrency } = workflow.jobs[name];
    assert.equal(condition, "github.ref == 'refs/heads/main'");
    assert.deepEqual(concurrency, { group: `deploy-${name}`, "cancel-in-progress": false });
  }
});

Deno.test("the workflow checks what .ci/run checks", async () => {
  const ci = await Deno.readTextFile(join(repository, ".ci/run"));
  assert.ok(ci.includes(commandsOf("check").join(" && ")));
});

Deno.test("each npm script of the workflow exists, and its arguments are those of the environment", async () => {
  const { scripts } = JSON.parse(await Deno.readTextFile(join(repository, "package.json")));
  for (const [, name] of workflowText.matchAll(/npm (?:run )?([\w:]+)/g)) {
    assert.ok(name === "ci" || name in scripts, name);
  }
  for (const job of ["staging", "production"]) {
    const command = commandsOf(job).at(-1)!;
    const args = command.replace("npm run deploy -- ", "").replace('"$PROJECT_REF"', "abcdefghijklmnopqrst").split(" ");
    const { environment, isConfirmed } = await readTarget(args);
    assert.deepEqual([environment, isConfirmed], [job, true]);
    assert.ok(commandsOf(job)[1].endsWith(`> supabase/${job}.env`));
  }
  assert.deepEqual(
    commandsOf("staging").map((one) => one.replaceAll("staging", "production")),
    commandsOf("production"),
  );
});

Deno.test("the workflow names actions by commit, which no moved tag can change", () => {
  const used = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  assert.equal(used.length, 6);
  for (const action of used) {
    assert.match(action, /^actions\/[\w-]+@[0-9a-f]{40}$/);
    assert.match(workflowText, new RegExp(`uses: ${action} # v\\d+\\.\\d+\\.\\d+$`, "m"));
  }
});
