// The job billing_sync with a Stripe that fails: what is retried, with which keys, and what becomes a dead letter.
import assert from "node:assert/strict";
import { byScale } from "../scale.ts";
import { assertDelay } from "../wait_for.ts";
import { startBillingWorker } from "./billing_worker.ts";
import { STRIPE_KEY } from "./stripe_peer.ts";

Deno.test({ name: "billing_sync", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBillingWorker();
  const { peer, sql, work, deliver, waiting, makeVisible, updates, subscriber, pause, unpause, syncSubscription } =
    billing;
  const step = billing.stepsOf(t);

  await step("the worker voids and resumes collection with one request each", async () => {
    const { podcastId, subscription } = await subscriber();
    await pause(podcastId);
    await work();
    assert.deepEqual(subscription.pause_collection, { behavior: "void", resumes_at: null });
    await unpause(podcastId);
    await work();
    assert.equal(subscription.pause_collection, null);
    assert.deepEqual(updates().map(({ params }) => params), [
      { pause_collection: { behavior: "void" } },
      { pause_collection: "" },
    ]);
    const [first, second] = updates().map(({ key }) => key!);
    assert.match(first, /^castbase:[0-9a-f-]{36}:\d+:void_collection:sub_/);
    assert.notEqual(first, second);
  });

  await step("the worker retries after a 429 no earlier than its Retry-After", async () => {
    const { podcastId, subscription } = await subscriber(), began = Date.now();
    await pause(podcastId);
    peer.setFault(() => "rate_limit");
    await work();
    const [{ reads, seconds, error }, ...more] = await waiting();
    assert.deepEqual([reads, more.length], [1, 0]);
    assertDelay(seconds, 7, began);
    assert.match(error!, /^Stripe responded 429 rate_limit: Too many requests \(req_/);
    peer.setFault(() => undefined);
    await makeVisible();
    await work();
    assert.ok(subscription.pause_collection);
  });

  await step("the worker repeats a request whose response was lost with its key, and Stripe runs it once", async () => {
    const { podcastId, subscription } = await subscriber();
    await pause(podcastId);
    const metadata = peer.events.length;
    peer.setFault(({ method }) => method === "POST" ? "lost_after" : undefined);
    await work();
    assert.ok(subscription.pause_collection); // it was applied
    assert.equal((await waiting()).length, 1);
    peer.setFault(() => undefined);
    await makeVisible();
    await work();
    assert.deepEqual(await waiting(), []);
    assert.equal(new Set(updates().map(({ key }) => key)).size, 1);
    assert.equal(peer.events.length - metadata, 1);
  });

  await step("the worker uses a new key after Stripe saved an error for the last one", async () => {
    const { podcastId, subscription } = await subscriber();
    await pause(podcastId);
    peer.setFault(({ method }) => method === "POST" ? "error_before" : undefined);
    await work();
    assert.match((await waiting())[0].error!, /^Stripe responded 500 /);
    peer.setFault(() => undefined);
    await makeVisible();
    await work();
    assert.ok(subscription.pause_collection);
    assert.equal(new Set(updates().map(({ key }) => key)).size, 2);
  });

  await step("the worker keeps a message that Stripe cannot authorize", async () => {
    const { podcastId } = await subscriber();
    await pause(podcastId);
    peer.setFault(() => "unauthorized");
    await work();
    const [{ error }] = await waiting();
    assert.match(error!, /^Stripe responded 401 /);
    assert.ok(!error!.includes(STRIPE_KEY));
  });

  await step("a rejection that remains after another reading becomes a dead letter with Stripe's reason", async () => {
    const { podcastId, subscription } = await subscriber();
    await pause(podcastId);
    peer.setFault(({ method }) => {
      subscription.status = method === "POST" ? "canceled" : "active";
      return undefined;
    });
    await work();
    assert.deepEqual(await waiting(), []);
    const [{ message }] = await sql`select message from pgmq.q_billing_sync_dlq`;
    assert.match(message.error, /^Stripe responded 400 StripeInvalidRequestError: A canceled subscription .* \(req_/);
    assert.deepEqual([message.attempts, updates().length], [1, 2]);
  });

  await step("the worker takes a customer that was deleted at Stripe for one without subscriptions", async () => {
    const { userId, id, customer } = await subscriber();
    peer.deleteCustomer(customer);
    await sql`select private.enqueue_billing_sync(${id})`;
    await work();
    assert.deepEqual(await waiting(), []);
    assert.equal((await sql`select from pgmq.q_billing_sync_dlq`).length, 0);
    const [account] = await sql`select plan_code as plan, subscription_status as status
      from public.billing_accounts where user_id = ${userId}`;
    assert.deepEqual({ ...account }, { plan: "free", status: "none" });
  });

  await step("the worker repairs a drift once, and its own events end in no further request", async () => {
    const { podcastId, subscription } = await subscriber();
    await pause(podcastId);
    await work();
    peer.drift(subscription);
    assert.equal(subscription.pause_collection, null);
    await deliver();
    await work();
    assert.ok(subscription.pause_collection);
    const count = updates().length;
    for (let round = 0; round < 3; round++) {
      await deliver();
      await work();
    }
    assert.deepEqual([updates().length, peer.events.length, (await waiting()).length], [count, 0, 0]);
  });

  await step("synchronizations at once agree with Stripe by one update", async () => {
    for (let round = 0; round < byScale(5, 40); round++) {
      const { podcastId, id, subscription } = await subscriber();
      await pause(podcastId);
      const before = peer.events.length;
      await Promise.all(Array.from({ length: 4 }, () => syncSubscription(id).catch(() => {}))); // some meet the lock
      await syncSubscription(id);
      assert.ok(subscription.pause_collection);
      assert.equal(peer.events.length - before, 1);
    }
  });

  await step("pausing and unpausing during synchronizations leaves Stripe as desired", async () => {
    const { podcastId, id, subscription } = await subscriber();
    for (let round = 0; round < byScale(8, 60); round++) {
      const isPaused = round % 2 === 0;
      await Promise.all([
        isPaused ? pause(podcastId) : unpause(podcastId),
        syncSubscription(id).catch(() => {}),
        syncSubscription(id).catch(() => {}),
      ]);
      await makeVisible();
      await work();
      assert.equal(!!subscription.pause_collection, isPaused);
    }
  });

  await step("the worker gives up waiting for a response, and the next run finds the change", async () => {
    const { podcastId, subscription } = await subscriber();
    await pause(podcastId);
    peer.setFault(({ method }) => method === "POST" ? "hang_after" : undefined);
    await work();
    assert.match((await waiting())[0].error!, /did not respond: Request aborted due to timeout/);
    peer.setFault(() => undefined);
    await makeVisible();
    await work();
    assert.ok(subscription.pause_collection);
    assert.deepEqual(await waiting(), []);
  }, byScale(1, 0) === 1); // takes the client's own time limit, twice
});
