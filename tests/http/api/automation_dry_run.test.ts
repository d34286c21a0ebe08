// POST /api/automations/rules/:id/dry-run: what a rule would do for an occurrence.
import assert from "node:assert/strict";
import { assertError, assertKeys, episode, podcast } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, emailTo, newRule, newTemplate, send, updateOf, webhookTo } from "./automations.ts";

const show = await podcast("Dry runs"), pilot = await episode(show, "Paris <b>&</b> Vienna");
const kept = await newRule(show);
const dryRun = (id: string, json: object) => send("POST", `/rules/${id}/dry-run`, json);

const request = () => Promise.resolve({ path: `${BASE}/rules/${kept.id}/dry-run`, json: { episode_id: pilot.id } });
assertAccessMatrix(`POST ${BASE}/rules/:id/dry-run`, request, { anon: 401, stranger: 403, member: 403 });

Deno.test("POST dry-run shows what each action would do, and 400 or 404 for another occurrence", async () => {
  const template = await newTemplate(show, {
    subject: "{episode_title} is out",
    body_html: `<p onclick="x()">{episode_title} by {guest_first_name}</p><script>x()</script>`,
  });
  const rule = await newRule(show, {
    actions: [
      emailTo("team", template),
      webhookTo("https://hooks.test/in", { secret: `whsec_${btoa("x".repeat(24))}` }),
      updateOf("title", "New title"),
      { ...updateOf("title", "x".repeat(256)), continue_on_error: true },
      updateOf("notes", "x", "guest"),
    ],
  });
  const { status, body } = await dryRun(rule.id, { episode_id: pilot.id });
  assert.equal(status, 200);
  assertKeys(body, "dry_run");
  assertKeys(body.dry_run, "would_run", "problem", "context_data", "action_results");
  const { would_run, problem, context_data, action_results } = body.dry_run;
  assert.deepEqual([would_run, problem], [true, null], "the draft counts as published");
  const ids = ["podcast_id", "episode_id", "booking_id", "episode_guest_id", "import_id", "podcast_guest_id"];
  assertKeys(context_data, ...ids, "occurred_at", "timezone", "tags");
  assert.deepEqual([context_data.podcast_id, context_data.episode_id, context_data.booking_id], [
    show.id,
    pilot.id,
    null,
  ]);
  assert.deepEqual(
    action_results.map((
      { action_id, action_type, status }: Record<string, string>,
    ) => [action_id, action_type, status]),
    rule.automation_actions.map(({ id, action_type }, n) => [
      id,
      action_type,
      ["completed", "completed", "completed", "failed", "skipped"][n],
    ]),
  );
  for (const result of action_results) assertKeys(result, "action_id", "action_type", "status", "result");
  const [email, webhook, update, rejected, skipped] = action_results.map(({ result }: { result: object }) => result);
  const { recipients, ...shown } = email;
  assert.deepEqual(recipients.map(({ recipient, status }: Record<string, string>) => [recipient, status]), [
    ["a***@p***.test", "sending"],
    ["m***@p***.test", "sending"],
    ["o***@p***.test", "sending"],
  ]);
  assert.deepEqual(shown, {
    template_id: template.id,
    recipient_count: 3,
    sent_count: 0,
    failed_count: 0,
    skipped_count: 0,
    missing_tags: ["guest_first_name"],
    subject: "Paris <b>&</b> Vienna is out",
    body_html: "<p>Paris &lt;b&gt;&amp;&lt;/b&gt; Vienna by </p>",
    body_text: "Paris <b>&</b> Vienna by",
  });
  const { occurred_at, timezone: _, ...data } = context_data;
  assert.deepEqual(webhook, {
    url: "https://hooks.test/in",
    payload: {
      type: "episode.published",
      timestamp: occurred_at,
      data: { ...data, rule_id: rule.id, rule_name: "On publication" },
    },
    header_names: [],
    is_signed: true,
  });
  assert.deepEqual(update, { ids: [pilot.id], entity: "episode", field: "title", value: "New title" });
  assert.match(rejected.error, /^The value was rejected: The title must have 1 to 255 characters$/);
  assert.deepEqual(skipped, { reason: "The occurrence has no guest" });

  assertError(await dryRun(rule.id, {}), 400, { error: "Provide episode_id, and no other id, for this rule" });
  assertError(await dryRun(rule.id, { episode_id: crypto.randomUUID() }), 404, { error: "Episode not found" });
  for (const field of ["episode_id", "episode_guest_id", "import_id"]) {
    assertError(await dryRun(rule.id, { [field]: "x" }), 400, { details: new RegExp(`^${field}: `) });
  }
});
