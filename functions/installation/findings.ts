/**
 * Judges the report of an installation: what is well, and what an operator has to do. `npm run doctor` prints the
 * findings, GET /api/health/report returns them, and the alert rules (monitoring/) have the same limits.
 */
import type { Finding, InstallationReport } from "../../types/health.ts";

type Level = Finding["level"];

/** Seconds for which the first message of a queue may wait for a worker. */
export const WAITING_WARNING_SECONDS = 120, WAITING_PROBLEM_SECONDS = 900;
/** A job is late after so many of its periods. */
const LATE_PERIODS = 4, MIN_LATE_SECONDS = 120;
/** Of the connections of the database. */
export const CONNECTIONS_WARNING_SHARE = 0.8, CONNECTIONS_PROBLEM_SHARE = 0.95;
export const OLD_TRANSACTION_SECONDS = 900;
/** Deliveries that are due for longer wait for something. */
export const LATE_DELIVERY_SECONDS = 900;
/** Of the emails of a day that ended. */
export const FAILED_DELIVERIES_SHARE = 0.1;
const MIN_FAILED_DELIVERIES = 5;

/** All findings of a report, at least one for each check. */
export function judge(report: InstallationReport): Finding[] {
  return checks.flatMap(({ check, judge, well }) => {
    const found = judge(report);
    if (found.length > 0) return found.map((one) => ({ check, ...one }));
    return [{ check, level: "ok" as const, message: well(report) }];
  });
}

/** The worst level of findings. */
export function worstOf(findings: readonly Finding[]): Level {
  const levels = findings.map(({ level }) => level);
  return levels.includes("problem") ? "problem" : levels.includes("warning") ? "warning" : "ok";
}

interface Check {
  check: string;
  judge: (report: InstallationReport) => Omit<Finding, "check">[];
  /** What to say if nothing is wrong. */
  well: (report: InstallationReport) => string;
}

const problem = (message: string, remedy: string) => ({ level: "problem" as const, message, remedy });
const warning = (message: string, remedy: string) => ({ level: "warning" as const, message, remedy });

/** At most five names, and how many more there are. */
export function listOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

const checks: Check[] = [
  {
    check: "objects",
    judge: ({ missingObjects }) =>
      missingObjects.length === 0 ? [] : [problem(
        `Missing: ${listOf(missingObjects.map(({ kind, name }) => `${kind} ${name}`))}`,
        missingObjects.some(({ kind }) => kind === "extension")
          ? "Enable the extension (Database, Extensions), then run: select private.install()"
          : "Run as postgres: select private.install()",
      )],
    well: () => "extensions, queues, jobs, buckets, triggers, policies and publication are complete",
  },
  {
    check: "grants",
    judge: ({ grants: { undeclared, missing } }) => {
      const found = [];
      if (undeclared.length > 0) {
        found.push(problem(`Not in sql/: ${listOf(undeclared)}`, "Run as postgres: select private.install()"));
      }
      if (missing.length > 0) {
        found.push(problem(`Missing: ${listOf(missing)}`, "Grant again what a migration granted, or restore it"));
      }
      return found;
    },
    well: () => "the privileges of the API roles are those of sql/",
  },
  { check: "jobs", judge: judgeJobs, well: ({ jobs }) => `${jobs.length} scheduled jobs run` },
  {
    check: "queues",
    judge: judgeQueues,
    well: ({ queues }) => `${queues.length} queues, ${sum(queues.map(({ depth }) => depth))} messages, no dead letter`,
  },
  {
    check: "wake-ups",
    judge: ({ wakeUps: { hasSecret, isSecretEqual, refused, accepted, lastRefusal } }) => {
      if (!hasSecret) {
        return [problem("Vault has no worker_secret, so nothing wakes the worker", "See docs/operating.md, Secrets")];
      }
      if (isSecretEqual === false) {
        return [problem(
          "The worker_secret of Vault is not the WORKER_SECRET of the functions",
          "Deploy again, which sets both (npm run deploy)",
        )];
      }
      if (refused === 0) return [];
      const found = `${refused} of ${refused + accepted} wake-ups of the last ten minutes failed: ${lastRefusal}`;
      const remedy = "Check the setting worker_url, and that the function worker is deployed";
      return [accepted === 0 ? problem(found, remedy) : warning(found, remedy)];
    },
    well: ({ wakeUps: { accepted } }) => `the worker accepted ${accepted} wake-ups within ten minutes`,
  },
  { check: "settings", judge: judgeSettings, well: ({ settings }) => `public_url is ${settings.public_url}` },
  {
    check: "deliveries",
    judge: judgeDeliveries,
    well: ({ deliveries: { ofDay } }) => `${sum(ofDay.map(({ count }) => count))} emails and pushes within a day`,
  },
  {
    check: "imports",
    judge: ({ imports: { failed = 0, completed = 0, partial = 0 } }) =>
      failed > 2 && failed > completed + partial
        ? [
          warning(
            `${failed} imports failed within a day, ${completed + partial} ended`,
            "Read the log of read_import_feed",
          ),
        ]
        : [],
    well: ({ imports }) => `${imports.running ?? 0} in flight`,
  },
  {
    check: "calendars",
    judge: ({ calendars }) =>
      calendars.filter(({ connections, failing, expired }) =>
        connections > 0 && 2 * Math.max(failing, expired) > connections
      )
        .map(({ provider, connections, failing, expired }) =>
          warning(
            `${failing} of ${connections} connections to ${provider} fail, ${expired} have an expired token`,
            "Its client secret may have expired (docs/operating.md, Calendar accounts)",
          )
        ),
    well: ({ calendars }) => `${sum(calendars.map(({ connections }) => connections))} connections`,
  },
  {
    check: "billing",
    judge: ({ billing: { unknownPrices } }) =>
      unknownPrices === 0 ? [] : [problem(
        `${unknownPrices} prices of subscriptions are unknown`,
        "Read private.unknown_prices and insert them (docs/operating.md, Prices)",
      )],
    well: ({ billing: { offeredPrices } }) => `${offeredPrices} prices are offered, none is unknown`,
  },
  {
    check: "senders",
    judge: ({ stoppedSenders }) =>
      stoppedSenders === 0 ? [] : [warning(
        `Complaints stopped the emails to strangers of ${stoppedSenders} accounts`,
        "Decide on each (docs/operating.md, Emails to strangers)",
      )],
    well: () => "no account was stopped",
  },
  { check: "database", judge: judgeDatabase, well: ({ database }) => `PostgreSQL ${database.version}` },
];

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const secondsSince = (time: string, now: string) => (Date.parse(now) - Date.parse(time)) / 1000;

function judgeJobs({ jobs, timestamp, database }: InstallationReport): Omit<Finding, "check">[] {
  const found: Omit<Finding, "check">[] = [];
  const late = jobs.filter(({ isActive, periodSeconds, lastRunAt }) => {
    if (!isActive || periodSeconds === undefined) return false;
    // after a start, jobs have had no time to run
    const since = Math.min(
      ...[lastRunAt ?? "", database.startedAt].filter(Boolean).map((at) => secondsSince(at, timestamp)),
    );
    return since > Math.max(MIN_LATE_SECONDS, LATE_PERIODS * periodSeconds);
  });
  if (late.length > 0) {
    found.push(problem(
      `Late: ${listOf(late.map(({ name, lastRunAt }) => `${name} (last run ${lastRunAt ?? "never"})`))}`,
      "Look at cron.job_run_details and at long transactions; pg_cron may have no connection left",
    ));
  }
  const failing = jobs.filter(({ isActive, lastError }) => isActive && lastError);
  if (failing.length > 0) {
    const texts = failing.map(({ name, lastError }) => `${name}: ${lastError!.slice(0, 150)}`);
    found.push(problem(`The last run failed of ${listOf(texts)}`, "Repair the cause; the next run tries again"));
  }
  const stopped = jobs.filter(({ isActive }) => !isActive).map(({ name }) => name);
  if (stopped.length > 0) {
    found.push(
      warning(
        `Stopped: ${listOf(stopped)}`,
        "Start them again when nothing speaks against it (docs/operating.md, Scheduled jobs)",
      ),
    );
  }
  return found;
}

function judgeQueues({ queues }: InstallationReport): Omit<Finding, "check">[] {
  const found: Omit<Finding, "check">[] = [];
  const waiting = (more: number, less = Infinity) =>
    queues.filter(({ isPaused, isStandalone, waitingSeconds }) =>
      !isPaused && !isStandalone && waitingSeconds >= more && waitingSeconds < less
    ).map(({ queue, waitingSeconds, visible }) => `${queue} (${visible} messages, ${waitingSeconds} s)`);
  const remedy = "Check wake-ups and the log of the worker; npm run queues lists what it tries";
  const stuck = waiting(WAITING_PROBLEM_SECONDS), slow = waiting(WAITING_WARNING_SECONDS, WAITING_PROBLEM_SECONDS);
  if (stuck.length > 0) found.push(problem(`No worker takes messages of ${listOf(stuck)}`, remedy));
  if (slow.length > 0) found.push(warning(`Messages wait in ${listOf(slow)}`, remedy));
  const dead = queues.filter(({ deadLetters }) => deadLetters > 0);
  if (dead.length > 0) {
    found.push(warning(
      `Dead letters: ${listOf(dead.map(({ queue, deadLetters }) => `${deadLetters} in ${queue}`))}`,
      "npm run queues -- list <queue> shows why; then retry or drop them",
    ));
  }
  const paused = queues.filter(({ isPaused }) => isPaused).map(({ queue, depth }) => `${queue} (${depth} messages)`);
  if (paused.length > 0) found.push(warning(`Paused: ${listOf(paused)}`, "npm run queues -- resume <queue>"));
  return found;
}

const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.(local|localhost|internal|test))$/;

function judgeSettings({ settings }: InstallationReport): Omit<Finding, "check">[] {
  const found: Omit<Finding, "check">[] = [];
  const remedy = "Set it with private.set_setting (docs/operating.md, Settings)";
  const missing = Object.keys(settings).filter((key) => settings[key] === null);
  if (missing.length > 0) found.push(problem(`Without a value: ${listOf(missing)}`, remedy));
  if (!settings.environment) return found; // the local stack
  const local = Object.entries(settings).filter(([, value]) => isLocalUrl(value)).map(([key]) => key);
  if (local.length > 0) found.push(problem(`URLs of this machine or a private network: ${listOf(local)}`, remedy));
  if (settings.app_url === settings.public_url) {
    found.push(warning("app_url is not set: emails to users link to the API instead of a front end", remedy));
  }
  if (settings.accepted_email_domains === "any") {
    found.push(warning("accepted_email_domains is any: addresses of reserved domains are accepted", remedy));
  }
  if (settings.pages_url === "") {
    found.push(warning("pages_url is empty: feeds and emails have no links to pages and players", remedy));
  }
  return found;
}

const isLocalUrl = (value: string | null) =>
  value !== null && URL.canParse(value) && LOCAL_HOST.test(new URL(value).hostname);

function judgeDeliveries({ deliveries: { open, ofDay } }: InstallationReport): Omit<Finding, "check">[] {
  const found: Omit<Finding, "check">[] = [];
  const late = open.filter(({ oldestDueSeconds }) => oldestDueSeconds > LATE_DELIVERY_SECONDS)
    .map(({ channel, status, count, oldestDueSeconds }) =>
      `${count} ${status} of ${channel}, for ${oldestDueSeconds} s`
    );
  if (late.length > 0) {
    found.push(
      warning(`Late: ${listOf(late)}`, "The provider may refuse them: npm run queues -- list email_deliveries"),
    );
  }
  for (const channel of new Set(ofDay.map((one) => one.channel))) {
    const ended = ofDay.filter((one) =>
      one.channel === channel && !["pending", "queued", "canceled"].includes(one.status)
    );
    const total = sum(ended.map(({ count }) => count));
    const bad = sum(ended.filter(({ status }) => ["failed", "bounced"].includes(status)).map(({ count }) => count));
    if (bad >= MIN_FAILED_DELIVERIES && bad > FAILED_DELIVERIES_SHARE * total) {
      found.push(problem(
        `${bad} of ${total} deliveries by ${channel} failed or bounced within a day`,
        "Read their last errors (docs/operating.md, Emails)",
      ));
    }
  }
  return found;
}

function judgeDatabase({ database }: InstallationReport): Omit<Finding, "check">[] {
  const found: Omit<Finding, "check">[] = [];
  const { maxConnections, connections, oldestTransactionSeconds, waitingForLocks } = database;
  const used = sum(connections.map(({ count }) => count));
  if (used > CONNECTIONS_WARNING_SHARE * maxConnections) {
    const most = [...connections].sort((a, b) => b.count - a.count).slice(0, 3)
      .map(({ role, application, count }) => `${count} of ${role} (${application})`);
    const text = `${used} of ${maxConnections} connections are open: ${most.join(", ")}`;
    const remedy = "Use the pooler, or a larger compute size (docs/operating.md, Connections)";
    found.push(used > CONNECTIONS_PROBLEM_SHARE * maxConnections ? problem(text, remedy) : warning(text, remedy));
  }
  if (oldestTransactionSeconds > OLD_TRANSACTION_SECONDS) {
    found.push(warning(
      `A transaction has been open for ${oldestTransactionSeconds} s`,
      "It keeps locks and dead rows; find it in pg_stat_activity and end it",
    ));
  }
  if (waitingForLocks > 10) {
    found.push(warning(`${waitingForLocks} statements wait for locks`, "See docs/operating.md, Database outages"));
  }
  return found;
}
