// The caller's own suppressed address: its status, the code, and the confirmation that lifts the suppression.
import assert from "node:assert/strict";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertError, assertKeys, sql } from "../harness.ts";
import { emailsTo } from "../inbox.ts";
import { emailedCode } from "./imports.ts";
import { BASE, newInbox } from "./notifications.ts";

const CODE = { code: "123456" };
const ROUTES: [string, string, object?][] = [["GET", ""], ["POST", "/confirmation"], ["POST", "/confirm", CODE]];
for (const [method, path, json] of ROUTES) {
  const route = `/email-status${path}`;
  assertAccessMatrix(`${method} ${BASE}${route}`, () => Promise.resolve({ path: BASE + route, json }), { anon: 401 });
}

/** A user whose address bounced. */
async function newBounced() {
  const inbox = await newInbox("bounced"), { email } = inbox.user;
  await sql`select private.suppress_email(private.email_digest(${email}), 'bounce', detail => '550 5.1.1')`;
  return { ...inbox, email };
}

Deno.test("a user whose address bounced reads that, and lifts it with the emailed code", async () => {
  const { get, post, email } = await newBounced();
  const { body: { data } } = await get("/email-status");
  assertKeys(data, "email", "isSuppressed", "reason", "since");
  assert.deepEqual([data.email, data.isSuppressed, data.reason], [email, true, "bounce"]);
  assert.match(data.since, /^\d{4}-.+Z$/);

  const requested = await post("/email-status/confirmation");
  assert.deepEqual([requested.status, requested.body.data], [200, data]);
  const code = await emailedCode(email), other = String((Number(code) + 1) % 1_000_000).padStart(6, "0");
  assertError(await post("/email-status/confirm", { code: other }), 400, { code: "INVALID" });
  const confirmed = await post("/email-status/confirm", { code });
  const lifted = { email, isSuppressed: false, reason: null, since: null };
  assert.deepEqual([confirmed.status, confirmed.body.data], [200, lifted]);
  assert.deepEqual((await get("/email-status")).body.data, lifted);
  assertError(await post("/email-status/confirm", { code }), 400, { code: "EXPIRED" });
});

Deno.test("the email with the code has no link", async () => {
  const { post, email } = await newBounced();
  await post("/email-status/confirmation");
  const code = await emailedCode(email), [mail] = await emailsTo(email);
  assert.equal(mail.Subject, "Your confirmation code");
  assert.ok(mail.HTML.includes(`<strong>${code}</strong>`));
  assert.doesNotMatch(mail.Text + mail.HTML, /https?:|href/);
});

Deno.test("POST /email-status/confirm returns 400 for what is not six digits", async () => {
  const { post } = await newBounced();
  for (const code of [undefined, 123456, "12345", "12345a", "１２３４５６", "123456\n"]) {
    assertError(await post("/email-status/confirm", { code }), 400, { details: /^code/ });
  }
});

Deno.test("POST /email-status/confirmation returns 429 with the time after three codes in a day", async () => {
  const { post } = await newBounced();
  for (let n = 0; n < 3; n++) assert.equal((await post("/email-status/confirmation")).status, 200);
  assertError(await post("/email-status/confirmation"), 429, {
    code: "RATE_LIMITED",
    rate_limit_reset_at: /^\d{4}-.+Z$/,
  });
});
