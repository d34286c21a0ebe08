// /api/notifications/push-subscriptions and /push/click: the browsers of the caller.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createECDH } from "node:crypto";
import { createBrowserKeys } from "../../push/decrypt.ts";
import { assertError, assertKeys, newPerson, person, type RequestOptions, sendRequest, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";

const BASE = "/api/notifications/push-subscriptions";
type Caller = RequestOptions["as"];
const list = (as: Caller) => sendRequest({ method: "GET", path: BASE, as });
const add = (json: unknown, as: Caller, headers?: Record<string, string>) =>
  sendRequest({ method: "POST", path: BASE, as, json, headers });
const removeById = (id: string, as: Caller) => sendRequest({ method: "DELETE", path: `${BASE}/${id}`, as });
const removeByEndpoint = (endpoint: string, as: Caller) =>
  sendRequest({ method: "DELETE", path: `${BASE}?${new URLSearchParams({ endpoint })}`, as });
const click = (json: unknown) => sendRequest({ method: "POST", path: "/api/notifications/push/click", json });

/** What a browser's PushSubscription.toJSON() returns. */
function browser(endpoint = `https://fcm.googleapis.com/fcm/send/${crypto.randomUUID()}`) {
  const { publicKey, auth } = createBrowserKeys();
  const keys = { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") };
  return { endpoint, expirationTime: null as number | null, keys };
}

/** Registers a browser; returns its record. */
async function registered(as: Caller, subscription = browser(), more = {}) {
  const { status, text, body } = await add({ subscription, ...more }, as);
  assert.equal(status, 201, text);
  return body.data.subscription;
}

const owner = await person("owner");
const one = await registered("owner");
const adding = () => Promise.resolve({ path: BASE, json: { subscription: browser() } });
const removing = () => Promise.resolve({ path: `${BASE}/${one.id}` });
const removingEndpoint = () => Promise.resolve({ path: `${BASE}?${new URLSearchParams({ endpoint: one.endpoint })}` });
const clicking = () =>
  Promise.resolve({
    path: "/api/notifications/push/click",
    json: { deliveryId: crypto.randomUUID(), notificationId: crypto.randomUUID() },
  });
assertAccessMatrix(`GET ${BASE}`, () => Promise.resolve({ path: BASE }), { anon: 401 });
assertAccessMatrix(`POST ${BASE}`, adding, { anon: 401 });
assertAccessMatrix(`DELETE ${BASE}`, removingEndpoint, { anon: 401, stranger: 404 });
assertAccessMatrix(`DELETE ${BASE}/:id`, removing, { anon: 401, stranger: 404 });

Deno.test("GET /push-subscriptions lists the caller's subscriptions, newest first, with the public key", async () => {
  const caller = await newPerson("lists-browsers");
  assert.deepEqual((await list(caller)).body.data, { subscriptions: [] });
  const first = await registered(caller), second = await registered(caller);
  const { status, body } = await list(caller);
  assert.equal(status, 200);
  assertKeys(body, "success", "data", "publicKey");
  assert.deepEqual(body.data, { subscriptions: [second, first] });
  assert.equal(Buffer.from(body.publicKey, "base64url").length, 65);
});

Deno.test("the public key is that of the private key in the functions' environment", async () => {
  const { VAPID_PRIVATE_KEY } = JSON.parse(await Deno.readTextFile("supabase/local/functions.json"));
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(Buffer.from(VAPID_PRIVATE_KEY, "base64url"));
  assert.equal((await list(owner)).body.publicKey, curve.getPublicKey().toString("base64url"));
});

Deno.test("POST /push-subscriptions returns 201 with the subscription, and never its keys", async () => {
  const caller = await newPerson("adds-browser"), subscription = browser();
  const json = { subscription, deviceLabel: " Ada's\nphone ", userAgent: "Firefox/140" };
  const { status, body } = await add(json, caller);
  assert.equal(status, 201);
  assertKeys(body, "success", "data");
  assertKeys(body.data, "subscription");
  const { id, created_at, ...rest } = body.data.subscription;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    endpoint: subscription.endpoint,
    device_label: "Ada's phone",
    user_agent: "Firefox/140",
    is_active: true,
    last_used_at: null,
  });
  const [stored] = await sql`select p256dh, auth from private.push_subscription_keys where subscription_id = ${id}`;
  assert.deepEqual({ ...stored }, subscription.keys);
});

Deno.test("POST /push-subscriptions uses the header User-Agent without userAgent", async () => {
  const caller = await newPerson("user-agent"), subscription = browser();
  const agentOf = async (more: object, header: string) =>
    (await add({ subscription, ...more }, caller, { "user-agent": header })).body.data.subscription.user_agent;
  assert.equal(await agentOf({}, "Safari/26"), "Safari/26");
  assert.equal(await agentOf({ userAgent: null }, "Safari/26"), "Safari/26");
  assert.equal(await agentOf({ userAgent: "Own app" }, "Safari/26"), "Own app");
  assert.equal(await agentOf({}, "x".repeat(600)), "x".repeat(500));
});

Deno.test("POST /push-subscriptions updates and reactivates a known endpoint", async () => {
  const caller = await newPerson("registers-again"), subscription = browser();
  const { id, created_at } = await registered(caller, subscription, { deviceLabel: "Phone" });
  assert.equal((await removeById(id, caller)).body.data.subscription.is_active, false);
  const again = await registered(caller, { ...subscription, keys: browser().keys }, { deviceLabel: "Old phone" });
  assert.deepEqual([again.id, again.created_at, again.is_active, again.device_label], [
    id,
    created_at,
    true,
    "Old phone",
  ]);
});

Deno.test("POST /push-subscriptions moves another user's endpoint to the caller", async () => {
  const [former, next] = await Promise.all([newPerson("former-user"), newPerson("next-user")]);
  const subscription = browser();
  await registered(former, subscription, { deviceLabel: "Shared laptop" });
  const moved = await registered(next, subscription);
  assert.deepEqual([moved.device_label, moved.last_used_at], [null, null]);
  assert.deepEqual((await list(former)).body.data.subscriptions, []);
  assert.deepEqual((await list(next)).body.data.subscriptions, [moved]);
  assertError(await removeByEndpoint(subscription.endpoint, former), 404);
});

Deno.test("POST /push-subscriptions rejects what no browser sends", async () => {
  const good = browser();
  const rejected = async (changes: object, more: object, details: RegExp) =>
    assertError(await add({ subscription: { ...good, ...changes }, ...more }, "owner"), 400, { details });
  await rejected({ endpoint: "ftp://push.example/" }, {}, /^subscription\.endpoint: /);
  await rejected({ endpoint: `https://fcm.googleapis.com/${"x".repeat(2048)}` }, {}, /^subscription\.endpoint: /);
  await rejected({ expirationTime: "tomorrow" }, {}, /^subscription\.expirationTime: /);
  await rejected({ keys: { auth: good.keys.auth } }, {}, /^subscription\.keys\.p256dh: /);
  await rejected({ keys: { p256dh: good.keys.p256dh } }, {}, /^subscription\.keys\.auth: /);
  await rejected({ keys: { ...good.keys, auth: "short" } }, {}, /auth: must be 16 bytes in base64url$/);
  await rejected({ keys: { ...good.keys, p256dh: "short" } }, {}, /p256dh: must be 65 bytes in base64url$/);
  await rejected({ keys: { ...good.keys, p256dh: `B${"A".repeat(86)}` } }, {}, /^p256dh_is_a_p256_point$/);
  await rejected({ other: 1 }, {}, /^subscription: /);
  await rejected({}, { other: 1 }, /other/);
  await rejected({}, { deviceLabel: "x".repeat(201) }, /^device_label_is_1_to_200_chars$/);
  await rejected({}, { deviceLabel: " " }, /^device_label_is_1_to_200_chars$/);
  await rejected({}, { userAgent: "x".repeat(501) }, /^user_agent_is_at_most_500_chars$/);
  assertError(await add({}, "owner"), 400, { details: /^subscription: / });
  assert.equal((await add({ subscription: { ...good, expirationTime: 4102444800000 } }, "owner")).status, 201);
});

Deno.test("POST /push-subscriptions rejects endpoints of other hosts than push services", async () => {
  const hosts = ["https://push.example", "http://fcm.googleapis.com", "http://127.0.0.1:1", "https://[::1]"];
  for (const host of hosts) {
    assertError(await add({ subscription: browser(`${host}/x`) }, "owner"), 400, {
      error: "The endpoint must be an https URL of a known push service",
      code: "UNKNOWN_PUSH_SERVICE",
    });
  }
});

Deno.test("POST /push-subscriptions returns 429 over 60 registrations of an hour", async () => {
  const caller = await newPerson("registers-often");
  await sql`insert into private.rate_limits (key, window_started_at, expires_at, request_count)
    values (${`push_subscriptions:${caller.id}`}, now(), now() + interval '1 day', 59)`;
  await registered(caller);
  const response = await add({ subscription: browser() }, caller);
  assertError(response, 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
});

Deno.test("DELETE /push-subscriptions makes a subscription inactive by id and by endpoint", async () => {
  const caller = await newPerson("removes-browsers");
  const [first, second] = [await registered(caller), await registered(caller)];
  for (const response of [await removeById(first.id, caller), await removeById(first.id, caller)]) {
    assert.deepEqual(response.body, { success: true, data: { subscription: { ...first, is_active: false } } });
  }
  const { body } = await removeByEndpoint(second.endpoint, caller);
  assert.deepEqual(body, { success: true, data: { subscription: { ...second, is_active: false } } });
  const [{ failed }] = await sql`select count(last_failure_at)::int as failed from public.push_subscriptions
    where user_id = ${caller.id}`;
  assert.equal(failed, 2);
});

Deno.test("DELETE /push-subscriptions returns 404 for an unknown subscription and 400 for a malformed one", async () => {
  assertError(await removeById(crypto.randomUUID(), "owner"), 404, { error: "Push subscription not found" });
  assertError(await removeByEndpoint("https://fcm.googleapis.com/none", "owner"), 404);
  assertError(await removeById("1", "owner"), 400, { details: /^id: / });
  assertError(await removeByEndpoint("none", "owner"), 400, { details: /^endpoint: / });
  assertError(await sendRequest({ method: "DELETE", path: BASE, as: "owner" }), 400, { details: /^endpoint: / });
});

Deno.test("POST /push/click makes a delivery clicked, and returns the same for unknown ids", async () => {
  const [{ notification_id: notificationId }] = await sql`
    insert into public.notifications (user_id, type, category, priority, title)
    values (${owner.id}, 'import.failed', 'system', 'immediate', 'Failed') returning id as notification_id`;
  const [{ id: deliveryId }] = await sql`
    insert into public.notification_deliveries (notification_id, user_id, type, channel, priority, status)
    values (${notificationId}, ${owner.id}, 'import.failed', 'push', 'immediate', 'sent') returning id`;
  const statusNow = async () =>
    (await sql`select status from public.notification_deliveries where id = ${deliveryId}`)[0].status;
  for (const wrong of [{ deliveryId }, { notificationId }]) {
    const ids = { deliveryId: crypto.randomUUID(), notificationId: crypto.randomUUID(), ...wrong };
    const { status, body } = await click(ids);
    assert.deepEqual([status, body], [200, { success: true }]);
  }
  assert.equal(await statusNow(), "sent");
  const { status, body } = await click({ deliveryId, notificationId });
  assert.deepEqual([status, body, await statusNow()], [200, { success: true }, "clicked"]);
  assertError(await click({ deliveryId }), 400, { details: /^notificationId: / });
  assertError(await click({ deliveryId: "1", notificationId }), 400, { details: /^deliveryId: / });
  assertError(await click({ deliveryId, notificationId, more: 1 }), 400);
});

Deno.test("supabase-js registers, lists and removes subscriptions, and reads the table", async () => {
  const { client } = await newPerson("by-rpc");
  const added = await client.rpc("add_push_subscription", { subscription: browser(), device_label: "Phone" });
  assert.equal(added.status, 201, JSON.stringify(added.error));
  const { id, endpoint } = added.data.subscription;
  const listed = await client.rpc("list_push_subscriptions").throwOnError();
  assert.deepEqual(listed.data, { subscriptions: [added.data.subscription] });
  const rows = await client.from("push_subscriptions").select("id, endpoint, last_failure_at").throwOnError();
  assert.deepEqual(rows.data, [{ id, endpoint, last_failure_at: null }]);
  const removed = await client.rpc("remove_push_subscription", { endpoint }).throwOnError();
  assert.equal(removed.data.subscription.is_active, false);
  const wrong = await client.rpc("add_push_subscription", { subscription: browser("https://push.example/") });
  assert.deepEqual([wrong.status, wrong.error?.hint], [400, "UNKNOWN_PUSH_SERVICE"]);
  const clicked = await client.rpc("record_push_click", { delivery_id: id, notification_id: id }).throwOnError();
  assert.deepEqual(clicked.data, { success: true });
});
