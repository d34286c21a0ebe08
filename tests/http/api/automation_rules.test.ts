// /api/automations/rules: what starts an automation, and what it does.
import assert from "node:assert/strict";
import { assertError, assertKeys, person, podcast, scheduleDeletion, sendRequest, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, emailTo, newRule, newTemplate, type Rule, ruleOf, send, updateOf, webhookTo } from "./automations.ts";
import { openLink } from "./bookings.ts";

const show = await podcast("Rules"), template = await newTemplate(show);
const PATH = "/rules";
const FIELDS =
  "id podcast_id name description trigger_type trigger_config workflow_data is_enabled is_paused pause_reason created_at updated_at automation_actions"
    .split(" ");
const ACTION_FIELDS = ["id", "action_type", "action_config", "execution_order", "continue_on_error"];

const kept = await newRule(show);
const ROUTES: Record<string, () => Promise<{ path: string; json?: unknown }>> = {
  "GET": () => Promise.resolve({ path: `${BASE}${PATH}?podcast_id=${show.id}` }),
  "POST": () => Promise.resolve({ path: BASE + PATH, json: ruleOf(show) }),
  "GET /:id": () => Promise.resolve({ path: `${BASE}${PATH}/${kept.id}` }),
  "PUT /:id": () => Promise.resolve({ path: `${BASE}${PATH}/${kept.id}`, json: { name: "On publication" } }),
  "POST /:id/toggle": () => Promise.resolve({ path: `${BASE}${PATH}/${kept.id}/toggle`, json: { is_enabled: true } }),
  "DELETE /:id": async () => ({ path: `${BASE}${PATH}/${(await newRule(show)).id}` }),
};
for (const [name, request] of Object.entries(ROUTES)) {
  const [method, path = ""] = name.split(" "), route = `${method} ${BASE}${PATH}${path}`;
  assertAccessMatrix(route, request, { anon: 401, stranger: 403, member: 403 });
}

const get = async (id: string): Promise<Rule> => (await send("GET", `${PATH}/${id}`)).body.rule;
const update = (id: string, json: object) => send("PUT", `${PATH}/${id}`, json);
const toggle = (id: string, json?: object) => send("POST", `${PATH}/${id}/toggle`, json);
const idsOf = ({ automation_actions }: Rule) => automation_actions.map(({ id }) => id);

Deno.test("POST rules returns 201 with the rule and its defaults", async () => {
  const { status, body } = await send("POST", PATH, ruleOf(show, { name: " A  rule " }), "owner");
  assert.equal(status, 201);
  assertKeys(body, "rule");
  assertKeys(body.rule, ...FIELDS);
  const { id: _, created_at, updated_at, ...rest } = body.rule;
  for (const time of [created_at, updated_at]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    podcast_id: show.id,
    name: "A rule",
    description: "",
    trigger_type: "episode.published",
    trigger_config: {},
    workflow_data: { nodes: [], connections: [] },
    is_enabled: true,
    is_paused: false,
    pause_reason: null,
    automation_actions: [],
  });
});

Deno.test("POST rules stores all fields and returns the actions in their order", async () => {
  const booking_link_id = await openLink(show);
  const all = {
    name: "Before the recording",
    description: "Line\nbreaks",
    trigger_type: "time.before_recording",
    trigger_config: { offset_minutes: 60, booking_link_id },
    workflow_data: {
      nodes: [{ id: "1", type: "trigger", data: { x: 1 } }, { id: "2", type: "action" }],
      connections: [{ from: "1", to: "2" }],
    },
    is_enabled: false,
  };
  const actions = [
    { ...webhookTo("https://hooks.test/in"), execution_order: 2, continue_on_error: true },
    { ...updateOf("notes", null, "guest"), execution_order: 1 },
    { ...emailTo("team", template), execution_order: 0 },
  ];
  const rule = await newRule(show, { ...all, actions });
  for (const action of rule.automation_actions) assertKeys(action, ...ACTION_FIELDS);
  assert.deepEqual(
    rule.automation_actions.map(({ id: _, ...action }: { id: string }) => action),
    actions.map((action) => ({ continue_on_error: false, ...action })).reverse(),
  );
  const { id, podcast_id: _, created_at: __, updated_at: ___, automation_actions: ____, ...made } = rule;
  assert.deepEqual(made, { ...all, is_paused: false, pause_reason: null });
  const { status, body } = await send("GET", `${PATH}/${id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { rule });
});

Deno.test("PUT rules changes the named fields alone, and actions replace the list", async () => {
  const actions = [webhookTo("https://hooks.test/0"), webhookTo("https://hooks.test/1"), emailTo("team", template)];
  const before = await newRule(show, { description: "Kept", actions });
  const { status, body } = await update(before.id, { name: "Renamed", is_paused: true });
  assert.equal(status, 200);
  const paused = { ...before, name: "Renamed", is_paused: true, updated_at: body.rule.updated_at };
  assert.deepEqual(body, { rule: paused });
  assertError(await update(before.id, {}), 400, { error: /^Provide at least one of: / });

  const [first, second, third] = idsOf(before);
  const replaced = (await update(before.id, {
    actions: [{ ...webhookTo("https://hooks.test/1"), id: second }, webhookTo("https://hooks.test/new")],
  })).body.rule;
  assert.deepEqual(idsOf(replaced).includes(third), false);
  assert.deepEqual([idsOf(replaced)[0], idsOf(replaced).includes(first)], [second, false]);
  assert.deepEqual(
    replaced.automation_actions.map(({ action_config, execution_order }: Rule["automation_actions"][number]) => [
      action_config.url,
      execution_order,
    ]),
    [["https://hooks.test/1", 0], ["https://hooks.test/new", 1]],
  );
  const same = (await update(before.id, { actions: [webhookTo("https://hooks.test/2")] })).body.rule;
  assert.deepEqual(idsOf(same), [second], "an action with the place and type of another keeps its id");
  assert.deepEqual((await update(before.id, { actions: [] })).body.rule.automation_actions, []);
});

Deno.test("an invalid action of PUT rules changes neither the rule nor its actions", async () => {
  const before = await newRule(show, { actions: [webhookTo("https://hooks.test/in")] });
  const actions = [webhookTo("https://hooks.test/other"), webhookTo("ftp://hooks.test")];
  assertError(await update(before.id, { name: "Renamed", actions }), 400, { details: /^actions\[1\]\.action_config/ });
  assert.deepEqual(await get(before.id), before);
});

Deno.test("POST toggle flips a rule without a body, and sets what the body says", async () => {
  const rule = await newRule(show);
  const states = [];
  for (const json of [undefined, undefined, {}, { is_enabled: false }, { is_enabled: true }, { is_enabled: true }]) {
    const { status, body } = await toggle(rule.id, json);
    assert.equal(status, 200);
    assertKeys(body, "rule");
    assertKeys(body.rule, ...FIELDS);
    states.push(body.rule.is_enabled);
  }
  assert.deepEqual(states, [false, true, false, false, true, true]);
  assert.equal((await get(rule.id)).is_enabled, true);
  assertError(await toggle(rule.id, { is_enabled: "yes" }), 400, { details: /^is_enabled: / });
  assertError(await toggle(rule.id, { enabled: true }), 400, { details: 'Unrecognized key: "enabled"' });
});

Deno.test("DELETE rules returns success alone and deletes actions, schedules and secrets", async () => {
  const rule = await newRule(show, {
    trigger_type: "time.before_recording",
    trigger_config: { offset_minutes: 1 },
    actions: [webhookTo("https://hooks.test/in")],
  });
  const [{ secret }] = await sql`
    select secret_id as secret from private.webhook_secrets where action_id = ${rule.automation_actions[0].id}`;
  const [booking] = await sql`
    insert into public.bookings (podcast_id, name, start_time, end_time, status, expires_at, guest_name, guest_email)
    values (${show.id}, 'Interview', now() + interval '30 days', now() + interval '31 days', 'pending',
      now() + interval '1 day', 'Gus', 'gus@people.test') returning id`;
  await sql`update public.bookings set status = 'confirmed', expires_at = null where id = ${booking.id}`;
  const schedules = () => sql`select from private.automation_schedules where rule_id = ${rule.id}`;
  assert.equal((await schedules()).length, 1);
  const { status, body } = await send("DELETE", `${PATH}/${rule.id}`);
  assert.deepEqual([status, body], [200, { success: true }]);
  assert.equal((await schedules()).length, 0);
  assert.equal((await sql`select from public.automation_actions where rule_id = ${rule.id}`).length, 0);
  assert.equal((await sql`select from vault.secrets where id = ${secret}`).length, 0);
  for (const method of ["GET", "DELETE"]) {
    assertError(await send(method, `${PATH}/${rule.id}`), 404, { error: "Automation rule not found" });
  }
});

Deno.test("GET rules lists the podcast's rules with their actions, newest first, by is_enabled", async () => {
  const own = await podcast("Listed rules");
  const list = async (query = "") => (await send("GET", `${PATH}?podcast_id=${own.id}${query}`)).body;
  assert.deepEqual(await list(), { rules: [], total: 0 });
  const first = await newRule(own, { actions: [webhookTo("https://hooks.test/in")] });
  const second = await newRule(own, { is_enabled: false });
  const all = await list();
  assertKeys(all, "rules", "total");
  assert.deepEqual(all, { rules: [second, first], total: 2 });
  assert.deepEqual(await list("&is_enabled=true"), { rules: [first], total: 1 });
  assert.deepEqual(await list("&is_enabled=false"), { rules: [second], total: 1 });
  for (
    const [query, details] of [
      ["", /^podcast_id: /],
      ["podcast_id=x", /^podcast_id: /],
      [`podcast_id=${own.id}&is_enabled=1`, "is_enabled: must be true or false"],
    ] as const
  ) {
    assertError(await send("GET", `${PATH}?${query}`), 400, { details });
  }
});

Deno.test("rules return 400 for a malformed id and 404 for an unknown one", async () => {
  for (
    const [method, more, json] of [
      ["GET", ""],
      ["PUT", "", { name: "New" }],
      ["DELETE", ""],
      ["POST", "/toggle"],
      ["POST", "/dry-run", {}],
    ] as const
  ) {
    assertError(await send(method, `${PATH}/nonsense${more}`, json), 400, { details: /^id: / });
    assertError(await send(method, `${PATH}/${crypto.randomUUID()}${more}`, json), 404, {
      error: "Automation rule not found",
    });
  }
  assertError(await send("GET", `${PATH}?podcast_id=${crypto.randomUUID()}`), 404, { error: "Podcast not found" });
  assertError(await send("POST", PATH, ruleOf({ id: crypto.randomUUID() })), 404, { error: "Podcast not found" });
});

Deno.test("rules return 409 at 100 rules and while the podcast's deletion is scheduled", async () => {
  const own = await podcast("Full of rules"), first = await newRule(own);
  const { id: author_id } = await person("admin");
  await sql`
    insert into public.automation_rules (podcast_id, author_id, name, trigger_type)
    select ${own.id}, ${author_id}, 'Rule ' || n, 'episode.published' from generate_series(2, 100) n`;
  assertError(await send("POST", PATH, ruleOf(own)), 409, { code: "TOO_MANY_AUTOMATIONS", error: /at most 100/ });
  await scheduleDeletion(own);
  const code = "PODCAST_PENDING_DELETION";
  assertError(await send("POST", PATH, ruleOf(own)), 409, { code });
  assertError(await update(first.id, { name: "New" }), 409, { code });
  assertError(await update(first.id, { actions: [webhookTo("https://hooks.test/in")] }), 409, { code });
  assertError(await toggle(first.id), 409, { code });
  assertError(await send("DELETE", `${PATH}/${first.id}`), 409, { code });
  assert.equal((await send("GET", `${PATH}?podcast_id=${own.id}`)).body.total, 100);
});

Deno.test("POST and PUT rules accept bodies of 512 KB and return 413 for longer ones", async () => {
  const long = (bytes: number) => {
    const json = JSON.stringify(ruleOf(show, { description: "" }));
    return json.replace('"description":""', `"description":"${"x".repeat(bytes - json.length)}"`);
  };
  for (const [method, path] of [["POST", PATH], ["PUT", `${PATH}/${kept.id}`]]) {
    const post = (body: string) =>
      sendRequest({ method, path: BASE + path, as: "admin", body, headers: { "content-type": "application/json" } });
    assertError(await post(long(512 * 1024)), 400);
    assertError(await post(long(512 * 1024 + 1)), 413, { error: "Request body too large" });
  }
  assertError(await toggle(kept.id, { is_enabled: "x".repeat(65_536) }), 413);
});
