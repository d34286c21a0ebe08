// Automations with supabase-js, as a front end's editor uses them: the tables under their policies, and the functions.
import assert from "node:assert/strict";
import { type Person, person, podcast, sql } from "../harness.ts";
import { newRule, newTemplate, recordExecution, webhookTo } from "../api/automations.ts";

const roles = ["owner", "admin", "member", "stranger"] as const;
const [owner, admin, member, stranger] = await Promise.all(roles.map(person));
const show = await podcast("Automated");
const SECRET = `whsec_${btoa("s".repeat(24))}`;

const TABLES = [
  "automation_templates",
  "automation_rules",
  "automation_actions",
  "automation_executions",
  "automation_addresses",
];

/** A podcast with one row in each table; returns their ids by table. */
async function filledPodcast() {
  const own = await podcast("Filled");
  const template = await newTemplate(own);
  const rule = await newRule(own, { actions: [webhookTo("https://hooks.test/in", { secret: SECRET })] });
  const [{ id: address }] = await sql`
    insert into public.automation_addresses (podcast_id, email) values (${own.id}, 'vera@outside.test') returning id`;
  const ids: Record<string, string> = {
    automation_templates: template.id,
    automation_rules: rule.id,
    automation_actions: rule.automation_actions[0].id,
    automation_executions: await recordExecution(own, { rule_id: rule.id }),
    automation_addresses: address,
  };
  return { own, ids };
}

/** [status, code] of an outcome. */
const resultOf = ({ status, error }: { status: number; error: { code: string } | null }) => [status, error?.code];

Deno.test("the owner and admins read a podcast's automations, members and strangers none", async () => {
  const { own, ids } = await filledPodcast();
  for (const table of TABLES) {
    for (const { client } of [owner, admin]) {
      const { data, error } = await client.from(table).select().eq("podcast_id", own.id);
      assert.deepEqual([error, data?.map(({ id }) => id)], [null, [ids[table]]], table);
    }
    for (const { client } of [member, stranger]) {
      assert.deepEqual((await client.from(table).select().eq("podcast_id", own.id)).data, [], table);
    }
  }
});

Deno.test("users read the registry of tags and may not write it", async () => {
  const { data, error } = await stranger.client.from("automation_tags").select("tag, kind, triggers")
    .in("tag", ["episode_title", "guest_first_name", "booking_start"]).order("tag");
  assert.deepEqual([error, data], [null, [
    { tag: "booking_start", kind: "moment", triggers: ["booking.confirmed", "time.before_recording"] },
    { tag: "episode_title", kind: "text", triggers: ["episode.published"] },
    { tag: "guest_first_name", kind: "text", triggers: ["booking.confirmed", "time.before_recording"] },
  ]]);
  const tags = () => owner.client.from("automation_tags");
  for (
    const outcome of [
      await tags().insert({ tag: "evil", kind: "text", triggers: [], example: "x" }),
      await tags().update({ example: "x" }).eq("tag", "episode_title"),
      await tags().delete().eq("tag", "episode_title"),
    ]
  ) {
    assert.deepEqual(resultOf(outcome), [403, "42501"]);
  }
});

Deno.test("admins write templates", async () => {
  const row = { podcast_id: show.id, name: " Thanks ", subject: "Hi {guest_first_name}", body_html: "<p>Hi</p>" };
  const templates = () => admin.client.from("automation_templates");
  const { data, error } = await templates().insert(row).select().single();
  assert.deepEqual([error, data?.name, data?.category, data?.body_text], [null, "Thanks", "general", ""]);
  const changed = await templates().update({ name: "Bye" }).eq("id", data.id).select("name").single();
  assert.deepEqual(changed.data, { name: "Bye" });
  const wrong = await templates().update({ subject: "Hi {unknown_tag}" }).eq("id", data.id);
  assert.deepEqual([wrong.status, wrong.error?.details], [
    400,
    "subject: unknown tag {unknown_tag}; see the table automation_tags",
  ]);
  assert.deepEqual((await templates().delete().eq("id", data.id).select("id")).data, [{ id: data.id }]);
});

Deno.test("admins write rules and actions and read them together", async () => {
  const rules = () => admin.client.from("automation_rules"), actions = () => admin.client.from("automation_actions");
  const row = { podcast_id: show.id, name: "On publication", trigger_type: "episode.published" };
  const { data: rule, error } = await rules().insert(row).select().single();
  assert.deepEqual([error, rule?.is_enabled], [null, true]);
  const action = { rule_id: rule.id, ...webhookTo("https://hooks.test/in", { secret: SECRET }), execution_order: 0 };
  const { data: made, error: rejected } = await actions().insert(action).select().single();
  assert.deepEqual([rejected, made?.podcast_id, made?.action_config], [null, show.id, {
    url: "https://hooks.test/in",
  }]);
  await actions().update({ execution_order: 5, continue_on_error: true }).eq("id", made.id);
  const embedded = await rules().select("name, automation_actions(*)").eq("id", rule.id).single();
  const [{ execution_order, continue_on_error, action_config }] = embedded.data!.automation_actions;
  assert.deepEqual([execution_order, continue_on_error, action_config], [5, true, { url: "https://hooks.test/in" }]);
  const wrong = await rules().update({ trigger_config: { x: 1 } }).eq("id", rule.id);
  assert.deepEqual([wrong.status, wrong.error?.details], [
    400,
    "trigger_config: must be empty for episode.published",
  ]);
  assert.equal((await actions().delete().eq("id", made.id)).error, null);
  assert.deepEqual((await rules().delete().eq("id", rule.id).select("id")).data, [{ id: rule.id }]);
});

Deno.test("no client reads a webhook's secret from a table", async () => {
  const { ids } = await filledPodcast();
  for (const { client } of [owner, admin, member, stranger]) {
    const { data } = await client.from("automation_rules").select("*, automation_actions(*)")
      .eq("id", ids.automation_rules);
    assert.ok(!JSON.stringify(data).includes("whsec_"));
    for (const [schema, table] of [["private", "webhook_secrets"], ["vault", "decrypted_secrets"]]) {
      assert.equal((await client.schema(schema).from(table).select()).error?.code, "PGRST106");
    }
  }
  const secretless = await admin.client.from("automation_actions").update({
    action_config: { url: "https://hooks.test/b" },
  })
    .eq("id", ids.automation_actions).select().single();
  assert.deepEqual(secretless.data?.action_config, { url: "https://hooks.test/b" });
});

Deno.test("the owner calls each function of automations with supabase-js", async () => {
  const { own, ids } = await filledPodcast();
  const call = async (by: Person, name: string, args: object) => await by.client.rpc(name, args);
  const podcast_id = own.id, rule_id = ids.automation_rules, template_id = ids.automation_templates;
  const failed = await recordExecution(own, { rule_id, status: "failed" });
  const steps: [name: string, args: object, status: number, key: string][] = [
    ["create_automation_template", { podcast_id, name: "New", subject: "Hi", body_text: "Hi" }, 201, "template"],
    ["get_automation_template", { template_id }, 200, "template"],
    ["update_automation_template", { template_id, changes: { name: "Renamed" } }, 200, "template"],
    ["list_automation_templates", { podcast_id, limit: 1, offset: 0, category: "general" }, 200, "templates"],
    ["delete_automation_template", { template_id }, 200, "success"],
    ["create_automation_rule", { podcast_id, name: "New", trigger_type: "booking.confirmed" }, 201, "rule"],
    ["get_automation_rule", { rule_id }, 200, "rule"],
    ["update_automation_rule", { rule_id, changes: { name: "Renamed" } }, 200, "rule"],
    ["list_automation_rules", { podcast_id, is_enabled: true }, 200, "rules"],
    ["rotate_webhook_secret", { action_id: ids.automation_actions, secret: SECRET }, 200, "action_id"],
    ["list_automation_executions", { podcast_id, rule_id, status: "failed", limit: 1, offset: 0 }, 200, "executions"],
    ["get_automation_execution", { execution_id: failed }, 200, "execution"],
    ["get_automation_stats", { podcast_id, days: 1 }, 200, "stats"],
    ["retry_automation_execution", { execution_id: failed }, 200, "execution"],
    ["toggle_automation_rule", { rule_id, is_enabled: false }, 200, "rule"],
    ["delete_automation_rule", { rule_id }, 200, "success"],
    ["request_automation_address", { podcast_id, email: "vera@outside.test" }, 200, "address"],
    ["list_automation_addresses", { podcast_id }, 200, "addresses"],
    ["delete_automation_address", { address_id: ids.automation_addresses }, 200, "success"],
  ];
  for (const [name, args, status, key] of steps) {
    const response = await call(owner, name, args);
    assert.equal(response.status, status, `${name}: ${response.error?.message}`);
    assert.ok(key in response.data, name);
  }
  const preview = { subject: "Hi", body_html: "<p>{guest_email}</p>", sample_data: { guest_email: "<b>" } };
  const { data } = await call(stranger, "preview_automation_template", preview);
  assert.equal(data.preview.body_html, "<p>&lt;b&gt;</p>");
  const unknown = await call(member, "confirm_automation_address", { access_token: "none" });
  assert.deepEqual(resultOf(unknown), [401, "PT401"]);
});
