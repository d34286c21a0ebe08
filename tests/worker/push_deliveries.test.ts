// Push messages from an event to the browser: fan-out, scheduler, queue, outages, retries and dead letters.
import assert from "node:assert/strict";
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { startResendPeer } from "../mail/resend_peer.ts";
import { VAPID_ENV } from "../push/environment.ts";
import { type Browser, listPushService, type ServiceResponse, startPushService } from "../push/push_service.ts";
import { waitFor } from "../wait_for.ts";

const resend = startResendPeer();
const { sql } = await createFeedDatabase(undefined, { ...VAPID_ENV, ...resend.env }); // ends with the process
const { drain } = await import("../../functions/worker/loop.ts");
const { sendEmailDeliveryJob } = await import("../../functions/worker/jobs/send_email_delivery.ts");
const { sendPushDeliveryJob } = await import("../../functions/worker/jobs/send_push_delivery.ts");
const service = startPushService();
await listPushService(sql, service);

/** The database and the push service live as long as the file. */
const test = (title: string, run: () => Promise<void>) =>
  Deno.test(title, { sanitizeOps: false, sanitizeResources: false }, run);

/** A user with so many browsers. */
async function makeUser(count: number) {
  const [{ id }] = await sql<{ id: string }[]>`
    insert into auth.users (id, email, email_confirmed_at, aud, role)
    values (gen_random_uuid(), gen_random_uuid() || '@people.test', now(), 'authenticated', 'authenticated') returning id`;
  const browsers = Array.from({ length: count }, service.subscribe);
  for (const { subscription: { endpoint, keys } } of browsers) {
    await sql`
      with added as (
        insert into public.push_subscriptions (user_id, endpoint) values (${id}, ${endpoint}) returning id)
      insert into private.push_subscription_keys (subscription_id, p256dh, auth)
      select a.id, ${keys.p256dh}, ${keys.auth} from added a`;
  }
  return { id, browsers };
}

/** Notifies the user of a failed import, whose push is on by default. Returns the ids of the push deliveries. */
async function notify(userId: string) {
  await sql`select private.notify('import.failed', ${sql.json([{ user_id: userId }])}, '{}')`;
  await sql`select private.enqueue_due_deliveries()`;
  const rows = await sql<{ id: string }[]>`
    select d.id from public.notification_deliveries d
    where d.user_id = ${userId} and d.channel = 'push' order by d.created_at`;
  return rows.map(({ id }) => id);
}

/** Makes so many attempts, without the waits between them. */
async function work(attempts = 1) {
  for (let i = 0; i < attempts; i++) {
    await sql`update pgmq.q_push_deliveries set vt = now() - interval '1 second'`;
    await drain(sendPushDeliveryJob as Job, timeBudget(60_000));
  }
}

async function stateOf(id: string) {
  const [row] = await sql`
    select d.status, s.last_error as error from public.notification_deliveries d
    join private.delivery_sends s on s.delivery_id = d.id where d.id = ${id}`;
  return { ...row };
}

const respondWith = (browser: Browser, response: Browser["responses"][number], times: number) =>
  browser.responses.push(...Array.from({ length: times }, () => response));

test("an event reaches each browser of the user, and the queue is empty", async () => {
  const { id, browsers } = await makeUser(2), [delivery] = await notify(id);
  await work();
  for (const { messages: [{ payload, urgency }] } of browsers) {
    assert.equal(payload.deliveryId, delivery);
    assert.equal(urgency, "high");
    assert.match(String(payload.title), /import/i);
  }
  assert.deepEqual(await stateOf(delivery), { status: "sent", error: null });
  const [{ depth }] = await sql`select count(*)::int as depth from pgmq.q_push_deliveries`;
  assert.equal(depth, 0);
});

test("a user without a browser gets no push delivery", async () => {
  assert.deepEqual(await notify((await makeUser(0)).id), []);
});

test("emails are sent while all runs of pushes wait for a push service", async () => {
  const { id, browsers: [browser] } = await makeUser(1), runs = sendPushDeliveryJob.concurrency;
  const outage = Promise.withResolvers<ServiceResponse>();
  respondWith(browser, outage.promise, runs);
  for (let n = 0; n <= runs; n++) await notify(id);
  const pushed = work();
  await waitFor("all runs of pushes", () => browser.requests() === runs);
  await drain(sendEmailDeliveryJob as Job, timeBudget(60_000));
  const statuses = await sql<{ channel: string; status: string }[]>`
    select distinct channel, status from public.notification_deliveries where user_id = ${id} order by channel`;
  outage.resolve(201);
  await pushed;
  assert.deepEqual(statuses.map(({ channel, status }) => [channel, status]), [["email", "sent"], ["push", "queued"]]);
  assert.equal(browser.messages.length, runs + 1);
});

test("a push service that does not respond delays no push to another one while runs are free", async () => {
  const silent = await makeUser(1), other = await makeUser(1), runs = sendPushDeliveryJob.concurrency;
  const outage = Promise.withResolvers<ServiceResponse>();
  respondWith(silent.browsers[0], outage.promise, runs - 1);
  for (let n = 1; n < runs; n++) await notify(silent.id);
  for (let n = 0; n < 20; n++) await notify(other.id);
  const pushed = work();
  await waitFor("the pushes to the other browser", () => other.browsers[0].messages.length === 20);
  await waitFor("all pushes to the silent one", () => silent.browsers[0].requests() === runs - 1);
  assert.equal(silent.browsers[0].messages.length, 0);
  outage.resolve(201);
  await pushed;
  assert.equal(silent.browsers[0].messages.length, runs - 1);
});

test("a push service that never recovers ends the delivery as failed, with the reason", async () => {
  const { id, browsers: [browser] } = await makeUser(1), [delivery] = await notify(id);
  respondWith(browser, 503, 30);
  await work(1);
  assert.deepEqual(await stateOf(delivery), { status: "queued", error: `${service.host} responded 503` });
  await work(22);
  assert.deepEqual(await stateOf(delivery), { status: "failed", error: `${service.host} responded 503` });
  assert.equal(browser.requests(), 20);
});

test("a delivery that one browser has got stays sent when another never accepts it", async () => {
  const { id, browsers: [good, bad] } = await makeUser(2), [delivery] = await notify(id);
  respondWith(bad, 500, 30);
  await work(22);
  assert.equal((await stateOf(delivery)).status, "sent");
  assert.deepEqual([good.requests(), bad.requests()], [1, 20]);
});

test("a push service's Retry-After postpones the next attempt", async () => {
  const { id, browsers: [browser] } = await makeUser(1);
  await notify(id);
  browser.responses.push({ status: 429, headers: { "retry-after": "1800" } });
  await work();
  const [{ seconds }] = await sql`select extract(epoch from vt - now())::int as seconds from pgmq.q_push_deliveries`;
  assert.ok(seconds > 1700 && seconds <= 1800, `${seconds}`);
  await work();
  assert.equal(browser.messages.length, 1);
});
