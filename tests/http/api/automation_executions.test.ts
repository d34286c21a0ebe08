// /api/automations/executions: what automations did.
import assert from "node:assert/strict";
import { assertError, assertKeys, podcast, scheduleDeletion, sql, waitFor } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { allow, disallow } from "./artwork.ts";
import {
  BASE,
  contextOf,
  newRule,
  publishNew,
  recordExecution,
  type Rule,
  send,
  updateOf,
  useLimit,
  webhookTo,
} from "./automations.ts";

const show = await podcast("Executions");
const PATH = "/executions";
const FIELDS = [
  ..."id rule_id podcast_id trigger_type status context_data action_results error_message".split(" "),
  ..."retry_of_id started_at completed_at next_attempt_at created_at".split(" "),
];

/** An address that webhooks may not reach: the action fails at once. */
const PRIVATE_HOST = "10.0.0.1";

const kept = await recordExecution(show);
const disabled = await newRule(show, { is_enabled: false });
const failed = await recordExecution(show, { status: "failed", rule_id: disabled.id });
const ROUTES: Record<string, () => Promise<{ path: string; json?: unknown }>> = {
  "GET": () => Promise.resolve({ path: `${BASE}${PATH}?podcast_id=${show.id}` }),
  "GET /stats": () => Promise.resolve({ path: `${BASE}${PATH}/stats?podcast_id=${show.id}` }),
  "GET /:id": () => Promise.resolve({ path: `${BASE}${PATH}/${kept}` }),
  "POST /:id/retry": () => Promise.resolve({ path: `${BASE}${PATH}/${failed}/retry` }),
};
for (const [name, request] of Object.entries(ROUTES)) {
  const [method, path = ""] = name.split(" "), route = `${method} ${BASE}${PATH}${path}`;
  assertAccessMatrix(route, request, { anon: 401, stranger: 403, member: 403 });
}

const get = async (id: string) => (await send("GET", `${PATH}/${id}`)).body.execution;
const list = async (query: string) => (await send("GET", `${PATH}?${query}`)).body;
const retry = (id: string) => send("POST", `${PATH}/${id}/retry`);

/** The newest execution of a rule, once it has ended. */
const endedOf = (rule: Rule) =>
  waitFor("the execution ends", async () => {
    const { executions: [execution] } = await list(`podcast_id=${rule.podcast_id}&rule_id=${rule.id}`);
    return execution?.completed_at && execution;
  });

Deno.test("publishing an episode runs a rule, and the execution shows what it did", async () => {
  const own = await podcast("Runs");
  const rule = await newRule(own, { name: "Renames", actions: [updateOf("summary", "Out now")] });
  const pilot = await publishNew(own);
  const listed = await endedOf(rule);
  const { automation_rules, ...execution } = listed;
  assert.deepEqual(automation_rules, { name: "Renames" });
  const { status, body } = await send("GET", `${PATH}/${execution.id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { execution });
  assertKeys(execution, ...FIELDS);
  const { id: _, context_data, started_at, completed_at, created_at, ...rest } = execution;
  assert.deepEqual(rest, {
    rule_id: rule.id,
    podcast_id: own.id,
    trigger_type: "episode.published",
    status: "completed",
    action_results: [{
      action_id: rule.automation_actions[0].id,
      action_type: "update_field",
      status: "completed",
      result: { entity: "episode", ids: [pilot.id], field: "summary", value: "Out now" },
    }],
    error_message: null,
    retry_of_id: null,
    next_attempt_at: null,
  });
  for (const time of [started_at, completed_at, created_at]) {
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  assert.deepEqual(Object.keys(context_data).sort(), Object.keys(contextOf(own)).sort());
  assert.deepEqual([context_data.episode_id, context_data.tags.episode_title], [pilot.id, "Pilot"]);
  const [{ summary }] = await sql`select summary from public.episodes where id = ${pilot.id}`;
  assert.equal(summary, "Out now");
});

Deno.test("GET executions lists a podcast's executions, newest first, by rule, status and page", async () => {
  const own = await podcast("Listed executions"), [first, second] = [await newRule(own), await newRule(own)];
  assert.deepEqual(await list(`podcast_id=${own.id}`), { executions: [], total: 0 });
  const ids: string[] = [];
  for (const [n, fields] of [{ status: "failed" }, {}, { status: "running" }, { status: "pending" }].entries()) {
    const rule_id = (n % 2 ? first : second).id;
    ids.unshift(await recordExecution(own, { rule_id, created_at: new Date(n * 1000), ...fields }));
  }
  const page = async (query = "") => {
    const { executions, total } = await list(`podcast_id=${own.id}${query}`);
    for (const execution of executions) assertKeys(execution, ...FIELDS, "automation_rules");
    return [executions.map(({ id }: { id: string }) => ids.indexOf(id)), total];
  };
  assert.deepEqual(await page(), [[0, 1, 2, 3], 4]);
  assert.deepEqual(await page(`&rule_id=${first.id}`), [[0, 2], 2]);
  assert.deepEqual(await page("&status=failed"), [[3], 1]);
  assert.deepEqual(await page("&status=canceled"), [[], 0]);
  assert.deepEqual(await page(`&rule_id=${first.id}&status=pending`), [[0], 1]);
  assert.deepEqual(await page("&limit=2&offset=1"), [[1, 2], 4]);
  assert.deepEqual(await page(`&rule_id=${crypto.randomUUID()}`), [[], 0]);
});

Deno.test("GET executions returns 50 executions from the first one by default", async () => {
  const own = await podcast("Fifty executions");
  await sql`
    insert into public.automation_executions (podcast_id, rule_name, trigger_type, context_data, created_at)
    select ${own.id}, 'Rule ' || n, 'episode.published', ${sql.json(contextOf(own))}, now() - n * interval '1 second'
    from generate_series(1, 51) n`;
  const { executions, total } = await list(`podcast_id=${own.id}`);
  assert.deepEqual([executions.length, executions[0].automation_rules, total], [50, { name: "Rule 1" }, 51]);
});

Deno.test("executions of a deleted rule keep the rule's name, without its id", async () => {
  const rule = await newRule(show, { name: "Short-lived" });
  const id = await recordExecution(show, { rule_id: rule.id, rule_name: "Short-lived", status: "pending" });
  await send("DELETE", `/rules/${rule.id}`);
  const { executions } = await list(`podcast_id=${show.id}&status=canceled`);
  const found = executions.find((execution: { id: string }) => execution.id === id);
  assert.deepEqual([found.rule_id, found.automation_rules.name, found.error_message], [
    null,
    "Short-lived",
    "The rule was deleted",
  ]);
});

Deno.test("GET executions/stats counts executions of the last days by status, trigger and action", async () => {
  const own = await podcast("Counted executions");
  const stats = async (query = "") => (await send("GET", `${PATH}/stats?podcast_id=${own.id}${query}`)).body;
  const none = { total: 0, completed: 0, failed: 0, pending: 0, by_trigger: {}, by_action: {} };
  assert.deepEqual(await stats(), { stats: none });
  const result = (action_type: string, status: string) => ({ action_type, status, result: {} });
  const action_results = [
    result("send_email", "completed"),
    result("send_webhook", "failed"),
    result("send_webhook", "skipped"),
  ];
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  for (const status of ["completed", "failed", "canceled", "pending", "running"]) {
    await recordExecution(own, { status, action_results, created_at: daysAgo(1) });
  }
  await recordExecution(own, { trigger_type: "booking.confirmed", created_at: daysAgo(29) });
  await recordExecution(own, { created_at: daysAgo(31) });
  const month = {
    total: 6,
    completed: 2,
    failed: 1,
    pending: 2,
    by_trigger: { "episode.published": 5, "booking.confirmed": 1 },
    by_action: { send_email: 5, send_webhook: 5 },
  };
  assert.deepEqual(await stats(), { stats: month });
  assert.deepEqual((await stats("&days=30")).stats, month);
  assert.deepEqual((await stats("&days=365")).stats.total, 7);
  assert.deepEqual((await stats("&days=2")).stats.by_trigger, { "episode.published": 5 });
});

Deno.test("executions return 400 that names an invalid query parameter", async () => {
  const podcastId = `podcast_id=${show.id}`;
  for (
    const [path, details] of [
      ["?", /^podcast_id: /],
      ["?podcast_id=x", /^podcast_id: /],
      [`?${podcastId}&rule_id=x`, /^rule_id: /],
      [`?${podcastId}&status=ended`, /^status: /],
      [`?${podcastId}&limit=0`, /^limit: /],
      [`?${podcastId}&limit=201`, /^limit: /],
      [`?${podcastId}&offset=-1`, /^offset: /],
      ["/stats?", /^podcast_id: /],
      [`/stats?${podcastId}&days=0`, /^days: /],
      [`/stats?${podcastId}&days=366`, /^days: /],
      [`/stats?${podcastId}&days=1.5`, /^days: /],
      ["/nonsense", /^id: /],
    ] as const
  ) {
    assertError(await send("GET", `${PATH}${path}`), 400, { details });
  }
  assertError(await retry("nonsense"), 400, { details: /^id: / });
  assertError(await send("POST", `${PATH}/${failed}/retry`, { force: true }), 400, {
    details: 'Unrecognized key: "force"',
  });
});

Deno.test("executions return 404 for an unknown id or podcast", async () => {
  const unknown = crypto.randomUUID();
  for (const response of [await send("GET", `${PATH}/${unknown}`), await retry(unknown)]) {
    assertError(response, 404, { error: "Automation execution not found" });
  }
  for (const path of ["", "/stats"]) {
    assertError(await send("GET", `${PATH}${path}?podcast_id=${unknown}`), 404, { error: "Podcast not found" });
  }
});

Deno.test("POST retry makes a pending execution that repeats only what had not completed", async () => {
  const own = await podcast("Retried");
  await allow(PRIVATE_HOST); // when the rule is saved
  const rule = await newRule(own, { actions: [updateOf("summary", "Once"), webhookTo(`http://${PRIVATE_HOST}/`)] });
  await disallow(PRIVATE_HOST);
  const pilot = await publishNew(own);
  const first = await endedOf(rule);
  assert.deepEqual([first.status, first.error_message], ["failed", first.action_results[1].result.error]);
  assert.deepEqual(first.action_results.map(({ status }: { status: string }) => status), ["completed", "failed"]);
  await sql`update public.episodes set summary = 'By hand' where id = ${pilot.id}`;

  const { status, body } = await retry(first.id);
  assert.equal(status, 200);
  assertKeys(body, "execution");
  assertKeys(body.execution, ...FIELDS);
  const { id, created_at: _, ...execution } = body.execution;
  assert.deepEqual(execution, {
    rule_id: rule.id,
    podcast_id: own.id,
    trigger_type: "episode.published",
    status: "pending",
    context_data: first.context_data,
    action_results: [first.action_results[0]],
    error_message: null,
    retry_of_id: first.id,
    started_at: null,
    completed_at: null,
    next_attempt_at: null,
  });
  const ended = await endedOf(rule);
  assert.deepEqual([ended.id, ended.status], [id, "failed"]);
  const [{ summary }] = await sql`select summary from public.episodes where id = ${pilot.id}`;
  assert.equal(summary, "By hand", "the completed action is not repeated");
  assertError(await retry(first.id), 409, { code: "EXECUTION_ALREADY_RETRIED", execution_id: id });
  assert.deepEqual(await get(first.id), (({ automation_rules: _, ...rest }) => rest)(first));
});

Deno.test("POST retry returns 409 for an execution that did not fail, and for a rule that does not run", async () => {
  for (const status of ["completed", "canceled", "pending", "running"]) {
    const id = await recordExecution(show, { rule_id: disabled.id, status });
    assertError(await retry(id), 409, { code: "EXECUTION_NOT_FAILED" });
  }
  assertError(await retry(failed), 409, { code: "RULE_NOT_ACTIVE" });
  const paused = await newRule(show);
  await send("PUT", `/rules/${paused.id}`, { is_paused: true });
  for (const rule_id of [paused.id, null]) {
    assertError(await retry(await recordExecution(show, { rule_id, status: "failed" })), 409, {
      code: "RULE_NOT_ACTIVE",
    });
  }
  const leaving = await podcast("Leaving executions"), rule = await newRule(leaving);
  const id = await recordExecution(leaving, { rule_id: rule.id, status: "failed" });
  await scheduleDeletion(leaving);
  assertError(await retry(id), 409, { code: "PODCAST_PENDING_DELETION" });
});

Deno.test("POST retry returns 429 while the hourly limit of an action is reached", async () => {
  for (
    const [action, type, limit] of [
      [webhookTo("https://hooks.test/in"), "send_webhook", 500],
      [updateOf("summary", "x"), "update_field", 200],
    ] as const
  ) {
    const own = await podcast("Limited"), rule = await newRule(own, { actions: [action] });
    const id = await recordExecution(own, { rule_id: rule.id, status: "failed" });
    await useLimit(own, type, limit);
    assertError(await retry(id), 429, {
      code: "RATE_LIMITED",
      error: new RegExp(`^Rate limit exceeded for ${type}\\. Try again in (59|60) minutes\\.$`),
      rate_limit_reset_at: /Z$/,
    });
    await sql`update private.automation_usage set used_at = used_at - interval '1 hour' where podcast_id = ${own.id}`;
    assert.equal((await retry(id)).status, 200);
  }
});
