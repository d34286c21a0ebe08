// POST /api/notifications/webhooks/resend: signatures, sizes, repeated and unknown events, and the rate limit.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { startFunctions } from "../../functions.ts";
import { fetchDocumented } from "../documented_responses.ts";
import { type ApiResponse, assertError, newPerson, sendRequest, sql, stackInfo } from "../harness.ts";
import { sendEmail, stateOf } from "./sent_email.ts";

const path = "/api/notifications/webhooks/resend";
const secret = (text: string) => `whsec_${btoa(text)}`;
const SECRET = secret("the secret of the webhook");

Deno.test("without RESEND_WEBHOOK_SECRET the functions start, and the webhook names it", async () => {
  assertError(await sendRequest({ method: "POST", path, body: "{}" }), 500, {
    error: "RESEND_WEBHOOK_SECRET is not set; events of Resend cannot be verified",
    code: "MISSING_SETTING",
  });
});

Deno.test({ name: "the webhook of Resend", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using functions = await startFunctions(stackInfo, { RESEND_WEBHOOK_SECRET: SECRET, TRUSTED_PROXY_HOPS: "2" });
  let address = 0;
  const newId = () => `msg_${crypto.randomUUID()}`;
  const event = (type: string, messageId: string, data: object = {}, at = "2026-01-01T10:00:00.000Z") =>
    JSON.stringify({ type, created_at: at, data: { email_id: messageId, to: ["reader@people.test"], ...data } });
  const sign = (body: string, { id = newId(), secrets = [SECRET], at = new Date() } = {}) => ({
    "svix-id": id,
    "svix-timestamp": String(Math.floor(at.getTime() / 1000)),
    "svix-signature": secrets.map((one) => new Webhook(one).sign(id, at, body)).join(" "),
  });
  async function send(body: BodyInit, headers: Record<string, string>): Promise<ApiResponse> {
    const response = await fetchDocumented(functions.url + path, {
      method: "POST",
      body,
      // a new address for each request, so that the tests do not meet the limit
      headers: { "x-forwarded-for": `192.0.2.${++address}, 203.0.113.1`, ...headers },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }
  const signed = (body: string, options: Parameters<typeof sign>[1] = {}) => send(body, sign(body, options));
  const reader = await newPerson("reader");
  const seconds = (n: number) => new Date(Date.now() + n * 1000);

  await t.step("the webhook records a signed event and returns 200 for a repeated svix-id without effect", async () => {
    const email = await sendEmail(reader), id = newId(), body = event("email.delivered", email.messageId);
    const first = await signed(body, { id });
    assert.deepEqual([first.status, first.body], [200, { success: true, data: { recorded: true } }]);
    assert.equal(await stateOf(email), "delivered delivered_at");
    await sql`update public.notification_deliveries set delivered_at = null where id = ${email.deliveryId}`;
    const second = await signed(body, { id });
    assert.deepEqual([second.status, second.body], [200, { success: true, data: { recorded: false } }]);
    assert.equal(await stateOf(email), "delivered");
  });

  await t.step(
    "the webhook returns 400 for a wrong, old, future or missing signature and for a changed body",
    async () => {
      const email = await sendEmail(reader);
      const body = event("email.clicked", email.messageId), invalid = { error: "Invalid signature" };
      const good = sign(body);
      const wrong: [string, Record<string, string>][] = [
        [body, sign(body, { secrets: [secret("another secret")] })],
        [body, sign(body, { at: seconds(-310) })],
        [body, sign(body, { at: seconds(310) })],
        [`${body} `, good],
        [body, { ...good, "svix-id": newId() }],
        [body, { ...good, "svix-timestamp": String(Number(good["svix-timestamp"]) + 1) }],
        [body, { ...good, "svix-timestamp": "now" }],
        [body, { ...good, "svix-signature": "" }],
        [body, { ...good, "svix-signature": "v1" }],
        [body, { ...good, "svix-signature": "v1," }],
        [body, { ...good, "svix-signature": good["svix-signature"].replace("v1,", "v2,") }],
        [body, { ...good, "svix-signature": good["svix-signature"].toLowerCase() }],
        [body, {}],
      ];
      for (const [text, headers] of wrong) assertError(await send(text, headers), 400, invalid);
      assertError(await send(new Uint8Array([0xff]), good), 400, invalid);
      assertError(await signed(""), 400); // no JSON
      assert.equal(await stateOf(email), "queued");
    },
  );

  await t.step("the webhook accepts an event within the tolerance, and one of several signatures", async () => {
    const email = await sendEmail(reader), body = event("email.sent", email.messageId);
    const other = secret("the secret before");
    for (
      const options of [
        { at: seconds(-280) },
        { at: seconds(280) },
        { secrets: [other, SECRET] },
        { secrets: [SECRET, other] },
        { secrets: [...Array(20).fill(other), SECRET] },
      ]
    ) {
      assert.equal((await signed(body, options)).body.data?.recorded, true, JSON.stringify(options));
    }
  });

  await t.step("the webhook bounds the body: 413 over 64 KB, 400 for deep nesting and other text", async () => {
    const email = await sendEmail(reader);
    const large = (n: number) => event("email.sent", email.messageId, { padding: "x".repeat(n) });
    assert.equal((await signed(large(65_000))).body.data.recorded, true);
    assertError(await signed(large(65_536)), 413, { error: "Request body too large" });
    assertError(await signed("[".repeat(65) + "]".repeat(65)), 400, { error: "JSON is nested too deeply" });
    assertError(await signed("payload=1"), 400, { error: "Malformed JSON" });
    assertError(await signed(event("\0", email.messageId)), 400, { error: "Invalid request" });
  });

  await t.step("the webhook returns 200 without effect for other events, messages and JSON", async () => {
    const email = await sendEmail(reader);
    const bodies = [
      "null",
      "[]",
      "{}",
      event("email.delivery_delayed", email.messageId),
      event("contact.created", email.messageId),
      event("email.clicked", crypto.randomUUID()),
      event("email.clicked", ""),
      event("email.clicked", "x".repeat(256)),
      JSON.stringify({ type: "email.clicked", data: { email_id: 7 } }),
      JSON.stringify({ type: "email.clicked" }),
    ];
    for (const body of bodies) {
      const response = await signed(body);
      assert.deepEqual([response.status, response.body.data], [200, { recorded: false }], body);
    }
    const long = { id: `msg_${"x".repeat(300)}` };
    assert.equal((await signed(event("email.clicked", email.messageId), long)).body.data.recorded, false);
    assert.equal(await stateOf(email), "queued");
  });

  await t.step(
    "the webhook returns 429 to an IP address over 3,000 requests a minute, signed or not, behind forged hops",
    async () => {
      // the second hop from the right: two proxies are trusted
      const forwarded = (client: string, forged = "") => ({ "x-forwarded-for": `${forged}${client}, 203.0.113.1` });
      const email = await sendEmail(reader), body = event("email.sent", email.messageId);
      await sql`insert into private.rate_limits values ('resend_webhooks:198.51.100.7', now(), now() + interval '1 day', 2999)`;
      assertError(await send("{}", forwarded("198.51.100.7")), 400);
      for (const forged of ["", "198.51.100.8, ", "198.51.100.8, 198.51.100.9, "]) {
        assertError(await send(body, { ...sign(body), ...forwarded("198.51.100.7", forged) }), 429, {
          code: "RATE_LIMITED",
          rate_limit_reset_at: /Z$/,
        });
      }
      assert.equal(await stateOf(email), "queued");
      const other = await send(body, { ...sign(body), ...forwarded("198.51.100.8", "198.51.100.7, ") });
      assert.equal(other.status, 200);
    },
  );
});

Deno.test("while one webhook of Resend replaces another, no event is lost, and each counts once", async () => {
  const [former, current] = [SECRET, secret("of the second webhook")];
  await using old = await startFunctions(stackInfo, { RESEND_WEBHOOK_SECRET: former });
  await using next = await startFunctions(stackInfo, { RESEND_WEBHOOK_SECRET: current });
  const reader = await newPerson("reader"), email = await sendEmail(reader);
  /** Delivers an event as one of the webhooks, whose URL is the same: to functions with either environment. */
  async function deliver(functions: { url: string }, one: string, id: string, type: string, data: object = {}) {
    const created_at = "2026-01-01T10:00:00.000Z", at = new Date();
    const body = JSON.stringify({ type, created_at, data: { email_id: email.messageId, to: [reader.email], ...data } });
    const response = await fetchDocumented(functions.url + path, {
      method: "POST",
      body,
      headers: {
        "x-forwarded-for": "192.0.2.200",
        "svix-id": id,
        "svix-timestamp": String(Math.floor(at.getTime() / 1000)),
        "svix-signature": new Webhook(one).sign(id, at, body),
      },
    });
    const { data: result } = await response.json();
    return [response.status, result?.recorded];
  }
  const [first, again] = [`msg_${crypto.randomUUID()}`, `msg_${crypto.randomUUID()}`];
  const bounce = { bounce: { type: "Permanent", message: "No such mailbox" } }, permanent = "email.bounced";
  assert.deepEqual(await deliver(next, former, first, permanent, bounce), [400, undefined]);
  assert.deepEqual(await deliver(old, current, first, permanent, bounce), [400, undefined]);
  assert.equal(await stateOf(email), "queued");

  assert.deepEqual(await deliver(old, former, first, permanent, bounce), [200, true], "Resend repeats it");
  const state = await stateOf(email), [stopped, ...more] = await suppressionsOf(reader.email);
  assert.deepEqual([state, stopped.reason, more], ["bounced failed_at", "bounce", []]);
  assert.deepEqual(await deliver(next, current, first, permanent, bounce), [200, false]);
  await deliver(next, current, again, permanent, bounce); // under another id, too
  assert.deepEqual([await stateOf(email), await suppressionsOf(reader.email)], [state, [stopped]]);
});

const suppressionsOf = async (email: string) =>
  (await sql`select * from private.email_suppressions where digest = private.email_digest(${email})`)
    .map((row) => ({ ...row }));
