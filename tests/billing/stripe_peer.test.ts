// The peer's rules that tests of billing rely on, by Stripe's own client.
import assert from "node:assert/strict";
import type Stripe from "stripe";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { type Fault, startStripePeer, STRIPE_KEY } from "./stripe_peer.ts";

const peer = startStripePeer();
await withEnvironment(
  { ...UNREACHABLE_ENV, STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_API_URL: peer.url },
  () => import("../../functions/runtime/env.ts"),
);
const { callStripe } = await import("../../functions/billing/stripe.ts");

/** A checkout session of a new customer. */
async function openSession() {
  const { id: customer } = await callStripe((stripe) => stripe.customers.create({}));
  const { id } = await callStripe((stripe) =>
    stripe.checkout.sessions.create({
      customer,
      mode: "subscription",
      line_items: [{ price: "price_pro", quantity: 1 }],
    })
  );
  return { customer, id };
}
const update = (id: string, params: Stripe.SubscriptionUpdateParams, idempotencyKey?: string) =>
  callStripe((stripe) => stripe.subscriptions.update(id, params, { idempotencyKey }));
const CANCELING = { cancel_at_period_end: true };
const faulty = async <T>(fault: Fault, run: () => Promise<T>) => {
  peer.setFault(() => fault);
  await assert.rejects(run);
  peer.setFault(() => undefined);
};

Deno.test({
  name: "the Stripe peer",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    await using _peer = peer;

    await t.step(
      "the peer runs a late request after its client gave up, and its key is in progress until then",
      async () => {
        const subscription = peer.completeCheckout((await openSession()).id);
        await faulty("late", () => update(subscription.id, CANCELING, "late"));
        assert.equal(subscription.cancel_at, null);
        await assert.rejects(update(subscription.id, CANCELING, "late"), {
          status: 409,
          code: "idempotency_key_in_use",
        });
        assert.ok(peer.runLate());
        assert.ok(subscription.cancel_at);
        assert.equal((await update(subscription.id, CANCELING, "late")).id, subscription.id);
        assert.equal(peer.events.filter(({ type }) => type === "customer.subscription.updated").length, 1);
      },
    );

    await t.step("the peer replays a saved 500, and the result behind an error of a gateway", async () => {
      const { id } = peer.completeCheckout((await openSession()).id);
      await faulty("error_after", () => update(id, CANCELING, "error"));
      await assert.rejects(update(id, CANCELING, "error"), { status: 500 });
      await faulty("gateway_after", () => update(id, CANCELING, "gateway"));
      await faulty("unavailable_before", () => update(id, CANCELING, "gateway"));
      assert.ok((await update(id, CANCELING, "gateway")).cancel_at);
    });

    await t.step("the peer rejects a cancellation under a schedule until the schedule is released", async () => {
      const subscription = peer.completeCheckout((await openSession()).id);
      assert.ok(peer.portalDowngrade(subscription, "price_small"));
      await assert.rejects(update(subscription.id, CANCELING), { status: 400, message: /subscription schedule/ });
      await update(subscription.id, { pause_collection: { behavior: "void" } });
      await callStripe((stripe) => stripe.subscriptionSchedules.release(subscription.schedule!));
      assert.ok((await update(subscription.id, CANCELING)).cancel_at);
      assert.equal(subscription.items.data[0].price.id, "price_pro");
    });

    await t.step("the peer withdraws a cancellation by cancel_at alone with an empty cancel_at only", async () => {
      const subscription = peer.completeCheckout((await openSession()).id);
      peer.portalCancel(subscription, true);
      assert.ok((await update(subscription.id, { cancel_at_period_end: false })).cancel_at);
      assert.equal((await update(subscription.id, { cancel_at: "" })).cancel_at, null);
    });

    await t.step("the peer ends an incomplete subscription with its first invoice unless that is paid", async () => {
      const voidFirst = (id: string) => callStripe((stripe) => stripe.invoices.voidInvoice(id));
      const subscription = peer.failCheckout((await openSession()).id);
      await assert.rejects(update(subscription.id, CANCELING), { status: 400 });
      await voidFirst(subscription.latest_invoice);
      assert.deepEqual([subscription.status, peer.payFirstInvoice(subscription)], ["incomplete_expired", false]);
      const paid = peer.failCheckout((await openSession()).id);
      assert.ok(peer.payFirstInvoice(paid));
      await assert.rejects(voidFirst(paid.latest_invoice), { status: 400, message: /isn't open/ });
      assert.equal(paid.status, "active");
    });

    await t.step("the peer knows a deleted customer as deleted, and as missing in parameters", async () => {
      const { id, customer } = await openSession();
      const subscription = peer.completeCheckout(id);
      peer.deleteCustomer(customer);
      assert.equal(subscription.status, "canceled");
      assert.deepEqual((await callStripe((stripe) => stripe.customers.retrieve(customer))).deleted, true);
      await assert.rejects(callStripe((stripe) => stripe.subscriptions.list({ customer })), {
        status: 400,
        code: "resource_missing",
      });
    });

    await t.step("the peer knows no object by an API key of another account", async () => {
      const { id, customer } = await openSession();
      peer.setOtherAccount(true);
      const error = { status: 404, code: "resource_missing", param: "id" };
      await assert.rejects(callStripe((stripe) => stripe.customers.retrieve(customer)), error);
      await assert.rejects(callStripe((stripe) => stripe.checkout.sessions.retrieve(id)), error);
      await assert.rejects(callStripe((stripe) => stripe.subscriptions.list({ customer })), {
        status: 400,
        code: "resource_missing",
        param: "customer",
      });
      peer.setOtherAccount(false);
      assert.equal((await callStripe((stripe) => stripe.checkout.sessions.retrieve(id))).status, "open");
    });
  },
});
