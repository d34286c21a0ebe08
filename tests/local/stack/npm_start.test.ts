// npm start as a process, started from a shell that ends at once: signals and ends that stop it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { connected } from "../../../local/postgres/client.ts";
import { runningStack, type StackState } from "../../../local/host/data_folder.ts";
import { commandLine } from "../../../local/host/processes.ts";
import { repository } from "../../../local/host/project.ts";
import { makeScratchFolder } from "../../../local/host/scratch_folder.ts";
import { waitFor } from "../../wait_for.ts";
import { probeProject } from "../host/probe_project.ts";
import { processesOf, waitForEndOf } from "../processes.ts";

const project = await probeProject();
await Deno.writeTextFile(
  join(project.folder, "supabase/migrations/20260101000000_job.sql"),
  `create extension pg_cron;
   create extension pg_net with schema extensions;
   select cron.schedule('each second', '1 second', 'select 1');`,
);

/** Disposing of it ends the processes of a failed test and removes its folder. */
interface Started extends AsyncDisposable {
  folder: string;
  dataDir: string;
  group: number;
  npm: number;
}

/** Runs npm start in a process group of its own, from a shell that has ended when this returns. */
async function npmStart(): Promise<Started> {
  const folder = await makeScratchFolder("castbase-npm-");
  const dataDir = join(folder, "data");
  const options = JSON.stringify({ dataDir, project: project.folder });
  const start = `node '${repository}/local/deno.mjs' tests/local/host/run_probe.ts '${options}'`;
  await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify({ name: "probe", scripts: { start } }));
  const { stdout } = await new Deno.Command("setsid", {
    args: ["sh", "-c", "echo $$; npm start >output 2>&1 </dev/null & echo $!"],
    cwd: folder,
    env: { npm_config_update_notifier: "false" },
    stdin: "null",
  }).output();
  const [group, npm] = new TextDecoder().decode(stdout).trim().split("\n").map(Number);
  const end = async () => {
    await signalled("KILL", -group);
    await isUnused(dataDir);
    await Deno.remove(folder, { recursive: true });
  };
  return { folder, dataDir, group, npm, [Symbol.asyncDispose]: end };
}

/** Waits for a state of the stack and returns it. */
async function state({ folder, dataDir, npm }: Started, isSo: (state: StackState) => boolean) {
  return await waitFor("npm start", async () => {
    // Not by its command line: that is empty for a moment while the shell becomes npm
    if (!existsSync(`/proc/${npm}`)) throw new Error(await Deno.readTextFile(join(folder, "output")));
    const state = await runningStack(dataDir);
    return state && isSo(state) ? state : undefined;
  }, 120);
}

async function kill(signal: string, pid: number) {
  assert.ok(await signalled(signal, pid), `kill -s ${signal} ${pid}`);
}

/** False when there is no such process or group. */
async function signalled(signal: string, pid: number): Promise<boolean> {
  return (await new Deno.Command("kill", { args: ["-s", signal, "--", String(pid)] }).output()).success;
}

async function assertGone({ dataDir }: Started, processes: number[]) {
  await waitForEndOf(processes);
  await isUnused(dataDir);
  assert.equal(await Deno.stat(join(dataDir, "stack.json")).catch(() => "gone"), "gone");
}

/** The children of a process that has died have another parent: PostgreSQL and its guard name their data folder. */
async function isUnused(dataDir: string) {
  await waitFor(`the end of what uses ${dataDir}`, async () => {
    const pids = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => pid !== Deno.pid);
    return (await Promise.all(pids.map(commandLine))).every((line) => !line?.includes(dataDir));
  });
}

const linux = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "npm start outlives its shell, logs nothing while idle, and leaves no process when npm, node or the terminal ends",
  linux,
  async () => {
    const endings: [signal: string, target: (started: Started, node: number) => number][] = [
      ["TERM", ({ npm }) => npm],
      ["KILL", ({ npm }) => npm],
      ["KILL", (_, node) => node],
      ["HUP", ({ group }) => -group],
      ["INT", ({ group }) => -group],
    ];
    // All of them settle before the test ends: a failed one must not keep the others from being disposed of
    const outcomes = await Promise.allSettled(endings.map(async ([signal, target]) => {
      await using started = await npmStart();
      const { pid, functionsUrl, dbUrl } = await state(started, ({ url }) => url !== undefined);
      const [output, log] = ["output", "data/postgres.log"].map((name) => join(started.folder, name));
      const printed = (await Deno.readTextFile(output)).length;
      const response = await fetch(`${functionsUrl}/probe/text`);
      assert.deepEqual([response.status, (await response.text()).length], [200, 5000]);
      await connected(dbUrl!, (sql) =>
        waitFor("two runs of a job", async () => {
          const runs = await sql`select from cron.job_run_details where status = 'succeeded'`;
          return runs.length >= 2;
        }));
      const logged = (await Deno.readTextFile(log)).split("ready to accept connections\n");
      assert.deepEqual([logged.length, logged.at(-1)], [2, ""]);
      const processes = await processesOf(started.npm);

      await kill(signal, target(started, processes[processes.indexOf(pid) - 1]));
      await waitForEndOf(processes);
      assert.match(
        await Deno.readTextFile(log),
        /database system is shut down/,
        `the end of PostgreSQL after ${signal}`,
      );
      const last = (await Deno.readTextFile(output)).slice(printed);
      assert.equal(last.replace(/^(npm .*|Killed)\n/gm, ""), "");
      await assertGone(started, processes);
    }));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  },
);

Deno.test("npm start that is stopped while it starts leaves no process", linux, async () => {
  await using started = await npmStart();
  const { url } = await state(started, () => true);
  assert.equal(url, undefined);
  const processes = await processesOf(started.npm);
  await kill("TERM", started.npm);
  await assertGone(started, processes);
});
