// Webhooks: what receivers get, and what each response, or none, means.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { postWebhook, type WebhookRequest } from "../../functions/automations/post_webhook.ts";
import { type Peer, startPeer, type Visit } from "../safe_fetch/peer.ts";

const [FIRST, SECOND, OTHER] = ["a", "b", "c"].map((letter) => `whsec_${btoa(letter.repeat(32))}`);
const REQUEST = {
  webhook_id: "msg_1_2",
  body: `{"type": "episode.published", "data": {"title": "Zoë & “friends” 🚉\\n"}}`,
  headers: {},
  secrets: [FIRST],
};
const OK = "HTTP/1.1 204 No Content\r\n\r\n";

const send = ({ url, host }: Peer, fields: Partial<WebhookRequest> = {}) =>
  postWebhook({ ...REQUEST, url, ...fields }, { allowedHosts: [host], userAgent: "Test/1.0" });

interface Received {
  requestLine: string;
  headers: Record<string, string>;
  body: string;
}

/** Reads a request with its body, which may arrive in several pieces. */
async function readRequest({ request, receive }: Visit): Promise<Received> {
  let text = request;
  const [head] = text.split("\r\n\r\n"), [requestLine, ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s)));
  const bodyOf = () => text.slice(head.length + 4);
  while (new TextEncoder().encode(bodyOf()).length < Number(headers["content-length"])) text += await receive();
  return { requestLine, headers, body: bodyOf() };
}

/** Sends a webhook to a receiver that accepts it, and returns what arrived. */
async function receive(fields: Partial<WebhookRequest> = {}): Promise<Received & { url: string }> {
  let received: Received;
  await using peer = startPeer(async (visit) => {
    received = await readRequest(visit);
    await visit.send(OK);
  });
  const url = `${peer.url}in?key=a%20b`;
  assert.deepEqual(await send(peer, { url, ...fields }), { outcome: "accepted", status: 204 });
  return { ...received!, url };
}

Deno.test("postWebhook sends the headers of Standard Webhooks, no others of its own, and the body's bytes", async () => {
  const earliest = Math.floor(Date.now() / 1000);
  const { requestLine, headers, body, url } = await receive();
  assert.equal(requestLine, "POST /in?key=a%20b HTTP/1.1");
  assert.equal(body, REQUEST.body);
  const { "webhook-timestamp": timestamp, "webhook-signature": signature, ...rest } = headers;
  assert.deepEqual(rest, {
    "host": new URL(url).host,
    "accept": "*/*",
    "accept-encoding": "identity",
    "content-type": "application/json",
    "user-agent": "Test/1.0",
    "webhook-id": "msg_1_2",
    "content-length": String(new TextEncoder().encode(REQUEST.body).length),
    "connection": "close",
  });
  assert.match(timestamp, /^\d{10}$/);
  assert.ok(Number(timestamp) >= earliest && Number(timestamp) <= Date.now() / 1000);
  assert.match(signature, /^v1,[A-Za-z0-9+/]{43}=$/);
});

Deno.test("the package standardwebhooks verifies the signature with the secret, and with no other", async () => {
  const { headers, body } = await receive();
  assert.deepEqual(new Webhook(FIRST).verify(body, headers), JSON.parse(REQUEST.body));
  assert.throws(() => new Webhook(SECOND).verify(body, headers), /No matching signature/);
  assert.throws(() => new Webhook(FIRST).verify(body.replace("Zoë", "Zoe"), headers), /No matching signature/);
  assert.throws(() => new Webhook(FIRST).verify(body, { ...headers, "webhook-id": "msg_3" }), /No matching signature/);
});

Deno.test("during a rotation the package standardwebhooks verifies the signature with each secret", async () => {
  const { headers, body } = await receive({ secrets: [SECOND, FIRST] });
  assert.equal(headers["webhook-signature"].split(" ").length, 2);
  for (const secret of [FIRST, SECOND]) new Webhook(secret).verify(body, headers);
  assert.throws(() => new Webhook(OTHER).verify(body, headers), /No matching signature/);
});

const head = (status: number, ...lines: string[]) => `HTTP/1.1 ${[`${status} Status`, ...lines, "", ""].join("\r\n")}`;

Deno.test("each 2xx response accepts a webhook", async () => {
  for (const status of [200, 201, 202, 204, 299]) {
    await using peer = startPeer(head(status, "Content-Length: 0"));
    assert.deepEqual(await send(peer), { outcome: "accepted", status });
  }
});

Deno.test("a 4xx response other than 408, 409, 425 and 429 rejects a webhook permanently", async () => {
  for (const status of [400, 401, 403, 404, 418, 422, 499]) {
    await using peer = startPeer(head(status, "Content-Length: 0", "Retry-After: 5"));
    const result = await send(peer);
    assert.deepEqual([result.outcome, result.status, result.error], [
      "rejected",
      status,
      `The server responded with status ${status}`,
    ]);
  }
});

Deno.test("a temporary 4xx or a 5xx response makes a webhook wait for another attempt, as long as Retry-After says", async () => {
  for (
    const [status, lines, seconds] of [
      [408, [], undefined],
      [409, [], undefined],
      [425, [], undefined],
      [429, [], undefined],
      [429, ["Retry-After: 999999999"], 604_800], // 7 days
      [429, ["Retry-After: 120"], 120],
      [429, ["Retry-After: soon"], undefined],
      [429, ["Retry-After: Thu, 01 Jan 1970 00:00:00 GMT"], 0],
      [500, [], undefined],
      [502, [], undefined],
      [503, ["Retry-After: 7"], 7],
      [504, [], undefined],
      [599, [], undefined],
    ] as const
  ) {
    await using peer = startPeer(head(status, "Content-Length: 0", ...lines));
    const { outcome, error, retryAfterSeconds } = await send(peer);
    assert.deepEqual([outcome, error, retryAfterSeconds], [
      "pending",
      `The server responded with status ${status}`,
      seconds,
    ]);
  }
});

Deno.test("410 rejects a webhook, with what becomes of it", async () => {
  await using peer = startPeer(head(410, "Content-Length: 0"));
  assert.deepEqual(await send(peer), {
    outcome: "rejected",
    status: 410,
    error: "The server responded with status 410 (Gone): the webhook no longer exists there, and is disabled",
    retryAfterSeconds: undefined,
  });
});

Deno.test("headers of one's own replace those of the product, except those of Standard Webhooks", async () => {
  const { headers, body } = await receive({
    headers: { "authorization": "Bearer abc", "content-type": "text/json", "webhook-id": "msg_x" },
  });
  assert.deepEqual([headers.authorization, headers["content-type"], headers["webhook-id"]], [
    "Bearer abc",
    "text/json",
    "msg_1_2",
  ]);
  new Webhook(FIRST).verify(body, headers);
});

Deno.test("a webhook without secrets has no signature, but an id and a time", async () => {
  const { headers } = await receive({ secrets: [] });
  assert.deepEqual(Object.keys(headers).filter((name) => name.startsWith("webhook-")).sort(), [
    "webhook-id",
    "webhook-timestamp",
  ]);
});

Deno.test("a redirect rejects a webhook", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    await using peer = startPeer(head(status, "Location: https://hooks.example/", "Content-Length: 0"));
    const { outcome, error } = await send(peer);
    assert.deepEqual([outcome, error], [
      "rejected",
      `The server responded with the redirect ${status}, which webhooks do not follow`,
    ]);
  }
});

Deno.test("a webhook without a response waits for another attempt, with the reason", async () => {
  const peer = startPeer(OK);
  await peer[Symbol.asyncDispose]();
  assert.deepEqual(await send(peer), { outcome: "pending", error: "Could not connect to the server" });
});

Deno.test("a URL that may not be requested rejects a webhook, with the reason", async () => {
  await using peer = startPeer(OK);
  const result = await postWebhook({ ...REQUEST, url: peer.url }, { allowedHosts: [], userAgent: "Test/1.0" });
  assert.deepEqual(result, { outcome: "rejected", error: "The URL does not point to the public internet" });
  assert.equal(peer.requests.length, 0);
});

Deno.test("errors of webhooks contain no secret, no path and nothing that the receiver sent", async () => {
  const text = "a secret of the receiver";
  for (
    const response of [
      `HTTP/1.1 500 ${text}\r\nX-Note: ${text}\r\n\r\n${text}`,
      `HTTP/1.1 400 ${text}\r\n\r\n${text}`,
      `HTTP/1.1 302 ${text}\r\nLocation: http://10.0.0.7/${text}\r\n\r\n`,
    ]
  ) {
    await using peer = startPeer(response);
    const { error } = await send(peer, { url: `${peer.url}private-path?key=private-key` });
    for (const hidden of [text, "private", "10.0.0.7", "127.0.0.1", FIRST, FIRST.slice(6), REQUEST.body]) {
      assert.ok(error && !error.includes(hidden), error);
    }
  }
});
