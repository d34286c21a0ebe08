// Push deliveries from the database to a push service of the test.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { startFunctions } from "../functions.ts";
import { callRpc, newPerson, type Person, sql, stackInfo } from "../http/harness.ts";
import { VAPID_ENV } from "./environment.ts";
import { type Browser, listPushService, startPushService } from "./push_service.ts";

const { sendPush } = await withEnvironment(
  { ...UNREACHABLE_ENV, ...VAPID_ENV, SUPABASE_DB_URL: stackInfo.dbUrl },
  () => import("../../functions/push/send_push.ts"),
);
const service = startPushService(); // ends with the process
await listPushService(sql, service);

/** The database pool and the push service outlive each test. */
const test = (title: string, run: () => Promise<void>) =>
  Deno.test(title, { sanitizeOps: false, sanitizeResources: false }, run);

/** Registers a new browser of the user. */
async function browserOf(user: Person): Promise<Browser & { id: string }> {
  const browser = service.subscribe();
  const { subscription } = await callRpc<{ subscription: { id: string } }>(user, "add_push_subscription", {
    subscription: browser.subscription,
  });
  return { ...browser, id: subscription.id };
}

/** A queued push delivery about a new notification. */
async function delivery(user: Person, { body = "Body", priority = "normal" } = {}) {
  const [{ notificationId }] = await sql`
    insert into public.notifications (user_id, type, category, priority, title, body, link)
    values (${user.id}, 'import.failed', 'system', ${priority}, 'Title', ${body}, '/chat')
    returning id as "notificationId"`;
  const [{ deliveryId }] = await sql`
    insert into public.notification_deliveries (notification_id, user_id, type, channel, priority, status, queued_at)
    values (${notificationId}, ${user.id}, 'import.failed', 'push', ${priority}, 'queued', now())
    returning id as "deliveryId"`;
  return { notificationId: notificationId as string, deliveryId: deliveryId as string };
}

async function stateOf(deliveryId: string) {
  const [row] = await sql`
    select d.status, s.last_error as error from public.notification_deliveries d
    left join private.delivery_sends s on s.delivery_id = d.id where d.id = ${deliveryId}`;
  return { ...row };
}

test("sendPush sends the notification to each browser of the user, and the delivery is sent", async () => {
  const user = await newPerson("two-browsers"), browsers = [await browserOf(user), await browserOf(user)];
  const { deliveryId, notificationId } = await delivery(user);
  await sendPush(deliveryId);
  for (const { messages } of browsers) {
    const [{ payload, topic, urgency }] = messages;
    assert.deepEqual(payload, {
      deliveryId,
      notificationId,
      title: "Title",
      body: "Body",
      url: `${stackInfo.url}/chat`,
      count: 1,
      tag: notificationId,
    });
    assert.equal(topic, createHash("sha256").update(notificationId).digest("base64url").slice(0, 32));
    assert.equal(urgency, "normal");
  }
  assert.deepEqual(await stateOf(deliveryId), { status: "sent", error: null });
  await sendPush(deliveryId);
  assert.deepEqual(browsers.map(({ messages }) => messages.length), [1, 1], "a second run sends nothing");
});

test("the urgency of a push message follows the priority of its notification", async () => {
  const user = await newPerson("urgent"), browser = await browserOf(user);
  for (const priority of ["low", "normal", "immediate"]) {
    await sendPush((await delivery(user, { priority })).deliveryId);
  }
  assert.deepEqual(browser.messages.map(({ urgency }) => urgency), ["low", "normal", "high"]);
});

test("a push service keeps a message until the push is too late, and a late push fails without a request", async () => {
  const user = await newPerson("late"), browser = await browserOf(user);
  const first = await delivery(user);
  await sql`update public.notification_deliveries set due_at = now() - interval '23 hours' where id = ${first.deliveryId}`;
  await sendPush(first.deliveryId);
  const [{ ttl }] = browser.messages;
  assert.ok(ttl > 3000 && ttl <= 3600, `${ttl}`);
  const { deliveryId } = await delivery(user);
  await sql`update public.notification_deliveries set due_at = now() - interval '1 day' where id = ${deliveryId}`;
  await sendPush(deliveryId);
  assert.deepEqual(await stateOf(deliveryId), { status: "failed", error: "The push was not sent in time" });
  assert.equal(browser.requests(), 1);
});

test("a long notification is cut to a body of at most 4,096 bytes", async () => {
  const user = await newPerson("long-body"), browser = await browserOf(user);
  await sendPush((await delivery(user, { body: "👩‍👩‍👧‍👦".repeat(250) })).deliveryId);
  const [{ payload, bodyBytes }] = browser.messages;
  assert.ok(bodyBytes > 4060 && bodyBytes <= 4096, `${bodyBytes}`);
  assert.match(String(payload.body), /^(?:👩‍👩‍👧‍👦)+…$/);
});

test("a retry sends only to browsers that have not got the message, with the same topic", async () => {
  const user = await newPerson("retried"), [good, busy] = [await browserOf(user), await browserOf(user)];
  busy.responses.push({ status: 429, headers: { "retry-after": "77" } }, "drop", 503);
  const { deliveryId } = await delivery(user);
  await assert.rejects(sendPush(deliveryId), (error: Error & { seconds: number }) => {
    assert.deepEqual([error.message, error.seconds], [`${service.host} responded 429`, 77]);
    return true;
  });
  assert.equal((await stateOf(deliveryId)).status, "sent", "another browser has accepted it");
  await assert.rejects(sendPush(deliveryId), /closed the connection without responding/);
  await assert.rejects(sendPush(deliveryId), /responded 503/);
  await sendPush(deliveryId);
  assert.deepEqual([good.requests(), busy.requests()], [1, 4]);
  assert.equal(busy.messages.length, 2, "the service had accepted the message before it dropped the connection");
  assert.equal(new Set(busy.messages.map(({ topic }) => topic)).size, 1);
  assert.equal(new Set(busy.messages.map(({ payload }) => JSON.stringify(payload))).size, 1);
});

test("a browser whose subscription has ended becomes inactive and gets no further requests", async () => {
  const user = await newPerson("ended"), [gone, good] = [await browserOf(user), await browserOf(user)];
  gone.responses.push(410);
  const first = await delivery(user);
  await sendPush(first.deliveryId);
  assert.equal((await stateOf(first.deliveryId)).status, "sent");
  const [row] = await sql`select is_active, last_failure_at is not null as failed from public.push_subscriptions
    where id = ${gone.id}`;
  assert.deepEqual({ ...row }, { is_active: false, failed: true });
  await sendPush((await delivery(user)).deliveryId);
  assert.deepEqual([gone.requests(), good.requests()], [1, 2]);
});

test("a delivery that no push service accepts fails with the reason, and the subscription stays active", async () => {
  const user = await newPerson("rejected"), browser = await browserOf(user), { deliveryId } = await delivery(user);
  browser.responses.push({ status: 403, body: "wrong key" });
  await sendPush(deliveryId);
  assert.deepEqual(await stateOf(deliveryId), { status: "failed", error: `${service.host} responded 403 wrong key` });
  await sendPush((await delivery(user)).deliveryId);
  assert.equal(browser.messages.length, 1);
});

test("a subscription that no message can be sent to becomes inactive without a request, with the reason", async () => {
  const stranger = startPushService();
  await sql`
    update private.settings set value = concat_ws(',', coalesce(value, default_value), ${stranger.host}::text)
    where key = 'fetch_allowed_hosts'`;
  const unlisted = stranger.subscribe(), keyless = service.subscribe(), listed = service.subscribe();
  const pointless = { ...keyless.subscription, keys: { p256dh: "AAAA", auth: "AAAA" } };
  for (
    const [subscription, error] of [
      [unlisted.subscription, "The endpoint is of no push service in push_service_hosts"],
      [pointless, "The keys are not a point of P-256 and a secret of 16 bytes"],
    ] as const
  ) {
    const user = await newPerson("unsendable"), { deliveryId } = await delivery(user);
    await callRpc(user, "add_push_subscription", { subscription });
    await sendPush(deliveryId);
    assert.deepEqual(await stateOf(deliveryId), { status: "failed", error });
    const [row] = await sql`select is_active from public.push_subscriptions where user_id = ${user.id}`;
    assert.equal(row.is_active, false);
    await callRpc(user, "add_push_subscription", { subscription: listed.subscription });
    await sendPush((await delivery(user)).deliveryId);
  }
  assert.deepEqual([unlisted.requests(), keyless.requests(), listed.requests()], [0, 0, 2]);
});

test("a delivery to a user without an active subscription is canceled with the reason", async () => {
  const user = await newPerson("no-browser"), { deliveryId } = await delivery(user);
  await sendPush(deliveryId);
  assert.deepEqual(await stateOf(deliveryId), { status: "canceled", error: "The user has no active subscription" });
});

test("a delivery that is clicked after it was sent becomes clicked", async () => {
  const user = await newPerson("clicks"), browser = await browserOf(user), { deliveryId } = await delivery(user);
  await sendPush(deliveryId);
  const response = await fetch(`${stackInfo.functionsUrl}/api/notifications/push/click`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      deliveryId: browser.messages[0].payload.deliveryId,
      notificationId: browser.messages[0].payload.notificationId,
    }),
  });
  assert.deepEqual(await response.json(), { success: true });
  assert.equal((await stateOf(deliveryId)).status, "clicked");
});

test("without VAPID keys, or with malformed ones, functions start and have no public key", async () => {
  const publicKey = async (changes: Record<string, string>) => {
    await using functions = await startFunctions(stackInfo, changes);
    const { token } = await newPerson("reads-key");
    const response = await fetch(`${functions.url}/api/notifications/push-subscriptions`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    return response.status === 200 ? JSON.parse(text).publicKey : response.status;
  };
  assert.equal(await publicKey({}), null);
  assert.equal(Buffer.from(await publicKey(VAPID_ENV), "base64url").length, 65);
  const zero = Buffer.alloc(32).toString("base64url"), high = Buffer.alloc(32, 255).toString("base64url");
  for (const VAPID_PRIVATE_KEY of ["short", zero, high]) {
    assert.equal(await publicKey({ ...VAPID_ENV, VAPID_PRIVATE_KEY }), null, VAPID_PRIVATE_KEY);
  }
});
