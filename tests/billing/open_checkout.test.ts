// Checkout and portal with a Stripe that forgot a customer, keeps a session open, or fails.
import assert from "node:assert/strict";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { startBillingWorker } from "./billing_worker.ts";

Deno.test({ name: "checkout and portal", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBillingWorker();
  const { peer, sql, openCheckout, openPortal, subscriptionOf } = billing;
  await sql`insert into public.plans (code, name, is_paid, storage_gb_per_account, stripe_price_id)
    values ('studio', 'Studio', true, 500, 'price_studio')`;
  const step = billing.stepsOf(t);
  const open = (customer: string) => peer.sessionsOf(customer).filter(({ status }) => status === "open");

  await step("a checkout makes another customer after its customer was deleted at Stripe", async () => {
    const { userId, customer, session } = await billing.customer();
    peer.deleteCustomer(customer);
    const url = await openCheckout(userId, "pro");
    const next = await subscriptionOf(userId);
    assert.notEqual(next.customer, customer);
    assert.deepEqual([open(customer), open(next.customer).map((one) => one.url)], [[], [url]]);
    assert.notEqual(next.session, session);
  });

  await step("a checkout does not return a session whose customer was deleted at Stripe", async () => {
    const { userId, customer, session } = await billing.customer();
    peer.deleteCustomer(customer);
    peer.sessions.get(session!)!.status = "open";
    await openCheckout(userId, "pro");
    assert.notEqual((await subscriptionOf(userId)).customer, customer);
  });

  await step("the portal of a deleted customer returns 409 NO_BILLING_CUSTOMER, and a checkout follows", async () => {
    const { userId, customer } = await billing.subscriber();
    peer.deleteCustomer(customer); // and its event is lost
    await assert.rejects(openPortal(userId), { hint: "NO_BILLING_CUSTOMER" });
    const [account] = await sql`select plan_code as plan, subscription_status as status
      from public.billing_accounts where user_id = ${userId}`;
    assert.deepEqual({ ...account }, { plan: "free", status: "none" });
    await openCheckout(userId, "pro");
    assert.equal(
      await openPortal(userId),
      `https://billing.stripe.test/${(await subscriptionOf(userId)).customer}`,
    );
  });

  await step("concurrent checkouts of a deleted customer make one customer and one open session", async () => {
    const { userId, customer } = await billing.customer();
    peer.deleteCustomer(customer);
    const customers = peer.customers.size;
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => openCheckout(userId, "pro")));
    const urls = new Set(outcomes.flatMap((one) => one.status === "fulfilled" ? [one.value] : []));
    assert.deepEqual([urls.size, peer.customers.size - customers], [1, 1]);
    assert.equal(open((await subscriptionOf(userId)).customer).length, 1);
  });

  await step("a checkout opens no second session while Stripe does not expire the first one", async () => {
    const { userId, customer, session } = await billing.customer();
    peer.payingIds.add(session!);
    await assert.rejects(openCheckout(userId, "studio"), {
      status: 503,
      message: "An earlier checkout of this account is in progress; try again",
    });
    assert.deepEqual(open(customer).map(({ id }) => id), [session]);
    peer.payingIds.delete(session!);
    await openCheckout(userId, "studio");
    assert.deepEqual(open(customer).map(({ price }) => price), ["price_studio"]);
  });

  await step("a checkout returns 409 if its session is paid while it is to be expired", async () => {
    const { userId, customer, session } = await billing.customer();
    peer.setFault(({ path }) => {
      if (path.endsWith("/expire")) peer.completeCheckout(session!);
      return undefined;
    });
    await assert.rejects(openCheckout(userId, "studio"), { hint: "PLAN_ALREADY_HELD" });
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
    await assert.rejects(openCheckout(userId, "pro"), { hint: "PLAN_ALREADY_HELD" });
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
    await delay("GET", /sessions\/cs_/, () => assert.rejects(openCheckout(userId, "studio"), slow));
    assert.deepEqual(peer.sessionsOf(customer).map(({ status }) => status), ["expired"]);
    await delay("GET", /subscriptions/, () => assert.rejects(openCheckout(userId, "studio"), slow));
    assert.deepEqual(open(customer), []);
    await openCheckout(userId, "studio");
    assert.equal(open(customer).length, 1);
  });

  await step("a checkout that expires many sessions returns 503 after a minute", async () => {
    const { userId, id, customer } = await billing.customer();
    await sql`select private.end_checkout_session(${id}, 1)`;
    for (let count = 0; count < 3; count++) billing.copySession(customer);
    await delay("POST", /expire$/, () => assert.rejects(openCheckout(userId, "pro"), slow));
    assert.equal(open(customer).length, 3);
  });

  await step("a checkout that ends incomplete subscriptions returns 503 after a minute", async () => {
    const { userId, session, customer } = await billing.customer();
    const second = billing.copySession(customer);
    for (const id of [session!, second]) peer.failCheckout(id);
    await sql`update private.subscriptions set checkout_session_id = null, checkout_plan_code = null,
      checkout_version = 2 where user_id = ${userId}`;
    await delay("POST", /void$/, () => assert.rejects(openCheckout(userId, "pro"), { code: "PT503" }));
    assert.equal(peer.requests.filter(({ path }) => path.endsWith("/void")).length, 1);
    assert.deepEqual(open(customer), []);
  });

  await step("a checkout repeats a request with its key after a 502, a 503 or a lost response", async () => {
    for (const fault of ["gateway_after", "unavailable_after", "unavailable_before", "lost_after"] as const) {
      const { userId, customer, id } = await billing.customer();
      await sql`select private.end_checkout_session(${id}, 1)`;
      peer.requests.length = 0;
      peer.setFault(({ method, path }) => method === "POST" && path.endsWith("/sessions") ? fault : undefined);
      await assert.rejects(openCheckout(userId, "pro"));
      peer.setFault(() => undefined);
      await openCheckout(userId, "pro");
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
      checkout_plan_code = null, checkout_version = 2 where user_id = ${userId}`;
      await sql`update auth.users set email = 'ola@secret.invalid' where id = ${userId}`;
      await assert.rejects(openCheckout(userId, "pro"), {
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
      const outcome = await openCheckout(userId, plan).then(() => "a page", ({ hint, message }) => hint ?? message);
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
