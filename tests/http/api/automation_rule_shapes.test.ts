// Errors of /api/automations/rules about the shapes of trigger_config, workflow_data and actions.
import assert from "node:assert/strict";
import { assertError, person, podcast, sql } from "../harness.ts";
import { emailTo, newRule, newTemplate, ruleOf, send, updateOf, webhookTo } from "./automations.ts";
import { openLink } from "./bookings.ts";

const show = await podcast("Shapes"), other = await podcast("Other shapes");
const template = await newTemplate(show), foreign = await newTemplate(other), foreignLink = await openLink(other);
const kept = await newRule(show);

/** Both POST and PUT reject these fields. */
async function assertRejected(fields: object, details: string | RegExp) {
  assertError(await send("POST", "/rules", ruleOf(show, { ...fields })), 400, { details });
  if (Object.values(fields)[0] === undefined) return;
  assertError(await send("PUT", `/rules/${kept.id}`, fields), 400, { details });
}

Deno.test("rules return 400 with the path of an invalid field", async () => {
  for (
    const [fields, details] of [
      [{ name: undefined }, /^name: /],
      [{ name: " " }, /^name: must be 1 to 200 characters/],
      [{ trigger_type: undefined }, /^trigger_type: /],
      [{ trigger_type: "booking.canceled" }, /^trigger_type: /],
      [{ is_enabled: null }, /^is_enabled: /],
      [{ author_id: crypto.randomUUID() }, 'Unrecognized key: "author_id"'],
      [{ pause_reason: "author_left" }, 'Unrecognized key: "pause_reason"'],
    ] as const
  ) {
    await assertRejected(fields, details);
  }
  assertError(await send("POST", "/rules", ruleOf(show, { is_paused: true })), 400, {
    details: 'Unrecognized key: "is_paused"',
  });
  assertError(await send("PUT", `/rules/${kept.id}`, { podcast_id: other.id }), 400, {
    details: 'Unrecognized key: "podcast_id"',
  });
});

Deno.test("rules return 400 with the path of what is wrong in trigger_config", async () => {
  const before = "time.before_recording", booked = "booking.confirmed", published = "episode.published";
  const offset = "trigger_config.offset_minutes: must be an integer from 1 to 43200";
  const link = "trigger_config.booking_link_id: must be the id of a booking link";
  for (
    const [trigger_type, trigger_config, details] of [
      [before, {}, offset],
      [before, { offset_minutes: 0 }, offset],
      [before, { offset_minutes: 43_201 }, offset],
      [before, { offset_minutes: 1.5 }, offset],
      [before, { offset_minutes: "60" }, offset],
      [before, { offset_minutes: 60, hours: 1 }, "trigger_config: may have only offset_minutes, booking_link_id"],
      [booked, { booking_link_id: null }, link],
      [booked, { booking_link_id: "x" }, link],
      [
        booked,
        { booking_link_id: foreignLink },
        "trigger_config.booking_link_id: must be a booking link of this podcast",
      ],
      [booked, { offset_minutes: 60 }, "trigger_config: may have only booking_link_id"],
      [published, { booking_link_id: null }, "trigger_config: must be empty for episode.published"],
      [published, [], /^trigger_config: /],
      [published, null, /^trigger_config: /],
    ] as const
  ) {
    await assertRejected({ trigger_type, trigger_config }, details);
  }
});

Deno.test("rules return 400 with the path of what is wrong in workflow_data", async () => {
  const node = { id: "1", type: "trigger" };
  for (
    const [workflow_data, details] of [
      [{ nodes: [] }, /^workflow_data\.connections: /],
      [{ nodes: [], connections: [], zoom: 1 }, 'workflow_data: Unrecognized key: "zoom"'],
      [{ nodes: [{ type: "trigger" }], connections: [] }, /^workflow_data\.nodes\.0\.id: /],
      [
        { nodes: [node, node], connections: [] },
        "workflow_data.nodes[1].id: must differ from those of the other nodes",
      ],
      [{ nodes: [{ ...node, data: 1 }], connections: [] }, /^workflow_data\.nodes\.0\.data: /],
      [{ nodes: [{ ...node, id: "" }], connections: [] }, "workflow_data.nodes[0].id: must be 1 to 100 characters"],
      [
        { nodes: [node], connections: [{ from: "1", to: "2" }] },
        "workflow_data.connections[0].to: must be the id of a node",
      ],
      [
        { nodes: Array.from({ length: 201 }, (_, n) => ({ ...node, id: `${n}` })), connections: [] },
        "workflow_data.nodes: must have at most 200 nodes",
      ],
      [
        { nodes: [{ ...node, data: { text: "x".repeat(262_144) } }], connections: [] },
        "workflow_data: must be at most 262,144 bytes",
      ],
    ] as const
  ) {
    await assertRejected({ workflow_data }, details);
  }
});

Deno.test("rules return 400 with the path of what is wrong in an action", async () => {
  const webhook = webhookTo("https://hooks.test/in"), unknown = crypto.randomUUID();
  for (
    const [action, details] of [
      [{ action_type: "send_sms", action_config: {} }, /^actions\.1\.action_type: /],
      [{ action_type: "send_webhook" }, /^actions\.1\.action_config: /],
      [{ ...webhook, execution_order: -1 }, /^actions\.1\.execution_order: /],
      [{ ...webhook, execution_order: 100 }, /^actions\.1\.execution_order: /],
      [{ ...webhook, execution_order: 0 }, "actions[1].execution_order: must differ from those of the other actions"],
      [{ ...webhook, continue_on_error: 1 }, /^actions\.1\.continue_on_error: /],
      [{ ...webhook, rule_id: unknown }, 'actions.1: Unrecognized key: "rule_id"'],
      [{ ...webhook, id: unknown }, "actions[1].id: must be an action of this rule"],
      [webhookTo("ftp://hooks.test/"), "actions[1].action_config.url: must be an http or https URL"],
      [webhookTo("https://hooks.test/", { secret: "x" }), /^actions\[1\]\.action_config\.secret: must be whsec_/],
      [webhookTo("https://hooks.test/", { method: "GET" }), "actions[1].action_config: may have only url, secret"],
      [emailTo("team", { id: unknown }), "actions[1].action_config.template_id: must be a template of this podcast"],
      [emailTo("team", foreign), "actions[1].action_config.template_id: must be a template of this podcast"],
      [emailTo("team", { id: "x" }), "actions[1].action_config.template_id: must be the id of a template"],
      [emailTo("everyone", template), "actions[1].action_config.to: must be guest, host, team or an email address"],
      [
        emailTo("eve@evil.test", template),
        /^actions\[1\]\.action_config\.to: must be a member, a guest who accepted an invitation/,
      ],
      [updateOf("status", "published"), /^actions\[1\]\.action_config\.field: must be one of: title, /],
      [
        updateOf("email", "eve@evil.test", "guest"),
        /^actions\[1\]\.action_config\.field: must be one of: display_name/,
      ],
      [updateOf("title", "x", "podcast"), "actions[1].action_config.entity: must be episode or guest"],
      [updateOf("title", null), "actions[1].action_config.value: must be string"],
      [updateOf("episode_number", 1.5), "actions[1].action_config.value: is not valid for episode_number"],
    ] as const
  ) {
    await assertRejected({ actions: [webhook, action] }, details);
  }
  await assertRejected({ actions: Array(11).fill(webhook) }, /^actions: /);
  await assertRejected({ actions: {} }, /^actions: /);
  assert.deepEqual((await send("GET", `/rules/${kept.id}`)).body.rule, kept);
});

Deno.test("rules return 400 BLOCKED_URL for a webhook that the worker would not send, and keep nothing", async () => {
  const before = await sql`select from public.automation_rules where podcast_id = ${show.id}`;
  for (
    const [url, error] of [
      ["http://127.0.0.1/", "The URL does not point to the public internet"],
      ["http://169.254.169.254/latest/meta-data", "The URL does not point to the public internet"],
      ["http://localhost:5432/", "The URL does not point to the public internet"],
      ["https://hooks.test:25/", "Port 25 is not allowed"],
    ]
  ) {
    const fields = { actions: [webhookTo("https://hooks.test/in"), webhookTo(url)] };
    const expected = {
      error,
      code: "BLOCKED_URL",
      details: "actions[1].action_config.url: must be a URL of a public server",
    };
    assertError(await send("POST", "/rules", ruleOf(show, fields)), 400, expected);
    assertError(await send("PUT", `/rules/${kept.id}`, fields), 400, expected);
    const { data, error: rejection } = await (await person("owner")).client.rpc("create_automation_rule", {
      podcast_id: show.id,
      name: "Hook",
      trigger_type: "booking.confirmed",
      actions: fields.actions,
    });
    assert.deepEqual([data, rejection?.message, rejection?.hint], [null, error, "BLOCKED_URL"]);
  }
  assert.equal((await sql`select from public.automation_rules where podcast_id = ${show.id}`).length, before.length);
});
