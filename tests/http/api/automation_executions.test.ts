// /api/automations/executions: what automations did.
import assert from "node:assert/strict";
import { assertError, assertKeys, podcast, sql, waitFor } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import {
  BASE,
  contextOf,
  newRule,
  occurrenceOf,
  publishNew,
  recordExecution,
  type Rule,
  send,
  updateOf,
  useLimit,
} from "./automations.ts";

const show = await podcast("Executions");
const PATH = "/executions";
const FIELDS = [
  ..."id rule_id podcast_id trigger_type status context_data action_results error_message outcome".split(" "),
  ..."outcome_reason retry_of_id is_test started_at completed_at next_attempt_at waits_for held_until created_at".split(
    " ",
  ),
];

const kept = await recordExecution(show);
const disabled = await newRule(show, { is_enabled: false }), active = await newRule(show);
const failed = await recordExecution(show, { status: "failed", rule_id: disabled.id });
const ROUTES: Record<string, () => Promise<{ path: string; json?: unknown }>> = {
  "GET": () => Promise.resolve({ path: `${BASE}${PATH}?podcast_id=${show.id}` }),
  "GET /stats": () => Promise.resolve({ path: `${BASE}${PATH}/stats?podcast_id=${show.id}` }),
  "GET /:id": () => Promise.resolve({ path: `${BASE}${PATH}/${kept}` }),
  "POST /:id/retry": () => Promise.resolve({ path: `${BASE}${PATH}/${failed}/retry` }),
};
assertAccessMatrix(
  `POST ${BASE}/rules/:id/retry-failed`,
  () => Promise.resolve({ path: `${BASE}/rules/${active.id}/retry-failed` }),
  { anon: 401, stranger: 403, member: 403 },
);
for (const [name, request] of Object.entries(ROUTES)) {
  const [method, path = ""] = name.split(" "), route = `${method} ${BASE}${PATH}${path}`;
  assertAccessMatrix(route, request, { anon: 401, stranger: 403, member: 403 });
}

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
    outcome: "done",
    outcome_reason: null,
    retry_of_id: null,
    is_test: false,
    next_attempt_at: null,
    waits_for: null,
    held_until: null,
  });
  for (const time of [started_at, completed_at, created_at]) {
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  assert.deepEqual(Object.keys(context_data).sort(), Object.keys(contextOf(own)).sort());
  assert.deepEqual([context_data.episode_id, context_data.tags.episode_title], [pilot.id, "Pilot"]);
  const [{ summary }] = await sql`select summary from public.episodes where id = ${pilot.id}`;
  assert.equal(summary, "Out now");
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
      [`?${podcastId}&limit=-1`, /^limit: /],
      [`?${podcastId}&offset=-1`, /^offset: /],
      [`?${podcastId}&booking_id=x`, /^booking_id: /],
      [`?${podcastId}&episode_id=x`, /^episode_id: /],
      [`?${podcastId}&guest_email=`, /^guest_email: /],
      [`?${podcastId}&created_from=yesterday`, /^created_from: /],
      [`?${podcastId}&created_to=2026-01-01`, /^created_to: /],
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

Deno.test("GET executions lists a podcast's executions by rule, status and page", async () => {
  const own = await podcast("Listed executions"), rule = await newRule(own), ids: string[] = [];
  for (const [n, fields] of [{ status: "failed" }, {}, { rule_id: rule.id }, { rule_id: rule.id }].entries()) {
    ids.unshift(await recordExecution(own, { created_at: new Date(n * 1000), ...fields }));
  }
  const page = async (query = "") => {
    const { executions, total } = await list(`podcast_id=${own.id}${query}`);
    for (const execution of executions) assertKeys(execution, ...FIELDS, "automation_rules");
    return [executions.map(({ id }: { id: string }) => ids.indexOf(id)), total];
  };
  assert.deepEqual(await page(), [[0, 1, 2, 3], 4]);
  assert.deepEqual(await page(`&rule_id=${rule.id}&status=completed&limit=1&offset=1`), [[1], 2]);
  assert.deepEqual(await page("&status=failed"), [[3], 1]);
  assert.deepEqual(await page("&limit=5000"), [[0, 1, 2, 3], 4]);
});

Deno.test("GET executions filters by booking, episode, guest and time", async () => {
  const own = await podcast("Filtered executions"), booking = crypto.randomUUID(), pilot = crypto.randomUUID();
  const record = (hour: number, fields: object, guest_email?: string) =>
    recordExecution(own, {
      created_at: new Date(Date.UTC(2026, 0, 1, hour)),
      context_data: { ...contextOf(own), ...fields, tags: { guest_email } },
    });
  const ids = [
    await record(3, { booking_id: booking }, "gus+tag@test.example"),
    await record(2, { booking_id: booking, episode_id: pilot }),
    await record(1, { episode_id: pilot }, "gus+tag@test.example"),
  ];
  const filtered = async (filters: Record<string, string>) => {
    const { executions, total } = await list(`${new URLSearchParams({ podcast_id: own.id, ...filters })}`);
    assert.equal(total, executions.length);
    return executions.map(({ id }: { id: string }) => ids.indexOf(id));
  };
  assert.deepEqual(await filtered({ booking_id: booking }), [0, 1]);
  assert.deepEqual(await filtered({ episode_id: pilot }), [1, 2]);
  assert.deepEqual(await filtered({ booking_id: booking, episode_id: pilot }), [1]);
  assert.deepEqual(await filtered({ guest_email: "Gus+Tag@test.example" }), [0, 2]);
  assert.deepEqual(await filtered({ created_from: "2026-01-01T02:00:00Z" }), [0, 1]);
  assert.deepEqual(await filtered({ created_to: "2026-01-01T03:00:00+01:00", status: "completed" }), [2]);
});

Deno.test("GET executions/stats counts executions of the last days by status, trigger and action", async () => {
  const own = await podcast("Counted executions");
  const stats = async (query = "") => (await send("GET", `${PATH}/stats?podcast_id=${own.id}${query}`)).body;
  const action_results = [{ action_type: "send_email", status: "completed", result: {} }];
  await recordExecution(own, { status: "failed", action_results });
  await recordExecution(own, { created_at: new Date(Date.now() - 3 * 86_400_000) });
  const counts = { total: 2, completed: 1, failed: 1, pending: 0 };
  assert.deepEqual(await stats(), {
    stats: { ...counts, by_trigger: { "episode.published": 2 }, by_action: { send_email: 1 } },
  });
  assert.equal((await stats("&days=2")).stats.total, 1);
});

Deno.test("POST retry returns the pending execution, then 409", async () => {
  const own = await podcast("Retried"), context_data = await occurrenceOf(own);
  const rule = await newRule(own, { actions: [updateOf("summary", "Once")] });
  const first = await recordExecution(own, { rule_id: rule.id, status: "failed", context_data });
  const { status, body } = await retry(first);
  assert.equal(status, 200);
  assertKeys(body, "execution");
  const { id, created_at: _, context_data: { tags, ...context }, ...execution } = body.execution;
  assert.equal(tags.episode_title, "Pilot", "the facts of now");
  assert.equal(context.occurred_at, context_data.occurred_at);
  assert.deepEqual(execution, {
    rule_id: rule.id,
    podcast_id: own.id,
    trigger_type: "episode.published",
    status: "pending",
    action_results: [],
    error_message: null,
    outcome: null,
    outcome_reason: null,
    retry_of_id: first,
    is_test: false,
    started_at: null,
    completed_at: null,
    next_attempt_at: null,
    waits_for: null,
    held_until: null,
  });
  assertError(await retry(first), 409, { code: "EXECUTION_ALREADY_RETRIED", execution_id: id });
});

Deno.test("POST retry replays a completed execution, and returns 409 for an occurrence that is over", async () => {
  const own = await podcast("Replayed"), context_data = await occurrenceOf(own), rule = await newRule(own);
  const [over, completed] = [
    await recordExecution(own, { rule_id: rule.id, status: "canceled" }),
    await recordExecution(own, { rule_id: rule.id, context_data }),
  ];
  assertError(await retry(over), 409, {
    code: "OCCURRENCE_OVER",
    error: "The episode is no longer published, so the execution cannot be retried",
  });
  assertError(await retry(completed), 409, { code: "EXECUTION_NOT_FAILED" });
  const { status, body } = await send("POST", `${PATH}/${completed}/retry`, { replay: true });
  assert.equal(status, 200);
  assert.deepEqual([body.execution.retry_of_id, body.execution.status], [completed, "pending"]);
});

Deno.test("POST retry-failed retries the failed and canceled executions of a rule in a window", async () => {
  const own = await podcast("Retried together"), context_data = await occurrenceOf(own), rule = await newRule(own);
  const failed = async (status: string, created: string, context: object = context_data) =>
    await recordExecution(own, { rule_id: rule.id, status, created_at: created, context_data: context });
  await failed("failed", "2026-07-01T10:00:00Z");
  const ids = [await failed("failed", "2026-07-01T11:00:00Z"), await failed("canceled", "2026-07-01T12:00:00Z")];
  await failed("failed", "2026-07-01T12:30:00Z", contextOf(own));
  await failed("failed", "2026-07-01T13:00:00Z");
  const retryFailed = (json?: object, id = rule.id) => send("POST", `/rules/${id}/retry-failed`, json);
  const { status, body } = await retryFailed({ from: "2026-07-01T11:00:00Z", to: "2026-07-01T15:00:00+02:00" });
  assert.equal(status, 200);
  assert.deepEqual(body, { retried: 2, skipped: 1, has_more: false, next_from: null });
  const { executions } = await list(`podcast_id=${own.id}&rule_id=${rule.id}`);
  const retried = executions.map(({ retry_of_id }: { retry_of_id: string | null }) => retry_of_id)
    .filter((id: string | null) => id);
  assert.deepEqual(retried.sort(), ids.sort());
  assert.deepEqual((await retryFailed()).body, { retried: 2, skipped: 1, has_more: false, next_from: null });
  assertError(await retryFailed({ from: "yesterday" }), 400, { details: /^from: / });
  assertError(await retryFailed({}, crypto.randomUUID()), 404, { error: "Automation rule not found" });
  assertError(await retryFailed({}, disabled.id), 409, { code: "RULE_NOT_ACTIVE" });
});

Deno.test("executions return 404 for an unknown id or podcast, and POST retry 429 over a limit of its actions", async () => {
  const unknown = crypto.randomUUID();
  for (const response of [await send("GET", `${PATH}/${unknown}`), await retry(unknown)]) {
    assertError(response, 404, { error: "Automation execution not found" });
  }
  for (const path of ["", "/stats"]) {
    assertError(await send("GET", `${PATH}${path}?podcast_id=${unknown}`), 404, { error: "Podcast not found" });
  }
  const own = await podcast("Limited"), context_data = await occurrenceOf(own);
  const rule = await newRule(own, { actions: [updateOf("summary", "x")] });
  await useLimit(own, "update_field", 200);
  const limited = await retry(await recordExecution(own, { rule_id: rule.id, status: "failed", context_data }));
  assertError(limited, 429, {
    code: "RATE_LIMITED",
    error: /^Rate limit exceeded for update_field\. Try again in (59|60) minutes\.$/,
    rate_limit_reset_at: /Z$/,
  });
});
