// /api/automations/rules: what starts an automation, and what it does.
import assert from "node:assert/strict";
import { assertError, assertKeys, podcast, sendRequest } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, emailTo, newRule, newTemplate, ruleOf, send, updateOf, webhookTo } from "./automations.ts";
import { openLink } from "./bookings.ts";
import { AutomationTrigger } from "../../../types/automations.ts";

const show = await podcast("Rules"), template = await newTemplate(show);
const PATH = "/rules";
const FIELDS =
  "id podcast_id name description trigger_type trigger_config workflow_data conditions condition_mode reply_to is_enabled is_paused pause_reason created_at updated_at automation_actions"
    .split(" ");
const ACTION_FIELDS = ["id", "action_type", "action_config", "execution_order", "continue_on_error", "disabled_reason"];

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

const update = (id: string, json: object) => send("PUT", `${PATH}/${id}`, json);
const toggle = (id: string, json?: object) => send("POST", `${PATH}/${id}/toggle`, json);

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
    conditions: [],
    condition_mode: "all",
    reply_to: "host",
    is_enabled: true,
    is_paused: false,
    pause_reason: null,
    automation_actions: [],
  });
});

Deno.test("POST rules takes each trigger with its own trigger_config alone", async () => {
  const own = await podcast("Triggers"), offset = { offset_minutes: 60 };
  for (const trigger_type of AutomationTrigger.options) {
    const isTimed = trigger_type.startsWith("time."), [wanted, other] = isTimed ? [offset, {}] : [{}, offset];
    const { trigger_type: stored, trigger_config } = await newRule(own, { trigger_type, trigger_config: wanted });
    assert.deepEqual([stored, trigger_config], [trigger_type, wanted]);
    assertError(await send("POST", PATH, ruleOf(own, { trigger_type, trigger_config: other })), 400, {
      details: /^trigger_config[.:]/,
    });
  }
  const { body } = await send("GET", `${PATH}?podcast_id=${own.id}`);
  assert.deepEqual(
    body.rules.map(({ trigger_type }: { trigger_type: string }) => trigger_type),
    AutomationTrigger.options.toReversed(),
  );
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
Deno.test("POST rules stores all fields and returns the actions in their order", async () => {
  const booking_link_id = await openLink(show);
  const all = {
    name: "Before the recording",
    description: "Line\nbreaks",
    trigger_type: "time.before_recording",
    trigger_config: { offset_minutes: 60, booking_link_id },
    workflow_data: {
      nodes: [{ id: "1", type: "trigger", data: { x: 1 } }, { id: "2", position: { x: -1.5, y: 0 }, selected: null }],
      connections: [{ id: "e", source: "1", target: "2", sourceHandle: null, label: "then" }, { from: "1", to: "2" }],
      viewport: { x: 0, y: 0, zoom: 1.25 },
    },
    conditions: [
      { field: "guest_email", operator: "contains", value: "@example.com" },
      { field: "episode_number", operator: "after", value: 9 },
      { field: "booking_answer:Why?", operator: "is_not_empty" },
    ],
    condition_mode: "any",
    reply_to: "owner",
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
    actions.map((action) => ({ continue_on_error: false, disabled_reason: null, ...action })).reverse(),
  );
  const { id, podcast_id: _, created_at: __, updated_at: ___, automation_actions: ____, ...made } = rule;
  assert.deepEqual(made, { ...all, is_paused: false, pause_reason: null });
  const { status, body } = await send("GET", `${PATH}/${id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { rule });
});

Deno.test("PUT rules changes the named fields, and POST toggle the state, also without a body", async () => {
  const before = await newRule(show, { description: "Kept", actions: [webhookTo("https://hooks.test/0")] });
  const { status, body } = await update(before.id, { name: "Renamed", is_paused: true });
  assert.equal(status, 200);
  const paused = { ...before, name: "Renamed", is_paused: true, updated_at: body.rule.updated_at };
  assert.deepEqual(body, { rule: paused });
  const replaced = await update(before.id, { actions: [webhookTo("https://hooks.test/1")] });
  const [{ action_config }] = replaced.body.rule.automation_actions;
  assert.deepEqual(action_config, { url: "https://hooks.test/1" });
  for (const [json, is_enabled] of [[undefined, false], [{}, true], [{ is_enabled: true }, true]] as const) {
    const { status, body } = await toggle(before.id, json);
    assertKeys(body.rule, ...FIELDS);
    assert.deepEqual([status, body.rule.is_enabled], [200, is_enabled]);
  }
  assertError(await toggle(before.id, { is_enabled: "yes" }), 400, { details: /^is_enabled: / });
});

Deno.test("PUT rules with no field, or with what GET returned, returns the same rule", async () => {
  const rule = await newRule(show, {
    description: "Kept",
    actions: [{ ...webhookTo("https://hooks.test/0"), continue_on_error: true }, emailTo("host", template)],
  });
  for (const json of [{}, rule, { ...rule, actions: rule.automation_actions }, { automation_actions: null }]) {
    const { status, text, body } = await update(rule.id, json);
    assert.equal(status, 200, text);
    assert.deepEqual(body, { rule });
  }
  assert.equal((await update(rule.id, { description: null })).body.rule.description, "");
  const copy = await newRule(show, { description: null });
  assert.equal(copy.description, "");
});

Deno.test("DELETE rules returns success alone", async () => {
  const { status, body } = await send("DELETE", `${PATH}/${(await newRule(show)).id}`);
  assert.deepEqual([status, body], [200, { success: true }]);
});

Deno.test("rules return 400 with the path of an invalid field", async () => {
  const webhook = webhookTo("https://hooks.test/in"), node = { id: "1", type: "trigger" };
  const workflow = (fields: object) => ({ workflow_data: { nodes: [], connections: [], ...fields } });
  const second = (action: object) => ({ actions: [webhook, action] });
  for (
    const [fields, details] of [
      [{ name: " " }, /^name: must be 1 to 200 characters/],
      [{ trigger_type: "booking.canceled" }, /^trigger_type: /],
      [{ is_enabled: null }, /^is_enabled: /],
      [{ trigger_config: [] }, "trigger_config: must be an object"],
      [{ trigger_config: { x: 1 } }, "trigger_config: must be empty for episode.published"],
      [{ workflow_data: null }, /^workflow_data: /],
      [{ workflow_data: { connections: {} } }, "workflow_data.connections: must be a list"],
      [workflow({ nodes: [{ id: "" }] }), /^workflow_data\.nodes\[0\]\.id: /],
      [workflow({ nodes: [node, node] }), /^workflow_data\.nodes\[1\]\.id: must differ from those/],
      [workflow({ connections: [{ source: "1" }] }), "workflow_data.connections[0].source: must be the id of a node"],
      [{ conditions: null }, "conditions: must be a list"],
      [{ conditions: [{ field: "guest_email", operator: "like" }] }, /^conditions\[0\]\.operator: must be equals, /],
      [{ conditions: [{ field: "booking_start", operator: "is_empty" }] }, /^conditions\[0\]\.field: must be a tag /],
      [{ condition_mode: "none" }, /^condition_mode: /],
      [{ actions: {} }, "actions: must be a list"],
      [{ actions: null }, "actions: must be a list"],
      [
        second({ action_type: "send_sms", action_config: {} }),
        "actions[1].action_type: must be send_email, send_webhook or update_field",
      ],
      [second({ action_type: "send_webhook" }), "actions[1].action_config: must be an object"],
      [second({ ...webhook, execution_order: 100 }), "actions[1].execution_order: must be an integer from 0 to 99"],
      [second({ ...webhook, continue_on_error: 1 }), "actions[1].continue_on_error: must be true or false"],
      [second({ ...webhook, rule_id: kept.id }), /^actions\[1\]: may have only id, action_type, /],
      [second(webhookTo("ftp://hooks.test/")), "actions[1].action_config.url: must be an http or https URL"],
      [{ actions: Array(11).fill(webhook) }, "actions: must have at most 10 actions"],
      [{ color: "red" }, 'Unrecognized key: "color"'],
    ] as const
  ) {
    assertError(await send("POST", PATH, ruleOf(show, fields)), 400, { details });
    assertError(await update(kept.id, fields), 400, { details });
  }
  assertError(await send("POST", PATH, ruleOf(show, { is_paused: true })), 400);
  assertError(await send("POST", PATH, ruleOf(show, second(webhookTo("http://127.0.0.1/")))), 400, {
    error: "The URL does not point to the public internet",
    code: "BLOCKED_URL",
    details: "actions[1].action_config.url: must be a URL of a public server",
  });
  assert.deepEqual((await send("GET", `${PATH}/${kept.id}`)).body.rule, kept);
});

const unknown = { id: crypto.randomUUID() };
for (
  const [method, more, json] of [
    ["GET", ""],
    ["PUT", "", { name: "New" }],
    ["DELETE", ""],
    ["POST", "/toggle"],
    ["POST", "/dry-run", {}],
  ] as const
) {
  Deno.test(`${method} rules/:id${more} returns 400 for a malformed id and 404 for an unknown one`, async () => {
    assertError(await send(method, `${PATH}/nonsense${more}`, json), 400, { details: /^id: / });
    assertError(await send(method, `${PATH}/${unknown.id}${more}`, json), 404, { error: "Automation rule not found" });
  });
}

Deno.test("GET and POST rules return 404 for an unknown podcast", async () => {
  assertError(await send("GET", `${PATH}?podcast_id=${unknown.id}`), 404, { error: "Podcast not found" });
  assertError(await send("POST", PATH, ruleOf(unknown)), 404, { error: "Podcast not found" });
});
