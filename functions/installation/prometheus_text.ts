/**
 * The report of an installation as Prometheus text (https://prometheus.io/docs/instrumenting/exposition_formats/).
 * All values are of the database. Requests are in the log lines, because each scrape meets another isolate.
 */
import { VERSION } from "../runtime/product_version.ts";
import { type Finding, FindingLevel, type InstallationReport } from "../../types/health.ts";

type Labels = Record<string, string>;
type Sample = [value: number, labels?: Labels];

interface Metric {
  name: string;
  type: "gauge" | "counter";
  help: string;
  samples: (report: InstallationReport, findings: readonly Finding[]) => Sample[];
}

const seconds = (time: string) => Date.parse(time) / 1000;
const byQueue = (value: (queue: InstallationReport["queues"][number]) => number) => ({ queues }: InstallationReport) =>
  queues.map((queue): Sample => [value(queue), { queue: queue.queue }]);
const byTable =
  (value: (table: InstallationReport["database"]["tables"][number]) => number) => ({ database }: InstallationReport) =>
    database.tables.map((table): Sample => [value(table), { table: table.table }]);
const byStatus = (counts: Record<string, number>) =>
  Object.entries(counts).map(([status, count]): Sample => [count, { status }]);

/** Each metric once; monitoring/ and docs/operating.md name them. */
export const METRICS: Metric[] = [
  {
    name: "castbase_check_status",
    type: "gauge",
    help: "Worst finding of a check of npm run doctor: 0 ok, 1 warning, 2 problem",
    samples: (_, findings) =>
      [...new Set(findings.map(({ check }) => check))].map((check) => [
        Math.max(
          ...findings.filter((one) => one.check === check).map(({ level }) => FindingLevel.options.indexOf(level)),
        ),
        { check },
      ]),
  },
  {
    name: "castbase_info",
    type: "gauge",
    help: "1, with the versions of the functions, the server and the migrations",
    samples: ({ database, migration }) => [
      [1, { version: VERSION, postgres: database.version, migration: migration ?? "" }],
    ],
  },
  {
    name: "castbase_database_start_time_seconds",
    type: "gauge",
    help: "When the database server started",
    samples: ({ database }) => [[seconds(database.startedAt)]],
  },
  {
    name: "castbase_database_size_bytes",
    type: "gauge",
    help: "Size of the database",
    samples: ({ database }) => [[database.sizeBytes]],
  },
  {
    name: "castbase_database_connections",
    type: "gauge",
    help: "Open connections by role and application",
    samples: ({ database }) =>
      database.connections.map(({ count, role, application }) => [count, { role, application }]),
  },
  {
    name: "castbase_database_max_connections",
    type: "gauge",
    help: "Connections that the server accepts",
    samples: ({ database }) => [[database.maxConnections]],
  },
  {
    name: "castbase_database_oldest_transaction_seconds",
    type: "gauge",
    help: "How long the oldest transaction has been open",
    samples: ({ database }) => [[database.oldestTransactionSeconds]],
  },
  {
    name: "castbase_database_waiting_for_locks",
    type: "gauge",
    help: "Statements that wait for a lock",
    samples: ({ database }) => [[database.waitingForLocks]],
  },
  {
    name: "castbase_table_size_bytes",
    type: "gauge",
    help: "Size of a table with indexes; the 25 largest",
    samples: byTable(({ bytes }) => bytes),
  },
  { name: "castbase_table_rows", type: "gauge", help: "Estimated live rows", samples: byTable(({ rows }) => rows) },
  {
    name: "castbase_table_dead_rows",
    type: "gauge",
    help: "Estimated dead rows, which vacuum removes",
    samples: byTable(({ deadRows }) => deadRows),
  },
  {
    name: "castbase_queue_messages",
    type: "gauge",
    help: "Messages of a queue",
    samples: byQueue(({ depth }) => depth),
  },
  {
    name: "castbase_queue_visible_messages",
    type: "gauge",
    help: "Messages that a worker may take now",
    samples: byQueue(({ visible }) => visible),
  },
  {
    name: "castbase_queue_waiting_seconds",
    type: "gauge",
    help: "How long the first visible message has waited, by what reads the queue",
    samples: ({ queues }) =>
      queues.map(({ queue, waitingSeconds, isStandalone }) => [
        waitingSeconds,
        { queue, reader: isStandalone ? "standalone" : "function" },
      ]),
  },
  {
    name: "castbase_queue_dead_letters",
    type: "gauge",
    help: "Messages whose attempts are used up",
    samples: byQueue(({ deadLetters }) => deadLetters),
  },
  {
    name: "castbase_queue_paused",
    type: "gauge",
    help: "1 if workers take no messages of the queue",
    samples: byQueue(({ isPaused }) => Number(isPaused)),
  },
  {
    name: "castbase_queue_messages_total",
    type: "counter",
    help: "Messages since the queue was created",
    samples: byQueue(({ totalMessages }) => totalMessages),
  },
  {
    name: "castbase_job_last_run_timestamp_seconds",
    type: "gauge",
    help: "When a scheduled job ran last",
    samples: ({ jobs }) =>
      jobs.flatMap(({ name, lastRunAt }): Sample[] => lastRunAt ? [[seconds(lastRunAt), { job: name }]] : []),
  },
  {
    name: "castbase_job_failing",
    type: "gauge",
    help: "1 if the last run of a scheduled job failed",
    samples: ({ jobs }) => jobs.map(({ name, lastError }) => [Number(lastError !== null), { job: name }]),
  },
  {
    name: "castbase_job_active",
    type: "gauge",
    help: "0 if an operator stopped a scheduled job",
    samples: ({ jobs }) => jobs.map(({ name, isActive }) => [Number(isActive), { job: name }]),
  },
  {
    name: "castbase_wake_ups",
    type: "gauge",
    help: "Requests of the last ten minutes that wake the worker",
    samples: ({ wakeUps }) => [
      [wakeUps.accepted, { outcome: "accepted" }],
      [wakeUps.refused, { outcome: "refused" }],
    ],
  },
  {
    name: "castbase_deliveries_due",
    type: "gauge",
    help: "Emails and pushes that are due and not sent",
    samples: ({ deliveries }) => deliveries.open.map(({ count, channel, status }) => [count, { channel, status }]),
  },
  {
    name: "castbase_deliveries_due_oldest_seconds",
    type: "gauge",
    help: "For how long the oldest of them has been due",
    samples: ({ deliveries }) =>
      deliveries.open.map(({ oldestDueSeconds, channel, status }) => [oldestDueSeconds, { channel, status }]),
  },
  {
    name: "castbase_deliveries_of_day",
    type: "gauge",
    help: "Emails and pushes that were created within a day",
    samples: ({ deliveries }) => deliveries.ofDay.map(({ count, channel, status }) => [count, { channel, status }]),
  },
  {
    name: "castbase_imports",
    type: "gauge",
    help: "Imports in flight, and those that ended within a day",
    samples: ({ imports }) => byStatus(imports),
  },
  {
    name: "castbase_calendar_connections",
    type: "gauge",
    help: "Calendar connections; failing, revoked and expired ones are also among all",
    samples: ({ calendars }) =>
      calendars.flatMap(({ provider, connections, failing, revoked, expired }): Sample[] => [
        [connections, { provider, state: "all" }],
        [failing, { provider, state: "failing" }],
        [revoked, { provider, state: "revoked" }],
        [expired, { provider, state: "expired" }],
      ]),
  },
  {
    name: "castbase_estimated_rows",
    type: "gauge",
    help: "Estimated accounts, podcasts and episodes",
    samples: ({ estimatedRows }) => Object.entries(estimatedRows).map(([table, rows]) => [rows, { table }]),
  },
  {
    name: "castbase_stopped_senders",
    type: "gauge",
    help: "Accounts whose emails to strangers complaints have stopped",
    samples: ({ stoppedSenders }) => [[stoppedSenders]],
  },
  {
    name: "castbase_unknown_prices",
    type: "gauge",
    help: "Prices of subscriptions that plan_prices lacks",
    samples: ({ billing }) => [[billing.unknownPrices]],
  },
];

/** Renders all metrics; those without a sample are left out. */
export function toPrometheusText(report: InstallationReport, findings: readonly Finding[]): string {
  return METRICS.map(({ name, type, help, samples }) => {
    const lines = samples(report, findings).map(([value, labels]) => `${name}${labelsText(labels)} ${value}\n`);
    return lines.length === 0 ? "" : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
  }).join("");
}

function labelsText(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escapeLabel = (value: string) => value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
