// reconcile_subscriptions: what lost events and dead letters leave wrong is right after its next run.
import assert from "node:assert/strict";
import { startBillingWorker } from "./billing_worker.ts";

Deno.test({ name: "reconcile_subscriptions", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBillingWorker();
  const { peer, sql, work, pause } = billing;
  const stepOf = billing.stepsOf(t);
  const step = (name: string, run: () => Promise<void>) =>
    stepOf(name, async () => {
      await sql`delete from private.subscriptions`;
      await run();
    });
  const account = async (userId: string) => ({
    ...(await sql`select plan_code as plan, subscription_status as status from public.billing_accounts
      where user_id = ${userId}`)[0],
  });
  const deadLetters = async () => (await sql`select from pgmq.q_billing_sync_dlq`).length;
  async function reconcile(): Promise<number> {
    const [{ enqueued }] = await sql<{ enqueued: number }[]>`select private.reconcile_subscriptions() as enqueued`;
    await billing.makeVisible();
    await work();
    return enqueued;
  }
  /** Lets Stripe reject all requests that change this subscription. */
  const rejectChanges = (subscription: { status: string }) =>
    peer.setFault(({ method }) => {
      subscription.status = method === "GET" ? "active" : "incomplete_expired";
      return undefined;
    });

  await step("the end of a subscription whose event was lost takes the plan", async () => {
    const { userId, subscription } = await billing.subscriber();
    peer.portalCancel(subscription, true);
    peer.endPeriod(subscription);
    assert.deepEqual(await account(userId), { plan: "pro", status: "active" });
    assert.equal(await reconcile(), 1);
    assert.deepEqual(await account(userId), { plan: "free", status: "canceled" });
  });

  await step("a payment whose events were lost gives the plan, until its session has expired", async () => {
    const { userId, session } = await billing.customer();
    const { userId: other } = await billing.customer();
    peer.completeCheckout(session!);
    assert.equal(await reconcile(), 2);
    assert.deepEqual([await account(userId), await account(other)], [
      { plan: "pro", status: "active" },
      { plan: "free", status: "none" },
    ]);
    await sql`update private.subscriptions set checkout_ends_at = now() - interval '1 hour'`;
    assert.equal(await reconcile(), 1); // the paid one
  });

  await step("a run after a dead letter makes Stripe agree, and leaves no dead letter", async () => {
    const { podcastId, subscription } = await billing.subscriber();
    await pause(podcastId);
    rejectChanges(subscription);
    await work();
    assert.equal(await deadLetters(), 1);
    await reconcile();
    assert.equal(await deadLetters(), 1); // the new one in place of the old one
    peer.setFault(() => undefined);
    subscription.status = "active";
    await reconcile();
    assert.deepEqual([await deadLetters(), subscription.pause_collection?.behavior], [0, "void"]);
  });

  await step("a deleted account whose cancellation became a dead letter is canceled by a later run", async () => {
    const { subscription, ...ids } = await billing.subscriber();
    await billing.deleteAccount(ids);
    rejectChanges(subscription);
    await work();
    assert.ok(await deadLetters() > 0);
    await sql`select pgmq.purge_queue('billing_sync_dlq')`; // an operator deletes it
    peer.setFault(() => undefined);
    subscription.status = "active";
    await reconcile();
    assert.equal(subscription.status, "canceled");
  });
});
