// One ping of a receiver: what it gets, and what each response, or none, means.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { PermanentError, RetryAfterError } from "../../functions/app/job_run.ts";
import { type Ping, postPing } from "../../functions/feed_pings/post_ping.ts";
import { type Peer, startPeer, type Visit } from "../safe_fetch/peer.ts";
import { stoppedClock } from "../safe_fetch/stopped_clock.ts";
import { waitFor, within } from "../wait_for.ts";

const PING = { headers: { "content-type": "text/plain", authorization: "a secret" }, body: "Zoë" };
const head = (status: number, ...lines: string[]) => `HTTP/1.1 ${[`${status} Status`, ...lines, "", ""].join("\r\n")}`;

const post = ({ url, host }: Peer, fields: Partial<Ping> = {}) =>
  postPing("The hub", { ...PING, url, ...fields }, { allowedHosts: [host] });

/** The reason and the seconds of an error after which the ping is sent again. */
async function retryOf(posting: Promise<void>) {
  const error = await posting.then(() => undefined, (error) => error);
  assert.ok(error instanceof RetryAfterError, String(error));
  assert.equal(error.cause, undefined, "a cause would reach the dead letter");
  return [error.message, error.seconds];
}

Deno.test("postPing sends one POST with headers and body, and accepts each 2xx response", async () => {
  for (const status of [200, 201, 202, 204, 299]) {
    let request = "";
    await using peer = startPeer(async (visit) => {
      request = visit.request;
      while (!request.endsWith(PING.body)) request += await visit.receive();
      await visit.send(head(status, "Content-Length: 0"));
    });
    await post(peer, { url: `${peer.url}in?key=a%20b` });
    assert.equal(peer.requests.length, 1);
    const [requestLine, ...lines] = request.split("\r\n");
    assert.equal(requestLine, "POST /in?key=a%20b HTTP/1.1");
    for (const line of ["authorization: a secret", "content-type: text/plain", "content-length: 4"]) {
      assert.ok(lines.includes(line), request);
    }
  }
});

Deno.test("a response other than 2xx makes a ping wait, as long as Retry-After says", async () => {
  for (
    const [status, lines, seconds] of [
      [400, [], 0],
      [401, [], 0],
      [404, [], 0],
      [429, ["Retry-After: 120"], 120],
      [429, ["Retry-After: soon"], 0],
      [500, [], 0],
      [503, ["Retry-After: Thu, 01 Jan 1970 00:00:00 GMT"], 0],
    ] as const
  ) {
    await using peer = startPeer(head(status, "Content-Length: 0", ...lines));
    assert.deepEqual(await retryOf(post(peer)), [`The hub responded with status ${status}`, seconds]);
  }
});

Deno.test("a redirect makes a ping wait, and its target gets neither a request nor the authorization", async () => {
  await using target = startPeer(head(204));
  for (const status of [301, 302, 303, 307, 308]) {
    await using peer = startPeer(head(status, `Location: ${target.url}`, "Content-Length: 0"));
    const posting = postPing("The hub", { ...PING, url: peer.url }, { allowedHosts: [peer.host, target.host] });
    assert.deepEqual(await retryOf(posting), [`The hub responded with status ${status}`, 0]);
  }
  assert.equal(target.requests.length, 0);
});

Deno.test("a receiver that breaks the connection, or does not speak HTTP, makes a ping wait", async () => {
  const body = "x".repeat(60_000);
  const broken: [title: string, response: Parameters<typeof startPeer>[0]][] = [
    ["closes without a response", async ({ receive }) => {
      for (let left = body.length; left > 0;) left -= (await receive())?.length ?? left;
    }],
    ["resets the connection before it has read the body", () => {}],
    ["closes within the head", "HTTP/1.1 200 OK\r\nContent-"],
    ["sends garbage", "\0\xff garbage\r\n\r\n"],
    ["sends an endless head", async ({ send }) => {
      for (let n = 0; n < 10_000; n++) await send(`a${n}: ${"x".repeat(100)}\r\n`);
    }],
  ];
  for (const [title, response] of broken) {
    await using peer = startPeer(response);
    const [reason] = await retryOf(within(title, post(peer, { body })));
    assert.match(String(reason), /^The hub: The (?:server|connection) [^()]+$/, title);
    assert.equal(peer.requests.length, 1, title);
  }
});

Deno.test("a receiver that refuses connections, is unknown or has no TLS makes a ping wait", async () => {
  const closed = startPeer(head(204));
  await closed[Symbol.asyncDispose]();
  assert.deepEqual(await retryOf(post(closed)), ["The hub: Could not connect to the server", 0]);
  const unknown = postPing("The hub", { ...PING, url: "https://hub.test/" }, {
    allowedHosts: [],
    network: { resolve: () => Promise.reject(new Error("NXDOMAIN from the resolver 10.0.0.53")) },
  });
  assert.deepEqual(await retryOf(unknown), ["The hub: Host hub.test was not found", 0]);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const plain = (async () => {
    using connection = await listener.accept();
    await connection.write(new TextEncoder().encode(head(400)));
  })();
  const host = `127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  const posting = postPing("The hub", { ...PING, url: `https://${host}/` }, { allowedHosts: [host] });
  assert.deepEqual(await retryOf(posting), ["The hub: Could not establish a secure connection to 127.0.0.1", 0]);
  await plain;
});

Deno.test("a huge or slow body of a response delays no ping: the status decides", async () => {
  const bodies: [title: string, response: (visit: Visit) => Promise<unknown>][] = [
    ["endless", async ({ send, left }) => {
      let hasLeft = false;
      const leaving = left().then(() => hasLeft = true);
      await send(head(200)); // ends when the client disconnects
      while (!hasLeft) await send("x".repeat(65_536));
      await leaving;
    }],
    ["longer than a disk", ({ send, left }) => send(head(200, `Content-Length: ${10 ** 12}`)).then(left)],
    ["never sent", ({ send, left }) => send(head(200, "Content-Length: 9")).then(left)],
  ];
  for (const [title, response] of bodies) {
    await using peer = startPeer(response);
    using _clock = stoppedClock();// no time limit ends the body
    await within(`a body that is ${title}`, post(peer));
  }
});

for (
  const [title, response] of [
    ["does not respond", ({ left }: Visit) => left()],
    ["sends the head slowly", async ({ send, left }: Visit) => (await send("HTTP/1.1 2"), await left())],
  ] as const
) {
  Deno.test(`a receiver that ${title} makes a ping wait after ten seconds`, async () => {
    await using peer = startPeer(response);
    using clock = stoppedClock();
    let hasEnded = false;
    const retry = retryOf(post(peer)).finally(() => hasEnded = true);
    await waitFor("the request arrives", () => peer.requests.length === 1);
    clock.advance(9_999);
    await setImmediate();
    assert.equal(hasEnded, false);
    clock.advance(1);
    assert.deepEqual(await within("the time limit", retry), ["The hub: The server took too long to respond", 0]);
  });
}

Deno.test("postPing rejects private and malformed addresses permanently, before it connects", async () => {
  await using peer = startPeer(head(204));
  const resolve = () => Promise.resolve(["127.0.0.1"]);
  for (
    const url of [
      peer.url,
      `http://localhost:${peer.port}/`,
      "http://169.254.169.254/latest/meta-data/",
      "https://rebound.test/",
      "https://hub.test:22/",
      "nonsense",
    ]
  ) {
    const error = await postPing("The hub", { ...PING, url }, { allowedHosts: [], network: { resolve } })
      .catch((error) => error);
    assert.ok(error instanceof PermanentError, url);
    assert.ok(/^The hub: [A-Z][^()]+$/.test(error.message) && error.cause === undefined, error.message);
  }
  assert.equal(peer.requests.length, 0);
});

Deno.test("errors of pings contain no authorization, no path, no IP address and nothing that the receiver sent", async () => {
  const text = "a text of the receiver";
  for (
    const response of [
      `HTTP/1.1 500 ${text}\r\nX-Note: ${text}\r\n\r\n${text}`,
      `HTTP/1.1 302 ${text}\r\nLocation: http://10.0.0.7/${text}\r\n\r\n`,
      text,
      "",
    ]
  ) {
    await using peer = startPeer(response);
    const [reason] = await retryOf(post(peer, { url: `${peer.url}private-path?key=private-key` }));
    for (const hidden of [text, "private", "10.0.0.7", "127.0.0.1", "secret"]) {
      assert.ok(!String(reason).includes(hidden), String(reason));
    }
  }
});
