// The report as Prometheus text, and what the dashboard and the alerts ask of it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { judge } from "../../functions/installation/findings.ts";
import { METRICS, toPrometheusText } from "../../functions/installation/prometheus_text.ts";
import { repository } from "../../local/host/project.ts";
import { healthyReport } from "./healthy_report.ts";

const text = toPrometheusText(healthyReport, judge(healthyReport));
const lines = text.trimEnd().split("\n");

Deno.test("each metric has its help and type once, before its samples", () => {
  assert.ok(text.endsWith("\n"));
  const seen = new Set<string>();
  let name = "";
  for (const line of lines) {
    const help = line.match(/^# HELP (castbase_[a-z_]+) [A-Z0-9].*[^.]$/);
    if (help) {
      assert.ok(!seen.has(name = help[1]), name);
      seen.add(name);
    } else if (line.startsWith("# TYPE")) {
      assert.match(line, new RegExp(`^# TYPE ${name} (gauge|counter)$`));
    } else {
      assert.match(line, new RegExp(`^${name}(\\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\\})? -?\\d+(\\.\\d+)?$`));
    }
  }
  assert.deepEqual([...seen], METRICS.map((metric) => metric.name));
  for (const { name, type } of METRICS) assert.equal(name.endsWith("_total"), type === "counter", name);
});

Deno.test("samples have the values of the report", () => {
  for (
    const line of [
      'castbase_check_status{check="queues"} 0',
      "castbase_database_max_connections 60",
      'castbase_database_connections{role="postgres",application="functions"} 4',
      'castbase_queue_messages{queue="feed_invalidation"} 3',
      'castbase_queue_waiting_seconds{queue="large_images",reader="standalone"} 1',
      'castbase_queue_messages_total{queue="feed_invalidation"} 100',
      'castbase_job_last_run_timestamp_seconds{job="sweep_storage"} 1777605420',
      'castbase_deliveries_of_day{channel="email",status="bounced"} 5',
      'castbase_calendar_connections{provider="google",state="failing"} 1',
      'castbase_table_size_bytes{table="public.notifications"} 8000000',
    ]
  ) assert.ok(lines.includes(line), line);
});

Deno.test("the worst finding is the status of a check", () => {
  const finding = { check: "queues", message: "m" };
  const status = (...levels: ("ok" | "warning" | "problem")[]) =>
    toPrometheusText(healthyReport, levels.map((level) => ({ ...finding, level }))).match(/queues"\} (\d)/)![1];
  assert.deepEqual([status("ok"), status("ok", "warning"), status("problem", "warning")], ["0", "1", "2"]);
});

Deno.test("label values are escaped", () => {
  const report = structuredClone(healthyReport);
  report.database.connections = [{ role: 'a"b\\c\nd', application: "x", count: 1 }];
  assert.ok(toPrometheusText(report, []).includes('role="a\\"b\\\\c\\nd",application="x"} 1\n'));
});

for (const file of ["dashboard.json", "alerts.yml", "alerts.test.yml"]) {
  Deno.test(`monitoring/${file} asks for metrics that exist`, async () => {
    const names = (await Deno.readTextFile(join(repository, "monitoring", file))).match(/\bcastbase_[a-z_]+\b/g)!;
    const known = METRICS.map(({ name }) => name).concat("castbase_monitoring_secret");
    assert.deepEqual(names.filter((name) => !known.includes(name)), []);
  });
}

Deno.test("the dashboard shows each metric, unless it only orders or stops others", async () => {
  const dashboard = await Deno.readTextFile(join(repository, "monitoring/dashboard.json"));
  const hidden = METRICS.map(({ name }) => name).filter((name) => !new RegExp(`${name}\\b`).test(dashboard));
  assert.deepEqual(hidden, [
    "castbase_database_start_time_seconds",
    "castbase_table_rows",
    "castbase_table_dead_rows",
    "castbase_queue_visible_messages",
    "castbase_queue_paused",
    "castbase_job_last_run_timestamp_seconds",
    "castbase_job_active",
    "castbase_deliveries_due",
    "castbase_stopped_senders",
    "castbase_unknown_prices",
  ]);
});

Deno.test("panels of the dashboard have ids of their own and do not overlap", async () => {
  const { panels } = JSON.parse(await Deno.readTextFile(join(repository, "monitoring/dashboard.json")));
  const cells = new Set<string>();
  for (const { gridPos: { x, y, w, h } } of panels) {
    for (let column = x; column < x + w; column++) {
      for (let row = y; row < y + h; row++) {
        assert.ok(column < 24 && !cells.has(`${column} ${row}`));
        cells.add(`${column} ${row}`);
      }
    }
  }
  assert.equal(new Set(panels.map(({ id }: { id: number }) => id)).size, panels.length);
});
