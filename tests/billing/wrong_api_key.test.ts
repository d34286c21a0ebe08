// An API key of another account or mode finds no customer: nothing is forgotten, and the right key continues.
import assert from "node:assert/strict";
import { startBillingWorker } from "./billing_worker.ts";

const REJECTED = { status: 400, code: "resource_missing", param: "customer" };

Deno.test({ name: "an API key of another account", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBillingWorker();
  const { peer, sql, openCheckout, openPortal, subscriptionOf, work } = billing;
  const run = billing.stepsOf(t);
  const step = (name: string, act: () => Promise<void>) =>
    run(name, async () => {
      await sql`delete from private.subscriptions`;
      peer.setOtherAccount(false);
      await act();
    });
  const stored = async (userId: string) => {
    const [account] = await sql<{ plan: string; status: string; is_live: boolean }[]>`
      select plan_code as plan, subscription_status as status, is_live
      from public.billing_accounts b join private.subscriptions s using (user_id) where user_id = ${userId}`;
    return { ...account, ...await subscriptionOf(userId) };
  };
  const deadLetters = async () =>
    (await sql<{ error: string }[]>`select message ->> 'error' as error from pgmq.q_billing_sync_dlq`)
      .map(({ error }) => error);
  async function reconcile() {
    await sql`select private.reconcile_subscriptions()`;
    await billing.makeVisible();
    await work();
  }

  await step("the worker keeps plan and customer in a dead letter, and the right key reads the account", async () => {
    const { id, userId, podcastId, subscription } = await billing.subscriber();
    const before = await stored(userId);
    assert.deepEqual([before.plan, before.status, before.is_live], ["pro", "active", true]);
    peer.setOtherAccount(true);
    await billing.pause(podcastId);
    await work();
    assert.deepEqual(await stored(userId), before);
    assert.match((await deadLetters()).join(), /^Stripe responded 400 resource_missing: No such customer: 'cus_\w+'/);
    await reconcile();
    assert.deepEqual([await stored(userId), (await deadLetters()).length], [before, 1]);
    peer.setOtherAccount(false);
    await reconcile();
    assert.deepEqual([await stored(userId), await deadLetters()], [before, []]);
    assert.equal(subscription.pause_collection?.behavior, "void");
    assert.equal((await sql`select from private.subscriptions where id = ${id}`).length, 1);
  });

  await step("the portal fails and keeps the customer", async () => {
    const { userId } = await billing.subscriber();
    const before = await stored(userId), url = await openPortal(userId);
    peer.setOtherAccount(true);
    await assert.rejects(openPortal(userId), REJECTED);
    assert.deepEqual(await stored(userId), before);
    peer.setOtherAccount(false);
    assert.equal(await openPortal(userId), url);
  });

  await step("a checkout fails and keeps its customer and session, which the right key returns", async () => {
    const { userId, session } = await billing.customer();
    const before = await stored(userId);
    peer.setOtherAccount(true);
    await assert.rejects(openCheckout(userId, { planCode: "pro" }), { status: 404, code: "resource_missing" });
    assert.deepEqual(await stored(userId), before);
    peer.setOtherAccount(false);
    assert.equal(await openCheckout(userId, { planCode: "pro" }), peer.sessions.get(session!)!.url);
    assert.equal(peer.sessionsOf(before.customer).length, 1);
  });

  await step("a checkout without a session fails and keeps its customer", async () => {
    const { id, userId, customer } = await billing.customer();
    await sql`select private.end_checkout_session(${id}, 1)`;
    const before = await stored(userId), customers = peer.customers.size;
    peer.setOtherAccount(true);
    await assert.rejects(openCheckout(userId, { planCode: "pro" }), REJECTED);
    assert.deepEqual(await stored(userId), before);
    peer.setOtherAccount(false);
    await openCheckout(userId, { planCode: "pro" });
    assert.deepEqual([(await subscriptionOf(userId)).customer, peer.customers.size], [customer, customers]);
  });

  await step("a customer counts as deleted by Stripe's word only, not while Stripe fails", async () => {
    const { userId, customer } = await billing.subscriber();
    const before = await stored(userId);
    peer.deleteCustomer(customer);
    peer.setFault(({ path }) => path.startsWith("/v1/customers/") ? "unauthorized" : undefined);
    await assert.rejects(openPortal(userId), { status: 401 });
    assert.deepEqual(await stored(userId), before);
    peer.setFault(() => undefined);
    await assert.rejects(openPortal(userId), { hint: "NO_BILLING_CUSTOMER" });
  });
});
