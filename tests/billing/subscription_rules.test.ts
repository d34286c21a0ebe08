// What billing_sync makes of the subscriptions of a customer, beside what customers and operators do at Stripe.
import assert from "node:assert/strict";
import { RequeueJob } from "../../functions/runtime/job_run.ts";
import { startBillingWorker } from "./billing_worker.ts";
import { runUntil } from "../worker/run_until.ts";

Deno.test({ name: "subscriptions of a customer", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBillingWorker();
  const { peer, sql, work, deliver, customer, subscriber, copySession, setStatus, deleteAccount } = billing;
  const { waiting, actions } = billing;
  const step = billing.stepsOf(t);
  const deadLetters = async () => (await sql`select from pgmq.q_billing_sync_dlq`).length;
  const assertSettled = async () => assert.deepEqual([(await waiting()).length, await deadLetters()], [0, 0]);
  const account = async (userId: string) => {
    const [row] = await sql`select plan_code as plan, subscription_status as status
      from public.billing_accounts where user_id = ${userId}`;
    return `${row.plan} ${row.status}`;
  };
  /** The customer acts between a reading of the worker and its first request with this path. */
  function actBefore(path: RegExp, act: () => unknown) {
    let isDone = false;
    peer.setFault((request) => {
      if (request.method === "POST" && path.test(request.path) && !isDone) {
        isDone = true;
        assert.ok(act());
      }
      return undefined;
    });
  }

  await step("deleting an account cancels its subscription at once and expires its open session", async () => {
    const paid = await subscriber();
    await deleteAccount(paid);
    await work();
    assert.deepEqual([paid.subscription.status, paid.subscription.cancel_at_period_end], ["canceled", false]);
    assert.equal((await sql`select from private.subscriptions where id = ${paid.id} and user_id is null`).length, 1);

    const unpaid = await customer();
    await deleteAccount(unpaid);
    await work();
    assert.equal(peer.sessions.get(unpaid.session!)!.status, "expired");
    assert.deepEqual(peer.subscriptionsOf(unpaid.customer), []);
  });

  await step("the worker cancels for a deleted account while Stripe does not expire its session", async () => {
    const paid = await subscriber();
    const session = copySession(paid.customer);
    peer.payingIds.add(session);
    await deleteAccount(paid);
    await work();
    assert.equal(paid.subscription.status, "canceled");
    assert.ok((await waiting()).length > 0);
    peer.payingIds.delete(session);
    const late = peer.completeCheckout(session);
    peer.events.length = 0;
    await billing.makeVisible();
    await work();
    assert.equal(late.status, "canceled");
    await assertSettled();
  });

  await step("the worker cancels what is paid while it expires the sessions of a deleted account", async () => {
    const unpaid = await customer();
    await deleteAccount(unpaid);
    peer.setFault(({ method, path }) => {
      const { status } = peer.sessions.get(unpaid.session!)!;
      if (method === "GET" && path.endsWith("/sessions") && status === "open") peer.completeCheckout(unpaid.session!);
      return undefined;
    });
    await work();
    assert.deepEqual(peer.subscriptionsOf(unpaid.customer).map(({ status }) => status), ["canceled"]);
    await assertSettled();
  });

  await step("a payment that completes after its account was deleted is canceled", async () => {
    const late = await customer();
    await deleteAccount(late);
    const subscription = peer.completeCheckout(late.session!); // before the worker ran
    await deliver();
    await work();
    assert.equal(subscription.status, "canceled");
  });

  await step("the worker voids, cancels and ends each of two paid subscriptions", async () => {
    const paying = await subscriber();
    const both = [paying.subscription, peer.completeCheckout(copySession(paying.customer))];
    await setStatus(paying.podcastId, "paused");
    await work();
    assert.deepEqual(both.map((one) => one.pause_collection?.behavior), ["void", "void"]);
    await setStatus(paying.podcastId, "pending_deletion");
    await work();
    assert.deepEqual(both.map((one) => [one.pause_collection, one.cancel_at_period_end]), [[null, true], [null, true]]);
    await deleteAccount(paying);
    await work();
    assert.deepEqual(both.map(({ status }) => status), ["canceled", "canceled"]);
    await assertSettled();
  });

  await step("the worker ends an incomplete subscription beside a paid one", async () => {
    const paying = await subscriber();
    const incomplete = peer.failCheckout(copySession(paying.customer));
    await deliver();
    await work();
    assert.deepEqual([incomplete.status, paying.subscription.status], ["incomplete_expired", "active"]);
    assert.equal(peer.payFirstInvoice(incomplete), false);
    assert.equal(await account(paying.userId), "pro active");
    await assertSettled();
  });

  await step("the worker keeps a subscription that is paid while it ends it", async () => {
    const paying = await subscriber();
    const second = peer.failCheckout(copySession(paying.customer));
    actBefore(/void$/, () => peer.payFirstInvoice(second));
    await deliver();
    await work();
    assert.deepEqual([second.status, paying.subscription.status], ["active", "active"]);
    await assertSettled();
  });

  await step("the worker leaves a single incomplete subscription to its customer", async () => {
    const paying = await customer();
    const incomplete = peer.failCheckout(paying.session!);
    await deliver();
    await work();
    assert.deepEqual([incomplete.status, await account(paying.userId)], ["incomplete", "free incomplete"]);
    assert.ok(peer.payFirstInvoice(incomplete));
    await deliver();
    await work();
    assert.equal(await account(paying.userId), "pro active");
  });

  for (const isFlexible of [false, true]) {
    const mode = isFlexible ? "flexible" : "classic";
    await step(`a cancellation in ${mode} mode between reading and request stays the customer's`, async () => {
      const { podcastId, subscription } = await subscriber();
      await setStatus(podcastId, "pending_deletion");
      actBefore(/subscriptions/, () => peer.portalCancel(subscription, isFlexible));
      await work();
      assert.equal(subscription.metadata.castbase_cancellation, "podcasts_closed");
      await deliver();
      await work();
      await setStatus(podcastId, "active");
      await work();
      assert.ok(subscription.cancel_at);
      await assertSettled();
    });
  }

  await step("the worker withdraws its cancellation of one subscription beside the customer's of another", async () => {
    const { customer, podcastId, subscription } = await subscriber();
    const other = peer.operatorSubscribes(customer, "price_pro", true);
    await setStatus(podcastId, "pending_deletion");
    await work();
    assert.ok(subscription.cancel_at_period_end && other.cancel_at_period_end);
    // the mark of this closing stands on both
    assert.ok(peer.portalRenew(other) && peer.portalCancel(other, false));
    await deliver();
    await work();
    await setStatus(podcastId, "active");
    await work();
    assert.deepEqual([subscription.cancel_at_period_end, other.cancel_at_period_end], [false, true]);
    await assertSettled();
  });

  await step("the worker withdraws its cancellation, and removes the mark in a request of its own", async () => {
    const { podcastId, subscription } = await subscriber();
    await setStatus(podcastId, "pending_deletion");
    await work();
    subscription.cancel_at_period_end = false; // as flexible billing mode stores it
    await setStatus(podcastId, "active");
    peer.setFault(({ params }) => params.cancel_at === "" ? "error_before" : undefined);
    await work();
    assert.ok(subscription.metadata.castbase_cancellation);
    peer.setFault(() => undefined);
    await billing.makeVisible();
    await work();
    assert.equal(subscription.cancel_at, null);
    assert.deepEqual(Object.keys(subscription.metadata), ["castbase_subscription", "castbase_plan"]);
    assert.deepEqual(actions().filter((name, n, all) => name !== all[n - 1]), [
      "schedule_cancellation",
      "withdraw_cancellation",
      "remove_mark",
    ]);
  });

  await step("the worker voids collection under a schedule, and releases it before a cancellation", async () => {
    const { podcastId, subscription } = await subscriber();
    assert.ok(peer.portalDowngrade(subscription, "price_small"));
    await setStatus(podcastId, "paused");
    await work();
    assert.ok(subscription.pause_collection && subscription.schedule);
    await setStatus(podcastId, "pending_deletion");
    await work();
    assert.ok(subscription.cancel_at && !subscription.pause_collection && !subscription.schedule);
    assert.deepEqual(actions(), [
      "void_collection",
      "resume_collection",
      "release_schedule",
      "schedule_cancellation",
    ]);
    await assertSettled();
  });

  await step("the worker cancels a subscription that a schedule begins to manage after the reading", async () => {
    const { podcastId, subscription } = await subscriber();
    await setStatus(podcastId, "pending_deletion");
    actBefore(/subscriptions/, () => peer.portalDowngrade(subscription, "price_small"));
    await work();
    assert.ok(subscription.cancel_at && !subscription.schedule);
    await assertSettled();
  });

  await step("the worker keeps a pause by the operator until the operator ends it", async () => {
    const { podcastId, subscription } = await subscriber();
    peer.drift(subscription, "keep_as_draft");
    await setStatus(podcastId, "paused");
    await work();
    assert.deepEqual([subscription.pause_collection!.behavior, actions()], ["keep_as_draft", []]);
    peer.drift(subscription);
    await deliver();
    await work();
    assert.equal(subscription.pause_collection!.behavior, "void");
  });

  await step("the worker ends a run whose readings stay older than a stored one", async () => {
    const { id } = await subscriber();
    await sql`update private.subscriptions set observed_at = now() + interval '1 hour' where id = ${id}`;
    peer.setFault(() => peer.requests.length > 50 ? "unauthorized" : undefined);
    await assert.rejects(billing.syncSubscription(id), {
      status: 503,
      message: "Stripe still differs from the desired state; try again",
    });
    assert.equal(peer.requests.length, 16);
  });

  await step("the worker ends a run at its deadline, and the next run continues", async () => {
    const { id, podcastId, subscription } = await subscriber();
    await setStatus(podcastId, "paused");
    const run = billing.syncBillingJob.run([{ subscription_id: id }], runUntil(Date.now()));
    await assert.rejects(run, RequeueJob);
    assert.deepEqual(actions(), ["void_collection"]);
    assert.ok(subscription.pause_collection);
    await work();
    assert.deepEqual(actions(), ["void_collection"]);
    await assertSettled();
  });
});
