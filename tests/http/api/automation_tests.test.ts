// POST /api/automations/actions/:id/test: the email and the webhook of an action, for the admin who tests it.
import assert from "node:assert/strict";
import { addMember, assertError, newPerson, podcast, sql, waitFor } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { emailsTo } from "../inbox.ts";
import { BASE, emailTo, newRule, newTemplate, publishNew, send, updateOf, useLimit, webhookTo } from "./automations.ts";

const show = await podcast("Tests"), grace = await newPerson("grace"), member = await newPerson("mel");
await addMember(show, grace, "admin");
await addMember(show, member);
const template = await newTemplate(show, {
  subject: "{episode_title} is out, {guest_first_name}",
  body_html: "<p>{episode_published_at}</p>",
});
const rule = await newRule(show, {
  is_enabled: false,
  actions: [emailTo("team", template), webhookTo("https://hooks.test/in"), updateOf("summary", "Out now")],
});
const [email, webhook, update] = rule.automation_actions.map(({ id }) => id);
const test = (id: string, json?: unknown, as: Parameters<typeof send>[3] = grace) =>
  send("POST", `/actions/${id}/test`, json, as);

assertAccessMatrix(
  `POST ${BASE}/actions/:id/test`,
  () => Promise.resolve({ path: `${BASE}/actions/${email}/test` }),
  { anon: 401, stranger: 403, member: 403 },
);

/** The test of an action, once it has ended. */
async function endedTest(id: string, json?: unknown) {
  const { status, text, body } = await test(id, json);
  assert.equal(status, 200, text);
  const { execution } = body;
  assert.deepEqual([execution.status, execution.is_test, execution.rule_id], ["pending", true, rule.id]);
  return await waitFor("the test ends", async () => {
    const read = await send("GET", `/executions/${execution.id}`);
    return read.body.execution.completed_at && read.body.execution;
  });
}
const subjectsOf = async ({ email }: { email: string }) => (await emailsTo(email)).map(({ Subject }) => Subject);

Deno.test("a test sends the email of a disabled rule to its caller only, with samples or a chosen episode", async () => {
  const { action_results: [{ action_id, result }] } = await endedTest(email);
  assert.deepEqual([action_id, result.recipient_count], [email, 1]);
  const pilot = await publishNew(show, "Vienna");
  await endedTest(email, { episode_id: pilot.id });
  const subjects = await waitFor("both emails arrive", async () => {
    await sql`select private.enqueue_due_deliveries()`;
    const all = await subjectsOf(grace);
    return all.length === 2 && all.sort();
  });
  assert.deepEqual(subjects, ["[Test] Paris to Vienna is out, Grace", "[Test] Vienna is out,"]);
  const [message] = (await emailsTo(grace.email)).filter(({ Subject }) => Subject.includes("Paris"));
  assert.ok(message.HTML.includes("you asked for a test of the automation"), message.HTML);
  assert.deepEqual(await subjectsOf(member), []);
  const { body } = await send("GET", `/executions?podcast_id=${show.id}&rule_id=${rule.id}&is_test=true`);
  assert.ok(body.total >= 2 && body.executions.every(({ is_test }: { is_test: boolean }) => is_test));
  const others = await send("GET", `/executions?podcast_id=${show.id}&rule_id=${rule.id}&is_test=false`);
  assert.equal(others.body.total, 0);
});

Deno.test("a test of a webhook shows at once that its receiver cannot be reached", async () => {
  const { status, error_message, action_results: [{ result }] } = await endedTest(webhook);
  assert.equal(status, "failed");
  assert.ok(error_message);
  assert.equal(result.error, error_message);
  assert.match(result.webhook_id, /^msg_test_/);
});

Deno.test("POST test returns 400, 404, 409 and 429 for what cannot be tested", async () => {
  assertError(await test("nonsense"), 400, { details: /^id: / });
  assertError(await test(email, { booking_id: "x" }), 400, { details: /^booking_id: / });
  assertError(await test(email, { to: "someone@else.example" }), 400, {});
  assertError(await test(crypto.randomUUID()), 404, { error: "Automation action not found" });
  assertError(await test(email, { episode_id: crypto.randomUUID() }), 404, { error: "Episode not found" });
  assertError(await test(update), 409, { code: "ACTION_NOT_TESTABLE" });
  const busy = await podcast("Busy tests");
  const [{ id }] = (await newRule(busy, { actions: [webhookTo("https://hooks.test/in")] })).automation_actions;
  await useLimit(busy, "send_webhook", 500);
  assertError(await test(id, undefined, "admin"), 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
});
