// The address of the customer at Stripe follows the confirmed address of its user.
import assert from "node:assert/strict";
import { startBillingWorker } from "./billing_worker.ts";

Deno.test({ name: "the customer's address", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using billing = await startBillingWorker();
  const { peer, sql, work, waiting, actions, subscriber, setStatus, setAddress, makeVisible } = billing;
  const step = billing.stepsOf(t);
  const newAddress = () => `${crypto.randomUUID()}@test.local`;
  const addressOf = (customer: string) => peer.customers.get(customer)!.email;
  const deadLetters = async () =>
    (await sql`select message ->> 'error' as error from pgmq.q_billing_sync_dlq`).map(({ error }) => error as string);
  const assertSettled = async () => assert.deepEqual([await waiting(), await deadLetters()], [[], []]);

  await step("the worker writes a confirmed address to the customer with one request", async () => {
    const { userId, customer } = await subscriber(), address = newAddress();
    await setAddress(userId, address);
    await work();
    assert.deepEqual([addressOf(customer), actions()], [address, ["update_customer"]]);
    await assertSettled();
  });

  await step("the worker writes the address of a customer without a subscription", async () => {
    const { userId, customer } = await billing.customer(), address = newAddress();
    await setAddress(userId, address);
    await work();
    assert.equal(addressOf(customer), address);
  });

  await step("an address that is not confirmed stays in the product", async () => {
    const { userId } = await subscriber();
    await sql`update auth.users set email_change = ${newAddress()}, email_change_sent_at = now() where id = ${userId}`;
    assert.deepEqual(await waiting(), []);
  });

  await step("the address is written before collection resumes", async () => {
    const { userId, podcastId } = await subscriber();
    await setStatus(podcastId, "paused");
    await work();
    await setStatus(podcastId, "active");
    await setAddress(userId, newAddress());
    await work();
    assert.deepEqual(actions(), ["void_collection", "update_customer", "resume_collection"]);
  });

  await step("an address that is edited at Stripe stays until the user's address changes", async () => {
    const { userId, id, customer } = await subscriber();
    peer.editAddress(customer, "accounting@company.test");
    await sql`select private.enqueue_billing_sync(${id})`;
    await work();
    assert.deepEqual([addressOf(customer), actions()], ["accounting@company.test", []]);
    const address = newAddress();
    await setAddress(userId, address);
    await work();
    assert.equal(addressOf(customer), address);
  });

  await step("two accounts swap their addresses", async () => {
    const one = await subscriber(), two = await subscriber(), first = newAddress(), second = newAddress();
    await setAddress(one.userId, first);
    await setAddress(two.userId, second);
    await work();
    await setAddress(one.userId, newAddress());
    await setAddress(two.userId, first);
    await setAddress(one.userId, second);
    await work();
    assert.deepEqual([addressOf(one.customer), addressOf(two.customer)], [second, first]);
    await assertSettled();
  });

  for (const fault of ["lost_before", "lost_after", "error_before", "error_after", "rate_limit"] as const) {
    await step(`an address that changes back reaches Stripe although the response is ${fault}`, async () => {
      const { userId, customer } = await subscriber(), [first, second] = [newAddress(), newAddress()];
      await setAddress(userId, first);
      await work();
      await setAddress(userId, second);
      peer.setFault(({ method }) => method === "POST" ? fault : undefined);
      await work();
      await setAddress(userId, first);
      peer.setFault(() => undefined);
      await makeVisible();
      await work();
      assert.equal(addressOf(customer), first);
      await assertSettled();
    });
  }

  await step("an address that changes between reading and answer reaches Stripe", async () => {
    const { userId, customer } = await subscriber(), address = newAddress();
    await setAddress(userId, newAddress());
    let change: Promise<unknown> | undefined;
    peer.setFault(({ method }) => {
      if (method === "POST") change ??= Promise.resolve(setAddress(userId, address));
      return undefined;
    });
    await work();
    await change;
    await work();
    assert.equal(addressOf(customer), address);
  });

  await step("a former address that Stripe writes late is corrected by the next comparison", async () => {
    const { userId, id, customer } = await subscriber(), address = newAddress();
    await setAddress(userId, newAddress());
    peer.setFault(({ method }) => method === "POST" ? "late" : undefined);
    await work();
    peer.setFault(() => undefined);
    await setAddress(userId, address);
    await makeVisible();
    await work();
    assert.equal(addressOf(customer), address);
    peer.runLate();
    assert.notEqual(addressOf(customer), address);
    await sql`select private.enqueue_billing_sync(${id})`;
    await work();
    assert.equal(addressOf(customer), address);
  });

  await step("an address that changes while the customer is made reaches Stripe", async () => {
    const address = newAddress();
    const [{ userId }] = await sql<{ userId: string }[]>`
      insert into auth.users (id, email, email_confirmed_at, aud, role)
      values (gen_random_uuid(), ${newAddress()}, now(), 'authenticated', 'authenticated') returning id as "userId"`;
    peer.setFault(({ path }) => path === "/v1/customers" ? "late" : undefined);
    await assert.rejects(billing.openCheckout(userId, { planCode: "pro" }));
    await setAddress(userId, address);
    peer.runLate();
    peer.setFault(() => undefined);
    await billing.openCheckout(userId, { planCode: "pro" });
    await work();
    assert.equal(addressOf((await billing.subscriptionOf(userId)).customer), address);
  });

  await step("the worker leaves the customer of a deleted account alone", async () => {
    const paid = await subscriber();
    const before = addressOf(paid.customer);
    await setAddress(paid.userId, newAddress());
    await billing.deleteAccount(paid);
    await work();
    assert.deepEqual([addressOf(paid.customer), paid.subscription.status, actions()], [before, "canceled", ["cancel"]]);
    await assertSettled();
  });

  await step("an address that Stripe rejects holds up no checkout", async () => {
    const { userId, customer } = await billing.customer();
    await setAddress(userId, `${crypto.randomUUID()}@nowhere.invalid`);
    await sql`select private.end_checkout_session(id, checkout_version)
      from private.subscriptions where user_id = ${userId}`;
    await billing.openCheckout(userId, { planCode: "pro" });
    assert.equal(peer.sessionsOf(customer).filter(({ status }) => status === "open").length, 1);
    await work();
    assert.equal((await deadLetters()).length, 1);
  });

  await step("an address that Stripe rejects is a dead letter without it, and holds up no other request", async () => {
    const { userId, podcastId, subscription } = await subscriber();
    await setAddress(userId, `${crypto.randomUUID()}@nowhere.invalid`);
    await setStatus(podcastId, "paused");
    await work();
    assert.ok(subscription.pause_collection);
    const errors = await deadLetters();
    assert.ok(errors.length > 0);
    for (const error of errors) assert.match(error, /^Stripe responded 400 email_invalid \(req_[^@]*$/);
  });
});
