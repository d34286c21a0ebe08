// POST /api/billing/webhooks/stripe: signatures, sizes, repeated and unknown events, and the rate limit.
import assert from "node:assert/strict";
import { startBilling, WEBHOOK_SECRET } from "../../billing/billing_stack.ts";
import { sign } from "../../billing/stripe_wire.ts";
import { assertError, sql } from "../harness.ts";

Deno.test({ name: "the webhook of Stripe", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBilling();
  const { peer } = billing;
  const seconds = () => Math.floor(Date.now() / 1000);

  const event = (changes: object = {}) =>
    JSON.stringify({
      object: "event",
      id: `evt_${crypto.randomUUID()}`,
      type: "customer.subscription.updated",
      created: seconds(),
      data: { object: { object: "subscription", customer: "cus_unknown" } },
      ...changes,
    });
  const signedWith = (body: string, signature: string) => billing.webhook(body, { "stripe-signature": signature });

  await t.step("the webhook accepts a signed event of an unknown customer, and records nothing", async () => {
    const { status, body } = await billing.webhook(event());
    assert.deepEqual([status, body], [200, { success: true, data: { recorded: false } }]);
  });

  await t.step("the webhook returns 400 for a wrong, old or missing signature and for a changed body", async () => {
    const body = event(), invalid = { error: "Invalid signature" };
    assertError(await signedWith(body, sign(body, ["whsec_other"])), 400, invalid);
    assertError(await signedWith(body, sign(body, [WEBHOOK_SECRET], seconds() - 301)), 400, invalid);
    assertError(await signedWith(`${body} `, sign(body, [WEBHOOK_SECRET])), 400, invalid);
    assertError(await signedWith(body, ""), 400, invalid);
    assertError(await signedWith(body, "t=1,v0=ab"), 400, invalid);
    assertError(await signedWith(body, sign(body, [WEBHOOK_SECRET]).replace(/t=\d+/, "t=x")), 400, invalid);
    assertError(await billing.webhook(new TextEncoder().encode(body)), 400, invalid);
    assertError(await billing.webhook("", { "stripe-signature": sign("", [WEBHOOK_SECRET]) }), 400, invalid);
  });

  await t.step("the webhook accepts an event within the tolerance, and one that two secrets signed", async () => {
    const body = event();
    assert.equal((await signedWith(body, sign(body, [WEBHOOK_SECRET], seconds() - 240))).status, 200);
    assert.equal((await signedWith(body, sign(body, ["whsec_old", WEBHOOK_SECRET]))).status, 200);
    assert.equal((await signedWith(body, sign(body, [WEBHOOK_SECRET, "whsec_new"]))).status, 200);
  });

  await t.step("the webhook bounds the body: 413 over 256 KB, 400 for deep nesting, other text and bytes", async () => {
    assert.equal((await billing.webhook(event({ padding: "x".repeat(200_000) }))).status, 200);
    assertError(await billing.webhook(event({ padding: "x".repeat(262_144) })), 413, {
      error: "Request body too large",
    });
    assertError(await billing.webhook("[".repeat(65) + "]".repeat(65)), 400, { error: "JSON is nested too deeply" });
    assertError(await billing.webhook("payload=1"), 400, { error: "Malformed JSON" });
    assertError(await billing.webhook(event({ type: "\0" })), 400, { error: "Invalid request" });
    assertError(await billing.webhook(new Uint8Array([0xff]), { "stripe-signature": "t=1,v1=ab" }), 400);
  });

  await t.step(
    "the webhook returns 200 without effect for signed JSON of any other form",
    async () => {
      const others = [
        "null",
        "{}",
        "[]",
        event({ type: "charge.succeeded" }),
        event({ id: 7 }),
        event({ created: "now" }),
      ];
      for (const body of [...others, JSON.stringify({ object: "v2.core.event", id: "evt_1", type: "v1.x" })]) {
        const response = await billing.webhook(body);
        assert.deepEqual([response.status, response.body.data], [200, { recorded: false }], body);
      }
    },
  );

  await t.step("the webhook records an event once", async () => {
    peer.completeCheckout(await billing.checkoutEarlier("payer-events"));
    const [created] = peer.events.splice(0);
    const { body } = await billing.webhook(JSON.stringify(created));
    assert.equal(body.data.recorded, true);
    assert.equal((await billing.send("payer-events", "GET", "")).body.data.subscriptionStatus, "active");
    assert.equal((await billing.webhook(JSON.stringify(created))).body.data.recorded, false);
  });

  await t.step(
    "the webhook returns 429 to an IP address over 300 requests a minute, signed or not, forged hops or none",
    async () => {
      const forwarded = (address: string, forged = "198.51.100.1, ") => ({ "x-forwarded-for": forged + address });
      await sql`insert into private.rate_limits values ('stripe_webhooks:192.0.2.7', now(), now() + interval '1 day', 299)`;
      assertError(await billing.webhook("{}", { ...forwarded("192.0.2.7"), "stripe-signature": "t=1,v1=a" }), 400);
      assertError(await billing.webhook(event(), forwarded("192.0.2.7")), 429, {
        code: "RATE_LIMITED",
        rate_limit_reset_at: /Z$/,
      });
      for (const forged of ["", "192.0.2.8, ", "192.0.2.8, 192.0.2.9,"]) {
        assert.equal((await billing.webhook(event(), forwarded("192.0.2.7", forged))).status, 429);
      }
      assert.equal((await billing.webhook(event(), forwarded("192.0.2.8", "192.0.2.7, "))).status, 200);
    },
  );
});
