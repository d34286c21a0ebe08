// What an operator learns from the report of an installation: nothing from a healthy one, and each fault with what to do.
import assert from "node:assert/strict";
import { judge, worstOf } from "../../functions/installation/findings.ts";
import type { InstallationReport } from "../../types/health.ts";
import { healthyReport } from "./healthy_report.ts";

/** The findings of the healthy report with these changes that are not ok: level, check and message. */
function faultsOf(change: (report: InstallationReport) => void): string[] {
  const report = structuredClone(healthyReport);
  change(report);
  const findings = judge(report).filter(({ level }) => level !== "ok");
  for (const { message, remedy } of findings) assert.ok(remedy, message);
  return findings.map(({ level, check, message }) => `${level} ${check}: ${message}`);
}

Deno.test("a healthy report has one ok finding for each check", () => {
  const findings = judge(healthyReport);
  assert.deepEqual(findings.filter(({ level }) => level !== "ok"), []);
  assert.deepEqual(findings.map(({ check }) => check), [
    "objects",
    "grants",
    "jobs",
    "queues",
    "wake-ups",
    "settings",
    "deliveries",
    "imports",
    "calendars",
    "billing",
    "senders",
    "database",
  ]);
  assert.equal(worstOf(findings), "ok");
});

const faults: [title: string, change: (report: InstallationReport) => void, expected: string[]][] = [
  ["missing objects", (report) => {
    report.missingObjects = ["a", "b", "c", "d", "e", "f", "g"].map((name) => ({ kind: "queue", name }));
  }, ["problem objects: Missing: queue a, queue b, queue c, queue d, queue e and 2 more"]],
  ["grants beyond sql/, and missing ones", (report) => {
    report.grants = { undeclared: ["EXECUTE on private.x to anon"], missing: ["SELECT on public.y to authenticated"] };
  }, [
    "problem grants: Not in sql/: EXECUTE on private.x to anon",
    "problem grants: Missing: SELECT on public.y to authenticated",
  ]],
  ["a frequent job that is late", ({ jobs }) => {
    jobs[0].lastRunAt = "2026-05-01T11:57:59.000Z";
  }, ["problem jobs: Late: publish_due_episodes (last run 2026-05-01T11:57:59.000Z)"]],
  ["a frequent job that never ran", ({ jobs }) => {
    jobs[0].lastRunAt = null;
  }, ["problem jobs: Late: publish_due_episodes (last run never)"]],
  ["a job whose last run failed", ({ jobs }) => {
    jobs[1].lastError = "no such table";
  }, ["problem jobs: The last run failed of sweep_storage: no such table"]],
  ["a job that an operator stopped", ({ jobs }) => {
    jobs[0].isActive = false;
    jobs[0].lastRunAt = null;
  }, ["warning jobs: Stopped: publish_due_episodes"]],
  ["messages that wait for two minutes", ({ queues }) => {
    queues[0].waitingSeconds = 120;
  }, ["warning queues: Messages wait in feed_invalidation (1 messages, 120 s)"]],
  ["a queue that no worker reads", ({ queues }) => {
    queues[0].waitingSeconds = 900;
  }, ["problem queues: No worker takes messages of feed_invalidation (1 messages, 900 s)"]],
  ["a queue of the standalone worker, which an installation may lack", ({ queues }) => {
    queues[1].waitingSeconds = 90_000;
  }, []],
  ["a paused queue", ({ queues }) => {
    Object.assign(queues[0], { isPaused: true, waitingSeconds: 5000 });
  }, ["warning queues: Paused: feed_invalidation (3 messages)"]],
  ["dead letters", ({ queues }) => {
    queues[0].deadLetters = 7;
  }, ["warning queues: Dead letters: 7 in feed_invalidation"]],
  ["no secret of the worker", ({ wakeUps }) => {
    wakeUps.hasSecret = false;
  }, ["problem wake-ups: Vault has no worker_secret, so nothing wakes the worker"]],
  ["another secret in Vault than in the functions", ({ wakeUps }) => {
    wakeUps.isSecretEqual = false;
  }, ["problem wake-ups: The worker_secret of Vault is not the WORKER_SECRET of the functions"]],
  ["a comparison of secrets that was not asked for", ({ wakeUps }) => {
    wakeUps.isSecretEqual = null;
  }, []],
  ["some wake-ups that failed", ({ wakeUps }) => {
    Object.assign(wakeUps, { refused: 3, lastRefusal: "503" });
  }, ["warning wake-ups: 3 of 103 wake-ups of the last ten minutes failed: 503"]],
  ["all wake-ups failed", ({ wakeUps }) => {
    Object.assign(wakeUps, { accepted: 0, refused: 3, lastRefusal: "404 Not found" });
  }, ["problem wake-ups: 3 of 3 wake-ups of the last ten minutes failed: 404 Not found"]],
  ["settings without a value", ({ settings }) => {
    settings.public_url = settings.base_url = null;
  }, ["problem settings: Without a value: public_url, base_url"]],
  ["local URLs in production, and addresses of any domain", ({ settings }) => {
    Object.assign(settings, { app_url: "http://localhost:3000", accepted_email_domains: "any", pages_url: "" });
  }, [
    "problem settings: URLs of this machine or a private network: app_url",
    "warning settings: accepted_email_domains is any: addresses of reserved domains are accepted",
    "warning settings: pages_url is empty: feeds and emails have no links to pages and players",
  ]],
  ["no front end", ({ settings }) => {
    settings.app_url = settings.public_url;
  }, ["warning settings: app_url is not set: emails to users link to the API instead of a front end"]],
  ["the settings of the local stack", ({ settings }) => {
    Object.assign(settings, { environment: "", public_url: "http://127.0.0.1:54321", accepted_email_domains: "any" });
  }, []],
  ["late deliveries", ({ deliveries }) => {
    deliveries.open[0].oldestDueSeconds = 901;
  }, ["warning deliveries: Late: 2 queued of email, for 901 s"]],
  ["many deliveries that failed or bounced", ({ deliveries }) => {
    deliveries.ofDay.push({ channel: "email", status: "failed", count: 6 });
  }, ["problem deliveries: 11 of 106 deliveries by email failed or bounced within a day"]],
  ["few deliveries that failed of few", ({ deliveries }) => {
    deliveries.ofDay = [{ channel: "push", status: "failed", count: 4 }];
  }, []],
  ["imports that fail", ({ imports }) => {
    Object.assign(imports, { failed: 5, completed: 3, partial: 1 });
  }, ["warning imports: 5 imports failed within a day, 4 ended"]],
  ["calendars that fail", ({ calendars }) => {
    calendars[0].expired = 6;
  }, ["warning calendars: 1 of 10 connections to google fail, 6 have an expired token"]],
  ["prices that are unknown", ({ billing }) => {
    billing.unknownPrices = 2;
  }, ["problem billing: 2 prices of subscriptions are unknown"]],
  ["accounts that complaints stopped", (report) => {
    report.stoppedSenders = 2;
  }, ["warning senders: Complaints stopped the emails to strangers of 2 accounts"]],
  ["few connections left", ({ database }) => {
    database.connections[0].count = 45;
  }, ["warning database: 49 of 60 connections are open: 45 of authenticator (postgrest), 4 of postgres (functions)"]],
  ["no connections left", ({ database }) => {
    database.connections[1].count = 48;
  }, ["problem database: 58 of 60 connections are open: 48 of postgres (functions), 10 of authenticator (postgrest)"]],
  ["a transaction that stays open, and locks", ({ database }) => {
    Object.assign(database, { oldestTransactionSeconds: 901, waitingForLocks: 11 });
  }, [
    "warning database: A transaction has been open for 901 s",
    "warning database: 11 statements wait for locks",
  ]],
];

for (const [title, change, expected] of faults) {
  Deno.test(`the findings of an installation with ${title}`, () => assert.deepEqual(faultsOf(change), expected));
}

Deno.test("jobs are not late while the database has just started", () => {
  const found = faultsOf((report) => {
    report.database.startedAt = "2026-05-01T11:59:00.000Z";
    report.jobs[0].lastRunAt = null;
  });
  assert.deepEqual(found, []);
});

Deno.test("the status is that of the worst finding", () => {
  const finding = (level: "ok" | "warning" | "problem") => ({ check: "x", level, message: "m" });
  assert.equal(worstOf([finding("ok"), finding("warning")]), "warning");
  assert.equal(worstOf([finding("problem"), finding("warning")]), "problem");
});
