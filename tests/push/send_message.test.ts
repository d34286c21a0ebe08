// One message to a push service of the test: encryption, headers, and what each response means.
import assert from "node:assert/strict";
import { withEnvironment } from "../environment.ts";
import { MAX_PAYLOAD_BYTES, serializePayload } from "../../functions/push/payload.ts";
import { PREVIOUS_VAPID, PUSH_ENV, VAPID } from "./environment.ts";
import { type Browser, type ServiceResponse, startPushService } from "./push_service.ts";

const { sendMessage } = await withEnvironment(PUSH_ENV, () => import("../../functions/push/send_message.ts"));

const text = { title: "Title", body: "Grüße 👋" };
const content = { deliveryId: "d", notificationId: "n", ...text, url: "https://app.test/", count: 1, tag: "n" };
const message = { payload: serializePayload(content), topic: "topic-1", urgency: "high" as const, ttlSeconds: 600 };

const service = startPushService(); // ends with the process

async function send(
  { subscription }: Browser,
  response?: ServiceResponse,
  changes: Partial<typeof message> = {},
  timeoutMs = 5000,
) {
  if (response !== undefined) service.response = () => response;
  const options = { allowedHosts: [service.host], userAgent: "Test/1.0", timeoutMs };
  const { endpoint, keys } = subscription;
  return await sendMessage({ endpoint, ...keys }, { ...message, ...changes }, options);
}

Deno.test("a browser can decrypt the message, and the push service knows sender, topic, urgency and lifetime", async () => {
  const browser = service.subscribe();
  assert.deepEqual(await send(browser, 201), { outcome: "accepted" });
  const [{ bodyBytes, cryptoHeader: _, ...received }] = browser.messages;
  assert.deepEqual(received, {
    payload: content,
    topic: "topic-1",
    urgency: "high",
    ttl: 600,
    vapid: { sub: VAPID.subject, publicKey: VAPID.publicKey },
  });
  assert.equal(bodyBytes, 86 + 17 + new TextEncoder().encode(message.payload).length);
});

Deno.test("the longest payload makes a body of exactly 4,096 bytes", async () => {
  const browser = service.subscribe(), payload = serializePayload({ ...content, body: "x".repeat(5000) });
  assert.equal(payload.length, MAX_PAYLOAD_BYTES - 2); // "…" has three bytes
  assert.deepEqual(await send(browser, 201, { payload }), { outcome: "accepted" });
  assert.equal(browser.messages[0].bodyBytes, 4096);
});

Deno.test("each message is encrypted with a salt and a key of its own", async () => {
  const browser = service.subscribe();
  for (const _ of [1, 2]) await send(browser, 201);
  assert.equal(new Set(browser.messages.map(({ cryptoHeader }) => cryptoHeader)).size, 2);
});

const OUTCOMES: [ServiceResponse, string, string][] = [
  [200, "accepted", ""],
  [202, "accepted", ""],
  [404, "ended", "HOST responded 404"],
  [
    { status: 410, body: "push subscription has unsubscribed\n or\0expired." },
    "ended",
    "HOST responded 410 push subscription has unsubscribed or expired.",
  ],
  [400, "rejected", "HOST responded 400"],
  [{ status: 403, body: "x".repeat(2000) }, "rejected", `HOST responded 403 ${"x".repeat(2000)}`],
  [413, "rejected", "HOST responded 413"],
  [{ status: 307, headers: { location: "/elsewhere" } }, "rejected", "HOST responded 307"],
  [408, "pending", "HOST responded 408"],
  [429, "pending", "HOST responded 429"],
  [500, "pending", "HOST responded 500"],
  [503, "pending", "HOST responded 503"],
  ["drop", "pending", "HOST: The server closed the connection without responding"],
];
for (const [response, outcome, reason] of OUTCOMES) {
  const title = typeof response === "object" ? response.status : response;
  Deno.test(`after the response ${title}, a message is ${outcome}`, async () => {
    const result = await send(service.subscribe(), response);
    const expected = reason.replace("HOST", service.host);
    const error = expected.length > 300 ? `${expected.slice(0, 300)}…` : expected;
    assert.deepEqual({ outcome: result.outcome, error: result.error ?? "" }, { outcome, error });
  });
}

Deno.test("a push service that does not respond leaves the message pending", async () => {
  const result = await send(service.subscribe(), "time-out", {}, 50);
  assert.deepEqual(result, { outcome: "pending", error: `${service.host}: The server took too long to respond` });
});

Deno.test("a message that a push service accepted before it dropped the connection is pending", async () => {
  const browser = service.subscribe();
  assert.equal((await send(browser, "drop")).outcome, "pending");
  assert.equal(browser.messages.length, 1);
});

Deno.test("Retry-After tells when to send a message again", async () => {
  const wait = async (headers: Record<string, string>) =>
    (await send(service.subscribe(), { status: 429, headers })).retryAfterSeconds;
  assert.equal(await wait({ "retry-after": "120" }), 120);
  assert.equal(await wait({}), undefined);
});

Deno.test("a message that the push service rejects is signed once more, with the key that was replaced", async () => {
  const browser = service.subscribe();
  browser.responses.push(403);
  assert.deepEqual(await send(browser, 201), { outcome: "accepted" });
  assert.deepEqual(browser.messages.map(({ vapid }) => vapid.publicKey), [PREVIOUS_VAPID.publicKey]);
  browser.responses.push({ status: 403, body: "current" }, { status: 403, body: "previous" });
  assert.match((await send(browser, 201)).error!, /responded 403 current$/);
  browser.responses.push(500);
  const before = browser.requests();
  assert.equal((await send(browser, 201)).outcome, "pending");
  assert.equal(browser.requests(), before + 1);
});

Deno.test("a message is not sent to a private network", async () => {
  const { endpoint, keys } = service.subscribe().subscription;
  const result = await sendMessage({ endpoint, ...keys }, message, { allowedHosts: [], userAgent: "Test/1.0" });
  assert.deepEqual(result, {
    outcome: "rejected",
    error: `${service.host}: The URL does not point to the public internet`,
  });
});
