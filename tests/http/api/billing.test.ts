// /api/billing: plan and subscription, and Stripe's hosted pages.
import assert from "node:assert/strict";
import { startBilling } from "../../billing/billing_stack.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertError, assertKeys, episode, person, podcast, sendRequest, sql, stackInfo } from "../harness.ts";
import { put } from "./audio.ts";

const OFFER = {
  planCode: "pro",
  planName: "Pro",
  interval: "month",
  currency: "eur",
  unitAmount: null,
  storageGb: 100,
};

const reading = () => Promise.resolve({ path: "/api/billing" });
const checkingOut = () => Promise.resolve({ path: "/api/billing/checkout", json: { planCode: "pro" } });
const openingPortal = () => Promise.resolve({ path: "/api/billing/portal", json: {} });
assertAccessMatrix("GET /api/billing", reading, { anon: 401 });
assertAccessMatrix("POST /api/billing/checkout", checkingOut, { anon: 401 });
assertAccessMatrix("POST /api/billing/portal", openingPortal, { anon: 401 });

Deno.test({ name: "/api/billing with a Stripe peer", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBilling();
  const { peer } = billing;

  await t.step("GET /api/billing returns plan, subscription and storage of the caller", async () => {
    await person("payer-reads");
    const { status, body } = await billing.send("payer-reads", "GET", "");
    assert.equal(status, 200);
    assertKeys(body, "success", "data");
    assert.deepEqual(body.data, {
      planCode: "free",
      planName: "Free",
      isPaidPlan: false,
      subscriptionStatus: "none",
      collectionPaused: false,
      cancelAtPeriodEnd: false,
      currentPeriodEnd: null,
      usedBytes: 0,
      limitBytes: 1_073_741_824,
      price: null,
      offers: [OFFER],
    });
  });

  await t.step(
    "POST checkout sends Stripe the customer, the offered price and the return URLs, and returns the page",
    async () => {
      const before = peer.requests.length;
      const { status, body } = await billing.checkout("payer-first");
      assert.equal(status, 200, JSON.stringify(body));
      const { id, customer, session } = await billing.subscriptionOf("payer-first");
      assert.deepEqual(body, { success: true, data: { url: peer.sessions.get(session!)!.url } });
      const sent = peer.requests.slice(before);
      const [made] = sent.filter(({ path }) => path === "/v1/customers");
      assert.deepEqual(made.params, {
        email: "payer-first@people.test",
        metadata: { castbase_subscription: id, castbase_address_version: "1" },
      });
      const [opened] = sent.filter(({ method, path }) => method === "POST" && path === "/v1/checkout/sessions");
      assert.deepEqual(opened.params, {
        mode: "subscription",
        customer,
        metadata: { castbase_checkout_version: "1" },
        line_items: { 0: { price: "price_pro", quantity: "1" } },
        success_url: `${stackInfo.url}/?checkout=completed`,
        cancel_url: `${stackInfo.url}/?checkout=canceled`,
        subscription_data: { metadata: { castbase_subscription: id, castbase_plan: "pro" } },
      });
      assert.match(opened.key!, new RegExp(`^castbase:${id}:checkout:1:[0-9a-f]{16}$`));
      assert.equal(opened.version, "2026-10-28.endive");
    },
  );

  await t.step("POST checkout returns the open session again, and a new one after it expired", async () => {
    const first = await billing.checkout("payer-again"), second = await billing.checkout("payer-again");
    assert.equal(second.body.data.url, first.body.data.url);
    const { customer, session } = await billing.subscriptionOf("payer-again");
    Object.assign(peer.sessions.get(session!)!, { status: "expired", url: null });
    const third = await billing.checkout("payer-again");
    assert.notEqual(third.body.data.url, first.body.data.url);
    assert.deepEqual(peer.sessionsOf(customer).map(({ status }) => status), ["expired", "open"]);
  });

  await t.step("twenty POST checkout at once make one customer and one open session", async () => {
    await sql`insert into private.rate_limits values ('checkouts:' || ${
      (await person("payer-hasty")).id
    }, now(), now() + interval '1 day', -100)`;
    const customers = peer.customers.size, sessions = peer.sessions.size;
    const responses = await Promise.all(Array.from({ length: 20 }, () => billing.checkout("payer-hasty")));
    assert.ok(responses.every(({ status }) => status === 200 || status === 503));
    const urls = new Set(responses.filter(({ status }) => status === 200).map(({ body }) => body.data.url));
    assert.deepEqual([urls.size, peer.customers.size - customers, peer.sessions.size - sessions], [1, 1, 1]);
  });

  await t.step("POST checkout returns 400 for an unknown and for a free plan", async () => {
    for (const plan of ["free", "gold"]) {
      assertError(await billing.checkout("payer-unknown", plan), 400, {
        error: "planCode must be a paid plan; the table plans lists them",
        code: "INVALID_PLAN",
      });
    }
    for (const json of [{}, { planCode: "pro", interval: "decade" }, { planCode: "pro", currency: "EUR" }]) {
      assertError(await billing.send("payer-unknown", "POST", "/checkout", json), 400, { error: "Invalid request" });
    }
  });

  await t.step("POST checkout takes the price of the interval and currency, or lists the offers", async () => {
    await sql`insert into public.plans (code, name, is_paid, storage_gb_per_account)
      values ('studio', 'Studio', true, 500) on conflict do nothing`;
    const offer = async (id: string, interval: string, currency: string) =>
      await sql`select private.offer_plan_price(${id}, 'studio', ${interval}, ${currency}, 5000)`;
    const checkout = (choice: object) =>
      billing.send("payer-chooses", "POST", "/checkout", { planCode: "studio", ...choice });
    const details = { planCode: "studio", planName: "Studio", unitAmount: 5000, storageGb: 500 };
    assertError(await checkout({}), 500, {
      error: "plan_prices offers no price of the plan 'studio'",
      code: "MISSING_SETTING",
    });
    await offer("price_studio_month", "month", "eur");
    await offer("price_studio_year", "year", "eur");
    const offers = [{ ...details, interval: "month", currency: "eur" }, {
      ...details,
      interval: "year",
      currency: "eur",
    }];
    assertError(await checkout({ currency: "eur" }), 400, {
      error: "The plan is offered with several intervals or currencies; choose one of the offers",
      code: "PRICE_AMBIGUOUS",
      offers,
    });
    assertError(await checkout({ interval: "year", currency: "usd" }), 400, {
      error: "The plan is not offered with this interval and currency; choose one of the offers",
      code: "INVALID_PLAN",
      offers,
    });
    assert.equal((await checkout({ interval: "year" })).status, 200);
    const { customer } = await billing.subscriptionOf("payer-chooses");
    assert.equal((await checkout({ interval: "month", currency: "eur" })).status, 200);
    assert.deepEqual(peer.sessionsOf(customer).map(({ status, price }) => [status, price]), [
      ["expired", "price_studio_year"],
      ["open", "price_studio_month"],
    ]);
    await billing.checkoutEarlier("payer-chooses", { planCode: "studio", interval: "month" });
    peer.completeCheckout(peer.sessionsOf(customer).at(-1)!.id);
    await billing.deliver();
    const { body } = await billing.send("payer-chooses", "GET", "");
    assert.deepEqual([body.data.planCode, body.data.price, body.data.offers], [
      "studio",
      { interval: "month", currency: "eur", unitAmount: 5000 },
      [OFFER, ...offers],
    ]);
    await sql`update public.plan_prices set is_offered = false where plan_code = 'studio'`;
  });

  await t.step("POST checkout returns 409 once the checkout was paid, before and after Stripe's event", async () => {
    await billing.checkout("payer-paid");
    const { customer, session } = await billing.subscriptionOf("payer-paid");
    peer.completeCheckout(session!);
    const held = { code: "PLAN_ALREADY_HELD" };
    assertError(await billing.checkout("payer-paid"), 409, held);
    await billing.deliver();
    assertError(await billing.checkout("payer-paid"), 409, held);
    const { body } = await billing.send("payer-paid", "GET", "");
    assert.deepEqual([body.data.planCode, body.data.subscriptionStatus], ["pro", "active"]);
    assert.equal(peer.subscriptionsOf(customer).length, 1);

    // after the subscription has ended, a new one can begin
    const [subscription] = peer.subscriptionsOf(customer);
    peer.portalCancel(subscription, true);
    await billing.deliver(5); // later than the reading of the calls above
    assert.equal((await billing.send("payer-paid", "GET", "")).body.data.cancelAtPeriodEnd, true);
    peer.endPeriod(subscription);
    await billing.deliver(10);
    assert.equal((await billing.send("payer-paid", "GET", "")).body.data.planCode, "free");
    assert.equal((await billing.checkout("payer-paid")).status, 200);
  });

  await t.step(
    "POST checkout returns 503 without Stripe's text while Stripe fails, and succeeds afterwards",
    async () => {
      for (
        const fault of [
          "error_before",
          "lost_before",
          "lost_after",
          "rate_limit",
          "lock",
          "error_before",
          "error_after",
        ] as const
      ) {
        peer.setFault(({ method }) => method === "POST" ? fault : undefined);
        const response = await billing.checkout("payer-patient");
        assertError(response, 503, { error: "The payment service is unavailable; try again later" });
        assert.doesNotMatch(response.text, /stripe|Too many|req_/i);
        peer.setFault(() => undefined);
      }
      assert.equal((await billing.checkout("payer-patient")).status, 200);
      const { customer } = await billing.subscriptionOf("payer-patient");
      assert.equal(peer.sessionsOf(customer).filter(({ status }) => status === "open").length, 1);
    },
  );

  await t.step("POST checkout returns 500 without Stripe's text when Stripe rejects the request", async () => {
    await sql`insert into public.plans (code, name, is_paid, storage_gb_per_account)
      values ('mispriced', 'Mispriced', true, 1)`;
    await sql`select private.offer_plan_price('prod_1', 'mispriced', 'month', 'eur')`;
    const response = await billing.checkout("payer-mispriced", "mispriced");
    assertError(response, 500, { error: "The payment service rejected the request" });
    assert.doesNotMatch(response.text, /prod_1|No such/);
    await sql`select private.offer_plan_price('price_mispriced', 'mispriced', 'month', 'eur')`;
    assert.equal((await billing.checkout("payer-mispriced", "mispriced")).status, 200);
    const { customer } = await billing.subscriptionOf("payer-mispriced");
    assert.equal((await billing.checkout("payer-mispriced", "pro")).status, 200);
    assert.deepEqual(peer.sessionsOf(customer).map(({ status, price }) => [status, price]), [
      ["expired", "price_mispriced"],
      ["open", "price_pro"],
    ]);
    await sql`update public.plan_prices set is_offered = false where plan_code = 'mispriced'`;
  });

  await t.step("POST portal returns 409 before a checkout, then the page of the caller's customer", async () => {
    assertError(await billing.send("payer-portal", "POST", "/portal"), 409, { code: "NO_BILLING_CUSTOMER" });
    await billing.checkout("payer-portal");
    const { customer } = await billing.subscriptionOf("payer-portal");
    const { status, body } = await billing.send("payer-portal", "POST", "/portal");
    assert.equal(status, 200);
    assert.deepEqual(body, { success: true, data: { url: `https://billing.stripe.test/${customer}` } });
    assert.deepEqual(peer.requests.at(-1)!.params, { customer, return_url: stackInfo.url });
  });

  await t.step("a plan that becomes smaller than the stored bytes blocks uploads and deletes nothing", async () => {
    const show = await podcast("Large show", "payer-shrinks"),
      pilot = await episode(show),
      next = await episode(show, "2");
    const subscription = peer.completeCheckout(await billing.checkoutEarlier("payer-shrinks"));
    await billing.deliver();
    const { id } = await person("payer-shrinks");
    await sql`insert into private.media_objects (path, account_id, usage, bytes, content_type)
    values (${`imports/${id}/large.jpg`}, ${id}, 'temporary', 2000000000, 'image/jpeg')`;
    const upload = { as: "admin" as const, body: new Uint8Array(2000).fill(1) };
    assert.equal((await put(show, pilot, upload)).status, 200);
    const stored = () => sql`select path, bytes from private.media_objects where account_id = ${id} order by path`;
    const before = await stored();

    peer.setStatus(subscription, "unpaid");
    await billing.deliver(5); // not in the second of the event before, which would leave it to billing_sync
    const { body: { data } } = await billing.send("payer-shrinks", "GET", "");
    assert.deepEqual([data.planCode, data.limitBytes, data.usedBytes], ["free", 1_073_741_824, 2_000_002_000]);
    assertError(await put(show, next, upload), 409, {
      code: "STORAGE_ALLOWANCE_EXCEEDED",
      bytes_used: 2_000_002_000,
      bytes_limit: 1_073_741_824,
      bytes_requested: 2000,
    });
    assert.deepEqual(await stored(), before);

    peer.setStatus(subscription, "active");
    await billing.deliver(10);
    assert.equal((await put(show, next, upload)).status, 200);
    assert.equal(peer.subscriptionsOf(subscription.customer).length, 1);
  });
});

Deno.test("without Stripe's variables the functions start, and a call names the missing one", async () => {
  await sendRequest({ method: "GET", path: "/api/billing", as: "owner" });
  for (const [path, name] of [["checkout", "STRIPE_SECRET_KEY"], ["webhooks/stripe", "STRIPE_WEBHOOK_SECRET"]]) {
    const json = path === "checkout" ? { planCode: "pro" } : {};
    const response = await sendRequest({
      method: "POST",
      path: `/api/billing/${path}`,
      as: await person("payer-early"),
      json,
    });
    assertError(response, 500, { error: `${name} is not set; billing is unavailable`, code: "MISSING_SETTING" });
  }
});
