// POST /api/automations/actions/:id/rotate-secret, and that no response contains a secret.
import assert from "node:assert/strict";
import { assertError, podcast, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, newRule, send, webhookTo } from "./automations.ts";

const show = await podcast("Secrets");
const secretOf = (letter: string, bytes = 24) => `whsec_${btoa(letter.repeat(bytes))}`;
const rotate = (id: string, json: unknown) => send("POST", `/actions/${id}/rotate-secret`, json);

async function newWebhook(fields: Record<string, unknown> = {}): Promise<string> {
  const rule = await newRule(show, { actions: [webhookTo("https://hooks.test/in", fields)] });
  return rule.automation_actions[0].id;
}

const secretsOf = async (id: string): Promise<string[]> =>
  (await sql`select private.webhook_secrets_of(${id}, now()) as secrets`)[0].secrets;

const kept = await newWebhook();
const request = () =>
  Promise.resolve({ path: `${BASE}/actions/${kept}/rotate-secret`, json: { secret: secretOf("k") } });
assertAccessMatrix(`POST ${BASE}/actions/:id/rotate-secret`, request, { anon: 401, stranger: 403, member: 403 });

Deno.test("a webhook without a secret gets one, and no response contains a secret", async () => {
  const given = secretOf("g", 64);
  const rule = await newRule(show, {
    actions: [webhookTo("https://hooks.test/in", { secret: given }), webhookTo("https://hooks.test/own")],
  });
  const [first, second] = rule.automation_actions.map(({ id }) => id);
  assert.deepEqual(await secretsOf(first), [given]);
  const [own] = await secretsOf(second);
  assert.match(own, /^whsec_[A-Za-z0-9+/]{43}=$/);
  for (
    const { text } of [
      await send("GET", `/rules/${rule.id}`),
      await send("GET", `/rules?podcast_id=${show.id}`),
      await send("PUT", `/rules/${rule.id}`, { name: "Renamed" }),
      await send("POST", `/rules/${rule.id}/toggle`),
    ]
  ) {
    assert.ok(text.includes("https://hooks.test/own"));
    assert.ok(!text.includes(own) && !text.includes(given) && !text.includes("secret"), text);
  }
  const actions = [webhookTo("https://hooks.test/moved"), webhookTo("https://hooks.test/own")];
  assert.equal((await send("PUT", `/rules/${rule.id}`, { actions })).status, 200);
  assert.deepEqual([await secretsOf(first), await secretsOf(second)], [[given], [own]], "updates keep the secrets");
});

Deno.test("the values of a webhook's headers are in no response, and what GET returned can be sent again", async () => {
  const config = { headers: { Authorization: "Bearer t0ken" }, payload_template: { text: "New: {episode_title}" } };
  const rule = await newRule(show, { actions: [webhookTo("https://hooks.test/in", config)] });
  const read = await send("GET", `/rules/${rule.id}`), [action] = read.body.rule.automation_actions;
  assert.deepEqual([action.action_config, action.disabled_reason], [
    { url: "https://hooks.test/in", headers: { authorization: null }, payload_template: config.payload_template },
    null,
  ]);
  const written = await send("PUT", `/rules/${rule.id}`, { actions: [action] });
  assert.deepEqual([written.status, written.body.rule.automation_actions], [200, [action]]);
  assert.ok(![read, written].some(({ text }) => text.includes("t0ken")));
  const [{ headers }] = await sql`select private.webhook_headers_of(${action.id}) as headers`;
  assert.deepEqual(headers, { authorization: "Bearer t0ken" });
  for (
    const [action_config, details] of [
      [{ url: "https://other.test/in" }, /^actions\[0\]\.action_config\.headers\.authorization: must be sent again/],
      [{ payload_template: { text: "{x}" } }, "actions[0].action_config.payload_template.text: unknown tag {x}"],
      [{ url: "http://[::1" }, /^actions\[0\]\.action_config\.url: must /],
      [{ url: "http://hooks.test:99999" }, /^actions\[0\]\.action_config\.url: must /],
    ] as const
  ) {
    const json = { actions: [{ ...action, action_config: { ...action.action_config, ...action_config } }] };
    assertError(await send("PUT", `/rules/${rule.id}`, json), 400, { details });
  }
});

Deno.test("POST rotate-secret returns the action and how long the earlier secret is valid", async () => {
  const [first, second] = ["a", "b"].map((letter) => secretOf(letter)), id = await newWebhook({ secret: first });
  const { status, body } = await rotate(id, { secret: second });
  const [{ expires }] = await sql`
    select previous_expires_at as expires from private.webhook_secrets where action_id = ${id}`;
  const expected = { action_id: id, previous_secret_expires_at: expires.toISOString() };
  assert.deepEqual([status, body], [200, expected]);
  assert.deepEqual(await secretsOf(id), [second, first]);
  assertError(await rotate(kept, { secret: "" }), 400, {
    details: "secret: must be whsec_ and 24 to 64 bytes in base64",
  });
  assertError(await rotate(kept, {}), 400, { details: /^secret: / });
  const json = { secret: second };
  assertError(await rotate("nonsense", json), 400, { details: /^id: / });
  assertError(await rotate(crypto.randomUUID(), json), 404, { error: "Automation action not found" });
});
