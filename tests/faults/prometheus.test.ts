// The metrics, the alert rules and the dashboard with a real Prometheus (Debian's package prometheus), and the dashboard
// with Grafana's own model of dashboards (pip's grafana-foundation-sdk).
import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../../local/host/ports.ts";
import { repository } from "../../local/host/project.ts";
import { makeScratchFolder } from "../../local/host/scratch_folder.ts";
import { connectTo } from "../database.ts";
import { startTestStack } from "../stack.ts";
import { waitFor } from "../wait_for.ts";
import { pythonPackages } from "./python_packages.ts";

const MONITORING_SECRET = "monitoring-of-this-test";
const monitoring = join(repository, "monitoring");

async function runs(command: string): Promise<boolean> {
  try {
    return (await new Deno.Command(command, { args: ["--version"], stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false; // not installed
  }
}

const hasPrometheus = await runs("prometheus") && await runs("promtool");
const withoutPrometheus = hasPrometheus ? "" : " (not installed: apt-get install prometheus)";

async function promtool(args: string[], input = ""): Promise<string> {
  const child = new Deno.Command("promtool", { args, stdin: "piped", stdout: "piped", stderr: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout, stderr } = await child.output(), text = new TextDecoder();
  assert.equal(code, 0, text.decode(stdout) + text.decode(stderr));
  return text.decode(stdout) + text.decode(stderr);
}

for (
  const args of [
    ["check", "rules", join(monitoring, "alerts.yml")],
    ["test", "rules", join(monitoring, "alerts.test.yml")],
    ["check", "config", "--syntax-only", join(monitoring, "prometheus.yml")],
  ]
) {
  const name = `promtool ${args.slice(0, 2).join(" ")} accepts the files${withoutPrometheus}`;
  Deno.test({ name, ignore: !hasPrometheus, fn: async () => void await promtool(args) });
}

Deno.test({
  name: `a Prometheus reads the metrics, and its alerts find a broken installation${withoutPrometheus}`,
  ignore: !hasPrometheus,
  sanitizeOps: false,
  sanitizeResources: false,
}, async (t) => {
  await using at = await startTestStack({ functionsEnv: { MONITORING_SECRET } });
  const folder = await makeScratchFolder();
  await using _folder = { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
  const sql = connectTo(at.dbUrl, 1);
  await using _ = { [Symbol.asyncDispose]: () => sql.end() };
  const secretFile = join(folder, "secret"), port = freePort(), origin = `http://127.0.0.1:${port}`;
  await Deno.writeTextFile(secretFile, MONITORING_SECRET);
  // the published files, with seconds in place of minutes
  const config = (await Deno.readTextFile(join(monitoring, "prometheus.yml")))
    .replace("scheme: https", "scheme: http")
    .replace("your-project-ref.supabase.co", new URL(at.url).host)
    .replace("/etc/prometheus/castbase_monitoring_secret", secretFile)
    .replaceAll(/(interval|timeout): \d+[ms]/g, "$1: 1s");
  const alerts = (await Deno.readTextFile(join(monitoring, "alerts.yml"))).replaceAll(/for: \d+[mh]/g, "for: 0s");
  await Deno.writeTextFile(join(folder, "prometheus.yml"), config);
  await Deno.writeTextFile(join(folder, "alerts.yml"), alerts);
  const server = new Deno.Command("prometheus", {
    args: [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ],
    stdout: "null",
    stderr: "null",
  }).spawn();
  await using _server = {
    async [Symbol.asyncDispose]() {
      server.kill("SIGTERM");
      await server.status;
    },
  };

  // deno-lint-ignore no-explicit-any
  async function ask(path: string): Promise<any> {
    const response = await fetch(`${origin}/api/v1/${path}`), { status, data, error } = await response.json();
    assert.equal(status, "success", error);
    return data;
  }
  const query = async (expression: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> =>
    (await ask(`query?query=${encodeURIComponent(expression)}`)).result;
  const firing = async () =>
    (await query('ALERTS{alertstate="firing", alertname!="CastbaseWarning"}')).map(({ metric }) => metric.alertname);

  await t.step("promtool finds no fault in the text of the metrics", async () => {
    const response = await fetch(`${at.url}/functions/v1/api/metrics`, {
      headers: { authorization: `Bearer ${MONITORING_SECRET}` },
    });
    assert.equal(await promtool(["check", "metrics"], await response.text()), "");
  });

  await t.step("Prometheus reads a healthy installation, and no alert fires", async () => {
    await waitFor("the target is up", async () => {
      const up = await query('up{job="castbase"}').catch(() => []);
      return up[0]?.value[1] === "1";
    }, 60);
    await waitFor("the frequent jobs have run", async () => {
      const [{ idle }] = await sql`select count(*) as idle from private.frequent_jobs where last_run_at is null`;
      return idle === "0" && (await query('castbase_check_status{check="jobs"} == 0')).length === 1;
    }, 90);
    assert.equal((await query("castbase_queue_messages")).length, (await sql`select from private.queues`).length);
    await waitFor("nothing fires", async () => (await firing()).length === 0);
  });

  await t.step("each expression of the dashboard is one that Prometheus runs", async () => {
    const { panels } = JSON.parse(await Deno.readTextFile(join(monitoring, "dashboard.json")));
    const { host } = new URL(at.url);
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const found = await query(expr.replaceAll("$instance", host));
        const needsMore = /> 0|rate\(|== 1|deliveries|imports|calendar/.test(expr);
        assert.ok(found.length > 0 || needsMore, `${title}: ${expr}`);
      }
    }
  });

  await t.step("alerts fire for dead letters, a paused queue, a failing job and a missing grant", async () => {
    await sql`select private.pause_queue('storage_gc')`;
    await sql`select private.enqueue('storage_gc', '{"n": 1}'), private.enqueue('storage_gc', '{"n": 2}')`;
    await sql`select private.fail_job('storage_gc', min(msg_id), 'no', true) from pgmq.q_storage_gc`;
    await sql.unsafe(`create or replace function private.fold_notification_counts(at timestamptz default now())
      returns int language plpgsql as $$ begin raise 'the table is missing'; end $$`);
    await sql`grant execute on function private.set_setting to anon`;
    const expected = ["CastbaseDeadLetters", "CastbaseJobFails", "CastbaseProblem", "CastbaseQueuePaused"];
    await waitFor("they fire", async () => {
      const names = new Set(await firing());
      return expected.every((name) => names.has(name));
    }, 60);
  });

  await t.step("an alert fires when the functions do not respond", async () => {
    await at[Symbol.asyncDispose]();
    await waitFor("it fires", async () => (await firing()).includes("CastbaseUnreachable"), 60);
  });
});

const grafana = await pythonPackages("grafana", ["grafana-foundation-sdk==1769699998!10.1.0"], [
  "grafana_foundation_sdk",
]);

/** Reads the dashboard into Grafana's model and writes it again. */
const ROUND_TRIP = `
import json, sys
from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard
plugins.register_default_plugins()
print(JSONEncoder().encode(Dashboard.from_json(json.load(open(sys.argv[1])))))`;

Deno.test({
  name: `Grafana's model of dashboards keeps everything of the dashboard${grafana.missing}`,
  ignore: !grafana.isInstalled,
  async fn() {
    const file = join(monitoring, "dashboard.json");
    const { code, stdout, stderr } = await new Deno.Command(join(grafana.bin, "python"), {
      args: ["-c", ROUND_TRIP, file],
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    assertContains(JSON.parse(new TextDecoder().decode(stdout)), JSON.parse(await Deno.readTextFile(file)), "");
  },
});

/** The model may add defaults, but loses nothing. */
function assertContains(actual: unknown, expected: unknown, path: string) {
  if (typeof expected !== "object" || expected === null) return assert.deepEqual(actual ?? null, expected, path);
  for (const [key, value] of Object.entries(expected)) {
    assertContains((actual as Record<string, unknown> | undefined)?.[key], value, `${path}/${key}`);
  }
}
