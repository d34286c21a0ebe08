// Checkout and portal with a Stripe that forgot a customer, keeps a session open, or fails.
import assert from "node:assert/strict";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { startBillingWorker } from "./billing_worker.ts";

Deno.test({ name: "checkout and portal", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBillingWorker();
  const { peer, sql, openCheckout, openPortal, subscriptionOf } = billing;
  await sql`insert into public.plans (code, name, is_paid, storage_gb_per_account) values ('studio', 'Studio', true, 500)`;
  await sql`select private.offer_plan_price('price_studio', 'studio', 'month', 'eur')`;
  const step = billing.stepsOf(t);
  const open = (customer: string) => peer.sessionsOf(customer).filter(({ status }) => status === "open");

  await step("a checkout makes another customer after its customer was deleted at Stripe", async () => {
    const { userId, customer, session } = await billing.customer();
    peer.deleteCustomer(customer);
    const url = await openCheckout(userId, { planCode: "pro" });
    const next = await subscriptionOf(userId);
    assert.notEqual(next.customer, customer);
    assert.deepEqual([open(customer), open(next.customer).map((one) => one.url)], [[], [url]]);
    assert.notEqual(next.session, session);
  });

  await step("a checkout does not return a session whose customer was deleted at Stripe", async () => {
    const { userId, customer, session } = await billing.customer();
    peer.deleteCustomer(customer);
    peer.sessions.get(session!)!.status = "open";
    await openCheckout(userId, { planCode: "pro" });
    assert.notEqual((await subscriptionOf(userId)).customer, customer);
  });

  await step("the portal of a deleted customer returns 409 NO_BILLING_CUSTOMER, and a checkout follows", async () => {
    const { userId, customer } = await billing.subscriber();
    peer.deleteCustomer(customer); // and its event is lost
    await assert.rejects(openPortal(userId), { hint: "NO_BILLING_CUSTOMER" });
    const [account] = await sql`select plan_code as plan, subscription_status as status
      from public.billing_accounts where user_id = ${userId}`;
    assert.deepEqual({ ...account }, { plan: "free", status: "none" });
    await openCheckout(userId, { planCode: "pro" });
    assert.equal(
      await openPortal(userId),
      `https://billing.stripe.test/${(await subscriptionOf(userId)).customer}`,
    );
  });

  await step("concurrent checkouts of a deleted customer make one customer and one open session", async () => {
    const { userId, customer } = await billing.customer();
    peer.deleteCustomer(customer);
    const customers = peer.customers.size;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => openCheckout(userId, { planCode: "pro" })),
    );
    const urls = new Set(outcomes.flatMap((one) => one.status === "fulfilled" ? [one.value] : []));
    assert.deepEqual([urls.size, peer.customers.size - customers], [1, 1]);
    assert.equal(open((await subscriptionOf(userId)).customer).length, 1);
  });

  await step("a checkout opens no second session while Stripe does not expire the first one", async () => {
    const { userId, customer, session } = await billing.customer();
    peer.payingIds.add(session!);
    await assert.rejects(openCheckout(userId, { planCode: "studio" }), {
      status: 503,
      message: "An earlier checkout of this account is in progress; try again",
    });
    assert.deepEqual(open(customer).map(({ id }) => id), [session]);
    peer.payingIds.delete(session!);
    await openCheckout(userId, { planCode: "studio" });
    assert.deepEqual(open(customer).map(({ price }) => price), ["price_studio"]);
  });

  const planOf = async (userId: string) => {
    const [{ plan }] = await sql`select plan_code as plan from public.billing_accounts where user_id = ${userId}`;
    return plan;
  };
  const offer = async (id: string, planCode = "pro", interval = "month") =>
    await sql`select private.offer_plan_price(${id}, ${planCode}, ${interval}, 'eur')`;

  await step(
    "a checkout expires a session whose price is no longer offered, and opens one with the offer",
    async () => {
      const { userId, customer } = await billing.customer();
      await offer("price_pro_2027");
      const url = await openCheckout(userId, { planCode: "pro" });
      assert.deepEqual(peer.sessionsOf(customer).map(({ status, price }) => [status, price]), [
        ["expired", "price_pro"],
        ["open", "price_pro_2027"],
      ]);
      assert.equal(await openCheckout(userId, { planCode: "pro" }), url);
      await offer("price_pro");
    },
  );

  await step("a session that is paid after its offer was withdrawn gives its plan, through every status", async () => {
    const { userId, session } = await billing.customer();
    await offer("price_pro_2027");
    const subscription = peer.completeCheckout(session!);
    await billing.deliver();
    await billing.work();
    assert.equal(await planOf(userId), "pro");
    const plans: Record<string, string> = {};
    for (const status of ["past_due", "unpaid", "active"]) {
      peer.setStatus(subscription, status);
      await billing.deliver();
      await billing.work();
      plans[status] = await planOf(userId);
    }
    assert.deepEqual(plans, { past_due: "pro", unpaid: "free", active: "pro" });
    await assert.rejects(openCheckout(userId, { planCode: "pro" }), { hint: "PLAN_ALREADY_HELD" });
    await offer("price_pro");
  });

  await step("a checkout with another interval replaces the open session of the same plan", async () => {
    const { userId, customer } = await billing.customer();
    await offer("price_pro_year", "pro", "year");
    await assert.rejects(openCheckout(userId, { planCode: "pro" }), { hint: "PRICE_AMBIGUOUS" });
    await openCheckout(userId, { planCode: "pro", interval: "year" });
    assert.deepEqual(open(customer).map(({ price }) => price), ["price_pro_year"]);
    await sql`update public.plan_prices set is_offered = false where stripe_price_id = 'price_pro_year'`;
  });

  await step("an unknown price keeps the plan of the checkout, and is compared again when it is known", async () => {
    const { userId, session } = await billing.customer();
    const subscription = peer.completeCheckout(session!);
    peer.portalChangePlan(subscription, "price_unwritten");
    await billing.deliver();
    await billing.work();
    const unknown = () => sql`select stripe_price_id, example_subscription_id from private.unknown_prices`;
    assert.equal(await planOf(userId), "pro");
    assert.deepEqual([...await unknown()].map((row) => ({ ...row })), [
      { stripe_price_id: "price_unwritten", example_subscription_id: subscription.id },
    ]);
    await sql`insert into public.plan_prices (stripe_price_id, plan_code, interval, currency, is_offered)
      values ('price_unwritten', 'studio', 'year', 'usd', false)`;
    assert.equal(await planOf(userId), "pro");
    await billing.work();
    assert.equal(await planOf(userId), "studio");
    assert.deepEqual([...await unknown()], []);
  });

  const setTerms = async (tax: string, codes: string, days: string) =>
    await sql`select private.set_setting('checkout_automatic_tax', ${tax}),
      private.set_setting('checkout_promotion_codes', ${codes}), private.set_setting('checkout_trial_days', ${days})`;
  const opened = () => peer.requests.findLast(({ method, path }) => method === "POST" && path.endsWith("/sessions"))!;

  await step("a checkout has promotion codes, taxes with tax ids, and a trial by setting", async () => {
    await setTerms("on", "on", "14");
    const { id, userId, session } = await billing.customer();
    const { params } = opened();
    assert.deepEqual([params.allow_promotion_codes, params.automatic_tax, params.tax_id_collection], [
      "true",
      { enabled: "true" },
      { enabled: "true" },
    ]);
    assert.deepEqual(params.customer_update, { address: "auto", name: "auto" });
    assert.deepEqual(params.subscription_data, {
      metadata: { castbase_subscription: id, castbase_plan: "pro" },
      trial_period_days: "14",
    });
    const subscription = peer.completeCheckout(session!);
    assert.deepEqual([subscription.status, peer.sessions.get(session!)!.payment_status], [
      "trialing",
      "no_payment_required",
    ]);
    await billing.deliver();
    await billing.work();
    assert.equal(await planOf(userId), "pro");
    await setTerms("off", "off", "0");
  });

  await step("an account has no second trial, also after its customer was deleted", async () => {
    await setTerms("off", "off", "14");
    const { userId, customer, session } = await billing.customer();
    const subscription = peer.completeCheckout(session!);
    peer.portalCancel(subscription, true);
    peer.endPeriod(subscription); // and all events are lost
    peer.events.length = 0;
    await openCheckout(userId, { planCode: "pro" });
    assert.equal((opened().params.subscription_data as Record<string, unknown>).trial_period_days, undefined);
    peer.deleteCustomer(customer);
    await openCheckout(userId, { planCode: "pro" });
    const next = await subscriptionOf(userId);
    assert.notEqual(next.customer, customer);
    assert.equal(peer.completeCheckout(next.session!).status, "active");
    await setTerms("off", "off", "0");
  });

  await step("a failed first payment does not end the right to a trial", async () => {
    const { userId, session } = await billing.customer();
    peer.failCheckout(session!);
    await setTerms("off", "off", "14");
    await openCheckout(userId, { planCode: "pro" });
    const next = await subscriptionOf(userId);
    assert.equal(peer.completeCheckout(next.session!).status, "trialing");
    await setTerms("off", "off", "0");
  });

  await step("a checkout whose settings change after a lost response sends a request with another key", async () => {
    const { userId, customer, id } = await billing.customer();
    await sql`select private.end_checkout_session(${id}, 1)`;
    peer.setFault(({ method, path }) => method === "POST" && path.endsWith("/sessions") ? "lost_after" : undefined);
    await assert.rejects(openCheckout(userId, { planCode: "pro" }));
    const { key } = opened();
    peer.setFault(() => undefined);
    await setTerms("off", "on", "0");
    const url = await openCheckout(userId, { planCode: "pro" });
    assert.notEqual(opened().key, key);
    assert.equal(peer.sessions.get((await subscriptionOf(userId)).session!)!.url, url);
    assert.equal(peer.sessionsOf(customer).at(-1)!.allow_promotion_codes, true);
    await setTerms("off", "off", "0");
  });

  await step("a checkout returns 409 if its session is paid while it is to be expired", async () => {
    const { userId, customer, session } = await billing.customer();
    peer.setFault(({ path }) => {
      if (path.endsWith("/expire")) peer.completeCheckout(session!);
      return undefined;
    });
    await assert.rejects(openCheckout(userId, { planCode: "studio" }), { hint: "PLAN_ALREADY_HELD" });
    assert.equal(peer.sessionsOf(customer).length, 1);
  });

  await step("the worker retries for a deleted account until Stripe expires its session", async () => {
    const { session, ...account } = await billing.customer();
    await billing.deleteAccount(account);
    peer.payingIds.add(session!);
    await billing.work();
    const [{ error }] = await billing.waiting();
    assert.match(error!, /^An earlier checkout .* \(Stripe responded 400 StripeInvalidRequestError: Only Checkout /);
    peer.payingIds.delete(session!);
    await billing.makeVisible();
    await billing.work();
    assert.deepEqual([await billing.waiting(), peer.sessions.get(session!)!.status], [[], "expired"]);
  });

  await step("a checkout returns 409 if a reading finds a plan and a request after it fails", async () => {
    const { userId, session, podcastId } = await billing.customer();
    await billing.pause(podcastId);
    peer.completeCheckout(session!);
    peer.setFault(({ method, path }) =>
      method === "POST" && path.includes("/subscriptions/") ? "unavailable_before" : undefined
    );
    await assert.rejects(openCheckout(userId, { planCode: "pro" }), { hint: "PLAN_ALREADY_HELD" });
  });

  const slow = { status: 503, message: "The payment service is slow; try again later" };
  /** Lets a minute pass with the first request with this method and path. */
  async function delay(method: string, path: RegExp, run: () => Promise<void>) {
    const { now } = Date;
    peer.setFault((request) => {
      if (request.method === method && path.test(request.path)) Date.now = () => now() + 60_000;
      return undefined;
    });
    peer.requests.length = 0;
    try {
      await run();
    } finally {
      Date.now = now;
      peer.setFault(() => undefined);
    }
  }

  await step("a checkout returns 503 after a minute, and the next call continues", async () => {
    const { userId, customer } = await billing.customer();
    await delay("GET", /sessions\/cs_/, () => assert.rejects(openCheckout(userId, { planCode: "studio" }), slow));
    assert.deepEqual(peer.sessionsOf(customer).map(({ status }) => status), ["expired"]);
    await delay("GET", /subscriptions/, () => assert.rejects(openCheckout(userId, { planCode: "studio" }), slow));
    assert.deepEqual(open(customer), []);
    await openCheckout(userId, { planCode: "studio" });
    assert.equal(open(customer).length, 1);
  });

  await step("a checkout that expires many sessions returns 503 after a minute", async () => {
    const { userId, id, customer } = await billing.customer();
    await sql`select private.end_checkout_session(${id}, 1)`;
    for (let count = 0; count < 3; count++) billing.copySession(customer);
    await delay("POST", /expire$/, () => assert.rejects(openCheckout(userId, { planCode: "pro" }), slow));
    assert.equal(open(customer).length, 3);
  });

  await step("a checkout that ends incomplete subscriptions returns 503 after a minute", async () => {
    const { userId, session, customer } = await billing.customer();
    const second = billing.copySession(customer);
    for (const id of [session!, second]) peer.failCheckout(id);
    await sql`update private.subscriptions set checkout_session_id = null, checkout_price_id = null,
      checkout_version = 2 where user_id = ${userId}`;
    await delay("POST", /void$/, () => assert.rejects(openCheckout(userId, { planCode: "pro" }), { code: "PT503" }));
    assert.equal(peer.requests.filter(({ path }) => path.endsWith("/void")).length, 1);
    assert.deepEqual(open(customer), []);
  });

  await step("a checkout repeats a request with its key after a 502, a 503 or a lost response", async () => {
    for (const fault of ["gateway_after", "unavailable_after", "unavailable_before", "lost_after"] as const) {
      const { userId, customer, id } = await billing.customer();
      await sql`select private.end_checkout_session(${id}, 1)`;
      peer.requests.length = 0;
      peer.setFault(({ method, path }) => method === "POST" && path.endsWith("/sessions") ? fault : undefined);
      await assert.rejects(openCheckout(userId, { planCode: "pro" }));
      peer.setFault(() => undefined);
      await openCheckout(userId, { planCode: "pro" });
      const keys = peer.requests.filter(({ path, method }) => method === "POST" && path.endsWith("/sessions"))
        .map(({ key }) => key);
      assert.deepEqual([keys.length, new Set(keys).size], [3, 1], fault); // the client itself tries twice
      assert.equal(peer.sessionsOf(customer).length, 2, fault); // one is of the ended version
    }
  });

  await step(
    "a checkout whose email address Stripe rejects fails with Stripe's code, and without the address",
    async () => {
      const { userId } = await billing.customer();
      await sql`update private.subscriptions set stripe_customer_id = null, checkout_session_id = null,
      checkout_price_id = null, checkout_version = 2 where user_id = ${userId}`;
      await sql`update auth.users set email = 'ola@secret.invalid' where id = ${userId}`;
      await assert.rejects(openCheckout(userId, { planCode: "pro" }), {
        message: /^Stripe responded 400 email_invalid \(req_[\w-]+\)$/,
      });
    },
  );

  await step("a checkout, a payment and its events at once leave one subscription, or one page to pay on", async () => {
    const dice = seededRandom(5), counts: Record<string, number> = {};
    for (let round = 0; round < byScale(10, 200); round++) {
      const { userId, customer, session } = await billing.customer();
      const plan = dice.one(["pro", "studio"]), paysBefore = dice.below(4);
      let requests = 0, delivery = Promise.resolve();
      const pay = () => {
        if (peer.sessions.get(session!)!.status !== "open") return;
        peer.completeCheckout(session!);
        delivery = billing.deliver();
      };
      peer.setFault(() => {
        if (++requests === paysBefore) pay();
        return undefined;
      });
      if (paysBefore === 0) {
        pay();
        for (let lead = dice.below(6); lead > 0; lead--) await sql`select`; // the events have a head start
      }
      const outcome = await openCheckout(userId, { planCode: plan }).then(
        () => "a page",
        ({ hint, message }) => hint ?? message,
      );
      await delivery;
      peer.setFault(() => undefined);
      pay(); // unless it is too late
      await delivery;
      await billing.work();

      const isPaid = peer.sessions.get(session!)!.status === "complete";
      const [{ code }] = await sql`select plan_code as code from public.billing_accounts where user_id = ${userId}`;
      const live = peer.subscriptionsOf(customer).filter(({ status }) => status === "active");
      assert.deepEqual([live.length, open(customer).length, code], isPaid ? [1, 0, "pro"] : [0, 1, "free"]);
      const source = outcome !== "PLAN_ALREADY_HELD" ? "" : requests ? " by a reading" : " by the event";
      const meeting = `${plan === "pro" ? "same" : "other"} plan, ${isPaid ? "paid" : "expired"}: ${outcome}${source}`;
      counts[meeting] = (counts[meeting] ?? 0) + 1;
    }
    console.log(`checkout and payment: ${JSON.stringify(counts)}`);
    assert.deepEqual(Object.keys(counts).filter((one) => !/: (a page|PLAN_ALREADY_HELD by .*)$/.test(one)), []);
  });
});
