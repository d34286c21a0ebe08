// What a pause erases: the time from a renewal to the end of the pause, and nothing else. The rest is invoiced.
import assert from "node:assert/strict";
import { startBillingWorker } from "./billing_worker.ts";
import { DAY, now, termsOf } from "./stripe_account.ts";
import type { Fault, Subscription } from "./stripe_peer.ts";

const HOUR = 3600;

Deno.test({ name: "pauses around renewals", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBillingWorker();
  const { peer, sql, work, deliver, setStatus, actions, waiting, passTime } = billing;
  const step = billing.stepsOf(t);

  /** A subscriber some seconds before a renewal: 30 minutes, by default. */
  async function beforeRenewal(price = "price_pro_year", seconds = HOUR / 2) {
    const made = await billing.subscriber();
    if (price !== "price_pro") peer.portalChangePlan(made.subscription, price);
    await passTime(made.customer, made.subscription.items.data[0].current_period_end - now() - seconds);
    await deliver();
    await work();
    peer.requests.length = 0;
    return made;
  }

  /** A subscriber whose period was renewed during a pause that continues. */
  async function renewedInPause(price?: string) {
    const made = await beforeRenewal(price);
    await setStatus(made.podcastId, "paused");
    await work();
    await passTime(made.customer, HOUR);
    await deliver();
    await work();
    assert.equal(latest(made.subscription).status, "void");
    peer.requests.length = 0;
    return made;
  }

  const latest = ({ latest_invoice: id }: Subscription) => peer.invoices.get(id)!;
  const invoicesOf = (subscription: Subscription) =>
    peer.periods.filter((one) => one.subscription === subscription.id).map(({ invoice }) => invoice);
  /** The time of a subscription that no invoice covers, in seconds: until the end of its current period. */
  function erased(subscription: Subscription) {
    const own = peer.periods.filter((one) => one.subscription === subscription.id);
    const end = Math.max(...own.map(({ to }) => to));
    let at = own[0].from, free = 0;
    for (const { from, to } of own.filter(({ invoice }) => invoice.status !== "void")) {
      assert.ok(from >= at, "no time is invoiced twice");
      free += from - at;
      at = to;
    }
    return free + Math.max(end - at, 0);
  }
  const assertNear = (actual: number, expected: number) =>
    assert.ok(Math.abs(actual - expected) <= 5, `${actual} is not ${expected}`); // the test itself takes seconds
  const lastAction = () => actions().at(-1);

  for (const price of ["price_pro", "price_pro_year"]) {
    await step(`a pause of one hour around a renewal of ${price} erases the half hour after the renewal`, async () => {
      const { podcastId, subscription } = await renewedInPause(price);
      await setStatus(podcastId, "active");
      await work();
      assert.deepEqual(actions(), ["resume_collection", "restart_period"]);
      assertNear(erased(subscription), HOUR / 2);
      const { amount_due, status, billing_reason } = latest(subscription), { amount, seconds } = termsOf(price);
      assert.deepEqual([amount_due, status, billing_reason], [amount, "paid", "subscription_update"]);
      const [{ current_period_start: start, current_period_end: end }] = subscription.items.data;
      assert.equal(end - start, seconds);
      await deliver();
      await work();
      assert.deepEqual([actions().length, (await waiting()).length], [2, 0]);
    });
  }

  await step("a pause within a period erases nothing", async () => {
    const { podcastId, customer, subscription } = await beforeRenewal("price_pro_year", 100 * DAY);
    await setStatus(podcastId, "paused");
    await work();
    await passTime(customer, 90 * DAY);
    await setStatus(podcastId, "active");
    await work();
    assert.deepEqual([actions(), erased(subscription)], [["void_collection", "resume_collection"], 0]);
  });

  await step("a pause of 90 days over three monthly renewals erases the time after the first", async () => {
    const { podcastId, customer, subscription } = await beforeRenewal("price_pro", DAY);
    await setStatus(podcastId, "paused");
    await work();
    await passTime(customer, 90 * DAY);
    await setStatus(podcastId, "active");
    await work();
    assertNear(erased(subscription), 89 * DAY);
    assert.equal(invoicesOf(subscription).filter(({ status }) => status === "void").length, 3);
  });

  for (const isFlexible of [false, true]) {
    const mode = isFlexible ? "flexible" : "classic";
    await step(`a subscription canceled in ${mode} mode after a renewal in the pause ends with the pause`, async () => {
      const { podcastId, subscription } = await renewedInPause();
      assert.ok(peer.portalCancel(subscription, isFlexible));
      await deliver();
      await work();
      assert.equal(subscription.status, "active");
      const count = invoicesOf(subscription).length;
      await setStatus(podcastId, "active");
      await work();
      assert.deepEqual([subscription.status, invoicesOf(subscription).length], ["canceled", count]);
    });

    await step(`a subscription canceled in ${mode} mode in a paid period keeps running until its end`, async () => {
      const { podcastId, customer, subscription } = await beforeRenewal("price_pro", 10 * DAY);
      await setStatus(podcastId, "paused");
      await work();
      assert.ok(peer.portalCancel(subscription, isFlexible));
      await setStatus(podcastId, "active");
      await work();
      assert.deepEqual([subscription.status, lastAction()], ["active", "resume_collection"]);
      await passTime(customer, 10 * DAY);
      assert.deepEqual([subscription.status, erased(subscription)], ["canceled", 0]);
    });
  }

  await step("closing the last podcast in a pause charges nothing, and reopening it invoices the rest", async () => {
    const { podcastId, customer, subscription } = await renewedInPause();
    await setStatus(podcastId, "pending_deletion");
    await work();
    assert.deepEqual(actions(), ["resume_collection", "schedule_cancellation"]);
    await deliver();
    await passTime(customer, 9 * DAY);
    await work();
    assert.equal(latest(subscription).status, "void");
    await setStatus(podcastId, "active");
    await work();
    assert.deepEqual(actions().slice(2), ["withdraw_cancellation", "remove_mark", "restart_period"]);
    assertNear(erased(subscription), 9 * DAY + HOUR / 2);
  });

  for (const price of ["price_big_year", "price_small_year"]) {
    await step(`a change to ${price} in a period that was not paid costs its price after the pause`, async () => {
      const { customer, podcastId, subscription } = await renewedInPause();
      peer.portalChangePlan(subscription, price, "create_prorations");
      peer.operatorCharges(customer, 7_00);
      await setStatus(podcastId, "active");
      await work();
      assert.equal(latest(subscription).amount_due, termsOf(price).amount + 7_00);
      assert.equal(lastAction(), "restart_period");
    });
  }

  await step("prorations are removed although each response is lost", async () => {
    const { podcastId, subscription } = await renewedInPause();
    peer.portalChangePlan(subscription, "price_big_year", "create_prorations");
    await setStatus(podcastId, "active");
    let isLost = false;
    peer.setFault(({ path }) => path.includes("/invoiceitems") && (isLost = !isLost) ? "lost_after" : undefined);
    await work();
    assert.deepEqual([await waiting(), latest(subscription).amount_due], [[], 200_00]);
  });

  for (const fault of [undefined, "lost_after", "lost_before", "error_after"] as const) {
    await step(`a period is restarted with the price that a schedule has for the next one: ${fault}`, async () => {
      const { podcastId, subscription } = await renewedInPause();
      assert.ok(peer.portalDowngrade(subscription, "price_small_year"));
      await setStatus(podcastId, "active");
      const failed = new Set<string>(); // the client tries twice
      peer.setFault(({ method, key }) => {
        if (method === "GET" || failed.has(key!)) return undefined;
        failed.add(key!);
        return fault;
      });
      for (let runs = 0; runs < 6; runs++) {
        await work();
        await billing.makeVisible();
      }
      if (!fault) {
        const wanted = ["resume_collection", "store_scheduled_price", "release_schedule", "restart_period"];
        assert.deepEqual(actions(), wanted);
      }
      const { items: { data: [{ price }] }, schedule, metadata } = subscription;
      assert.deepEqual([latest(subscription).amount_due, price.id, schedule], [50_00, "price_small_year", null]);
      assert.equal(metadata.castbase_scheduled_price, undefined);
      assertNear(erased(subscription), HOUR / 2);
    });
  }

  await step("a subscription that is past due is restarted, and one that is unpaid when it is paid again", async () => {
    for (const status of ["past_due", "unpaid"]) {
      const { podcastId, subscription } = await renewedInPause();
      peer.setStatus(subscription, status);
      await setStatus(podcastId, "active");
      await work();
      assert.equal(lastAction(), status === "past_due" ? "restart_period" : "resume_collection");
      if (status === "past_due") continue;
      peer.setStatus(subscription, "active");
      await deliver();
      await work();
      assert.equal(lastAction(), "restart_period");
    }
  });

  await step("an invoice that the operator voids before or after a pause restarts no period", async () => {
    const { podcastId, customer, subscription } = await beforeRenewal("price_pro", DAY);
    peer.setStatus(subscription, "past_due");
    await setStatus(podcastId, "paused");
    await work();
    assert.ok(peer.operatorVoids(latest(subscription)));
    await setStatus(podcastId, "active");
    await work();
    assert.equal(lastAction(), "resume_collection");
    await passTime(customer, DAY); // the renewal fails
    await deliver();
    await work();
    assert.ok(peer.operatorVoids(latest(subscription)));
    await deliver();
    await sql`select private.enqueue_billing_sync(id) from private.subscriptions where stripe_customer_id = ${customer}`;
    await work();
    assert.deepEqual(actions(), ["void_collection", "resume_collection"]);
  });

  await step("the operator's pause of another subscription keeps no pause of ours", async () => {
    const { podcastId, customer, subscription } = await beforeRenewal("price_pro", DAY);
    peer.drift(peer.operatorSubscribes(customer, "price_pro_year", true), "keep_as_draft");
    await setStatus(podcastId, "paused");
    await work();
    await setStatus(podcastId, "active");
    await deliver();
    await work();
    peer.setStatus(subscription, "past_due");
    await passTime(customer, 2 * DAY); // the renewal fails
    assert.ok(peer.operatorVoids(latest(subscription)));
    await deliver();
    await work();
    assert.deepEqual([latest(subscription).status, actions().includes("restart_period")], ["void", false]);
  });

  await step("the operator's pause is kept, and the period is restarted after it", async () => {
    const { podcastId, subscription } = await renewedInPause();
    peer.drift(subscription);
    peer.drift(subscription, "keep_as_draft");
    await setStatus(podcastId, "active");
    await work();
    assert.deepEqual(actions(), []);
    peer.drift(subscription);
    await deliver();
    await work();
    assert.deepEqual(actions(), ["restart_period"]);
  });

  const faults: Fault[] = ["lost_before", "lost_after", "error_before", "error_after", "rate_limit", "gateway_after"];
  for (const fault of faults) {
    await step(`a period is restarted once although the response is ${fault}`, async () => {
      const { podcastId, subscription } = await renewedInPause();
      await setStatus(podcastId, "active");
      let faulty = 2; // the client tries twice
      peer.setFault(({ params }) => params.billing_cycle_anchor && faulty-- > 0 ? fault : undefined);
      for (let runs = 0; runs < 3; runs++) {
        await work();
        await billing.makeVisible();
      }
      assert.deepEqual(await waiting(), []);
      assert.deepEqual(invoicesOf(subscription).map(({ status }) => status).slice(-2), ["void", "paid"]);
      assertNear(erased(subscription), HOUR / 2);
    });
  }

  await step("a reading of before a restart that is recorded after its answer does not charge again", async () => {
    const { id, podcastId, subscription } = await renewedInPause();
    await setStatus(podcastId, "active");
    let stale: { at: string; subscriptions: string } | undefined;
    peer.setFault(({ method, params }) => {
      if (params.billing_cycle_anchor) {
        const subscriptions = JSON.stringify([{ ...subscription, latest_invoice: latest(subscription) }]);
        stale = { at: new Date().toISOString(), subscriptions };
      }
      return stale && method === "GET" ? "unavailable_before" : undefined; // the worker does not read again
    });
    await work();
    assert.equal(lastAction(), "restart_period");
    const [{ request }] = await sql`select private.record_stripe_reading(
      ${id}, ${stale!.subscriptions}::text::jsonb, ${stale!.at}) as request`;
    assert.deepEqual(request, { action: "read_again" });
  });

  await step("a renewal that a late void of a settled pause erased is invoiced", async () => {
    const { podcastId, customer, subscription } = await beforeRenewal("price_pro", DAY);
    await setStatus(podcastId, "paused");
    peer.setFault(({ params }) => params.pause_collection ? "late" : undefined);
    await work();
    peer.setFault(() => undefined);
    await setStatus(podcastId, "active");
    await billing.makeVisible();
    await work();
    assert.equal(subscription.pause_collection, null);
    peer.runLate();
    await passTime(customer, DAY + HOUR);
    assert.equal(latest(subscription).status, "void");
    await deliver();
    await work();
    assert.deepEqual(actions().slice(-2), ["resume_collection", "restart_period"]);
    assertNear(erased(subscription), HOUR);
  });

  await step("a restart that Stripe runs late, after a second pause, does not charge again", async () => {
    const { podcastId, subscription } = await renewedInPause();
    await setStatus(podcastId, "active");
    peer.setFault(({ params }) => params.billing_cycle_anchor ? "late" : undefined);
    await work();
    peer.setFault(() => undefined);
    await setStatus(podcastId, "paused");
    await billing.makeVisible();
    await work();
    await setStatus(podcastId, "active");
    await work();
    peer.runLate();
    await billing.makeVisible();
    await work();
    assert.deepEqual(invoicesOf(subscription).slice(-2).map(({ status }) => status), ["void", "paid"]);
    assertNear(erased(subscription), HOUR / 2);
  });
});
