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
  assert.equal(await agentOf({ userAgent: "y".repeat(600) }, "Safari/26"), "y".repeat(500));
});

Deno.test("POST /push-subscriptions returns 400 that names an invalid field, and for an endpoint without TLS", async () => {
  const good = browser();
  for (
    const [changes, details] of [
      [{ endpoint: "ftp://push.example/" }, /^subscription\.endpoint: /],
      [{ endpoint: `https://fcm.googleapis.com/${"x".repeat(2048)}` }, /^subscription\.endpoint: /],
      [{ expirationTime: "tomorrow" }, /^subscription\.expirationTime: /],
      [{ keys: { auth: good.keys.auth } }, /^subscription\.keys\.p256dh: /],
      [{ keys: { ...good.keys, auth: "" } }, /auth: must be base64url$/],
      [{ keys: { ...good.keys, p256dh: "not base64" } }, /p256dh: must be base64url$/],
      [{ other: 1 }, /^subscription: /],
    ] as const
  ) assertError(await add({ subscription: { ...good, ...changes } }, "owner"), 400, { details });
  assertError(await add({ subscription: good, deviceLabel: " " }, "owner"), 400, {
    details: "The device label must have 1 to 200 characters",
  });
  assertError(await add({ subscription: browser("http://push.example/x") }, "owner"), 400, {
    error: "The endpoint must be an https URL",
    code: "INVALID_URL",
  });
  assert.equal((await add({ subscription: { ...good, expirationTime: 4102444800000 } }, "owner")).status, 201);
});

Deno.test("POST /push-subscriptions stores any https endpoint with any keys", async () => {
  const caller = await newPerson("any-browser");
  const keys = {
    p256dh: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u+Ts1XbjhazAkj7I99e8QcYP7DkM=",
    auth: "x",
  };
  const { is_active } = await registered(caller, { ...browser("https://push.example.com/abc"), keys });
  assert.equal(is_active, true);
});

Deno.test("DELETE /push-subscriptions makes a subscription inactive by id and by endpoint", async () => {
  const caller = await newPerson("removes-browsers");
  const [first, second] = [await registered(caller), await registered(caller)];
  const byId = await removeById(first.id, caller);
  assert.deepEqual(byId.body, { success: true, data: { subscription: { ...first, is_active: false } } });
  const byEndpoint = await removeByEndpoint(second.endpoint, caller);
  assert.deepEqual(byEndpoint.body, { success: true, data: { subscription: { ...second, is_active: false } } });
  assertError(await removeById(crypto.randomUUID(), caller), 404, { error: "Push subscription not found" });
  assertError(await removeById("1", caller), 400, { details: /^id: / });
  assertError(await removeByEndpoint("none", caller), 400, { details: /^endpoint: / });
  assertError(await sendRequest({ method: "DELETE", path: BASE, as: caller }), 400, { details: /^endpoint: / });
});

Deno.test("POST /push/click returns success for any ids, and 400 that names an invalid one", async () => {
  const ids = { deliveryId: crypto.randomUUID(), notificationId: crypto.randomUUID() };
  const { status, body } = await click(ids);
  assert.deepEqual([status, body], [200, { success: true }]);
  for (const name of ["deliveryId", "notificationId"]) {
    for (const id of ["1", undefined]) {
      assertError(await click({ ...ids, [name]: id }), 400, { details: new RegExp(`^${name}: `) });
    }
  }
});
