// POST /api/billing/checkout of accounts with a subscription whose first payment has not succeeded: a customer never pays
// for two.
import assert from "node:assert/strict";
import { startBilling } from "../../billing/billing_stack.ts";
import { isEnded } from "../../billing/stripe_peer.ts";
import { assertError } from "../harness.ts";

Deno.test({ name: "checkout after a failed payment", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBilling();
  const { peer } = billing;

  /** A user whose first payment failed on the checkout page. */
  async function failed(name: string) {
    const subscription = peer.failCheckout(await billing.checkoutEarlier(name));
    await billing.deliver();
    peer.requests.length = 0;
    return { customer: subscription.customer, subscription };
  }
  const live = (customer: string) => peer.subscriptionsOf(customer).filter((one) => !isEnded(one));
  /** The customer acts just before Stripe gets the first request to void an invoice. */
  function beforeVoid(act: () => void) {
    let isDone = false;
    peer.setFault(({ path }) => {
      if (path.endsWith("/void") && !isDone) {
        isDone = true;
        act();
      }
      return undefined;
    });
  }

  await t.step("POST checkout ends an incomplete subscription before it opens a session", async () => {
    const { customer, subscription } = await failed("payer-declined");
    const { body } = await billing.send("payer-declined", "GET", "");
    assert.deepEqual([body.data.planCode, body.data.subscriptionStatus], ["free", "incomplete"]);
    const { status } = await billing.checkout("payer-declined");
    assert.equal(status, 200);
    assert.equal(subscription.status, "incomplete_expired");
    assert.equal(peer.payFirstInvoice(subscription), false);
    const posts = peer.requests.filter(({ method }) => method === "POST").map(({ path }) => path);
    assert.deepEqual(posts, [`/v1/invoices/${subscription.latest_invoice}/void`, "/v1/checkout/sessions"]);
    peer.completeCheckout((await billing.subscriptionOf("payer-declined")).session!);
    await billing.deliver(5);
    assert.deepEqual(live(customer).map(({ status }) => status), ["active"]);
  });

  await t.step("POST checkout cancels an incomplete subscription that survives its void invoice", async () => {
    const { subscription } = await failed("payer-voided");
    peer.invoices.get(subscription.latest_invoice)!.status = "void";
    assert.equal((await billing.checkout("payer-voided")).status, 200);
    assert.equal(subscription.status, "incomplete_expired");
  });

  await t.step("POST checkout returns 409 if the payment succeeded before Stripe's event", async () => {
    const { customer, subscription } = await failed("payer-second-try");
    assert.ok(peer.payFirstInvoice(subscription));
    assertError(await billing.checkout("payer-second-try"), 409, { code: "PLAN_ALREADY_HELD" });
    assert.deepEqual(live(customer).map(({ status }) => status), ["active"]);
    assert.equal(peer.sessionsOf(customer).length, 1);
  });

  await t.step("POST checkout returns 409 if the payment succeeds while it ends the subscription", async () => {
    const { customer, subscription } = await failed("payer-at-once");
    beforeVoid(() => assert.ok(peer.payFirstInvoice(subscription)));
    assertError(await billing.checkout("payer-at-once"), 409, { code: "PLAN_ALREADY_HELD" });
    peer.setFault(() => undefined);
    assert.deepEqual(live(customer).map(({ status }) => status), ["active"]);
    assert.equal(peer.sessionsOf(customer).length, 1);
  });

  await t.step("POST checkout returns 503 while the payment is in progress", async () => {
    const { customer, subscription } = await failed("payer-debit");
    peer.payingIds.add(subscription.latest_invoice);
    const response = await billing.checkout("payer-debit");
    assertError(response, 503, { error: "An earlier payment of this account is in progress; try again later" });
    assert.equal(subscription.status, "incomplete");
    assert.equal(peer.sessionsOf(customer).length, 1);
    peer.payingIds.clear();
    assert.equal((await billing.checkout("payer-debit")).status, 200);
  });
});
