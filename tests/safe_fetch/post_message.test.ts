// One message to a receiver: what it gets, and receivers that misbehave.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { type Message, postMessage } from "../../functions/safe_fetch/post_message.ts";
import { waitFor, within } from "../wait_for.ts";
import { type Peer, startPeer, type Visit } from "./peer.ts";
import { stoppedClock } from "./stopped_clock.ts";

const MESSAGE = { headers: { "content-type": "text/plain", authorization: "a secret" }, body: "Zoë" };
const head = (status: number, ...lines: string[]) => `HTTP/1.1 ${[`${status} Status`, ...lines, "", ""].join("\r\n")}`;

const post = ({ url, host }: Peer, fields: Partial<Message> = {}) =>
  postMessage({ ...MESSAGE, url, ...fields }, { allowedHosts: [host], userAgent: "Test/1.0" });

/** The error of a message that got no response. */
async function errorOf(posting: ReturnType<typeof postMessage>) {
  const result = await posting;
  assert.ok(result.error !== undefined, JSON.stringify(result));
  return result;
}
const temporary = (error: string) => ({ error, isTemporary: true });

Deno.test("postMessage sends one POST with headers and body, and returns status and headers", async () => {
  let request = "";
  await using peer = startPeer(async (visit) => {
    request = visit.request;
    while (!request.endsWith(MESSAGE.body)) request += await visit.receive();
    await visit.send(head(503, "Retry-After: 7", "Content-Length: 0"));
  });
  const result = await post(peer, { url: `${peer.url}in?key=a%20b` });
  assert.ok(result.error === undefined);
  assert.deepEqual([result.status, result.headers.get("retry-after")], [503, "7"]);
  assert.equal(peer.requests.length, 1);
  const [requestLine, ...lines] = request.split("\r\n");
  assert.equal(requestLine, "POST /in?key=a%20b HTTP/1.1");
  for (const line of ["authorization: a secret", "content-type: text/plain", "content-length: 4"]) {
    assert.ok(lines.includes(line), request);
  }
});

Deno.test("postMessage returns redirects, and their target gets no request", async () => {
  await using target = startPeer(head(204));
  for (const status of [301, 302, 303, 307, 308]) {
    await using peer = startPeer(head(status, `Location: ${target.url}`, "Content-Length: 0"));
    const result = await postMessage({ ...MESSAGE, url: peer.url }, {
      allowedHosts: [peer.host, target.host],
      userAgent: "Test/1.0",
    });
    assert.equal(result.error ?? result.status, status);
  }
  assert.equal(target.requests.length, 0);
});

Deno.test("a receiver that breaks the connection, or does not speak HTTP, is a temporary error", async () => {
  const body = "x".repeat(60_000);
  const broken: [title: string, response: Parameters<typeof startPeer>[0]][] = [
    ["closes without a response", async ({ request, receive }) => {
      const [, arrived] = request.split("\r\n\r\n");
      for (let left = body.length - arrived.length; left > 0;) left -= (await receive())?.length ?? left;
    }],
    ["resets the connection before it has read the body", () => {}],
    ["closes within the head", "HTTP/1.1 200 OK\r\nContent-"],
    ["sends garbage", "\0\xff garbage\r\n\r\n"],
    ["speaks another protocol", "220 smtp.test ESMTP\r\n\r\n"],
    ["sends an endless head", async ({ send }) => {
      for (let n = 0; n < 10_000; n++) await send(`a${n}: ${"x".repeat(100)}\r\n`);
    }],
  ];
  for (const [title, response] of broken) {
    await using peer = startPeer(response);
    const { error, isTemporary } = await errorOf(within(title, post(peer, { body })));
    assert.match(error, /^The (?:server|connection) [^()]+$/, title);
    assert.equal(isTemporary, true, title);
    assert.equal(peer.requests.length, 1, title);
  }
});

Deno.test("a receiver that refuses connections, is unknown or has no TLS is a temporary error", async () => {
  const closed = startPeer(head(204));
  await closed[Symbol.asyncDispose]();
  assert.deepEqual(await post(closed), temporary("Could not connect to the server"));
  const unknown = postMessage({ ...MESSAGE, url: "https://hub.test/" }, {
    allowedHosts: [],
    userAgent: "Test/1.0",
    network: { resolve: () => Promise.reject(new Error("NXDOMAIN from the resolver 10.0.0.53")) },
  });
  assert.deepEqual(await unknown, temporary("Host hub.test was not found"));
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const plain = (async () => {
    using connection = await listener.accept();
    await connection.write(new TextEncoder().encode(head(400)));
  })();
  const host = `127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  const secure = postMessage({ ...MESSAGE, url: `https://${host}/` }, { allowedHosts: [host], userAgent: "Test/1.0" });
  assert.deepEqual(await secure, temporary("Could not establish a secure connection to 127.0.0.1"));
  await plain;
});

Deno.test("a huge or slow body of a response delays no message: the status decides", async () => {
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
    ["invalid", ({ send, left }) => send(head(200, "Transfer-Encoding: chunked") + "zz\r\n").then(left)],
  ];
  for (const [title, response] of bodies) {
    await using peer = startPeer(response);
    using _clock = stoppedClock();// no time limit ends the body
    const result = await within(`a body that is ${title}`, post(peer));
    assert.equal(result.error ?? result.status, 200, title);
  }
});

for (
  const [title, response] of [
    ["does not respond", ({ left }: Visit) => left()],
    ["sends the head slowly", async ({ send, left }: Visit) => (await send("HTTP/1.1 2"), await left())],
  ] as const
) {
  Deno.test(`a receiver that ${title} is a temporary error after ten seconds`, async () => {
    await using peer = startPeer(response);
    using clock = stoppedClock();
    let hasEnded = false;
    const posting = post(peer).finally(() => hasEnded = true);
    await waitFor("the request arrives", () => peer.requests.length === 1);
    clock.advance(9_999);
    await setImmediate();
    assert.equal(hasEnded, false);
    clock.advance(1);
    assert.deepEqual(await within("the time limit", posting), temporary("The server took too long to respond"));
  });
}

Deno.test("private, local and malformed addresses are errors that no attempt corrects, before a connection", async () => {
  await using peer = startPeer(head(204));
  const resolveTo = (address: string) => ({ resolve: () => Promise.resolve([address]) });
  for (
    const [url, network] of [
      [peer.url],
      [`http://localhost:${peer.port}/`],
      ["http://10.0.0.1/"],
      ["http://169.254.169.254/latest/meta-data/"],
      ["http://[::1]/"],
      ["http://[::ffff:127.0.0.1]/"],
      ["http://2130706433/"],
      ["http://metadata.internal/"],
      ["https://rebound.test/", resolveTo("127.0.0.1")],
      ["https://rebound.test/", resolveTo("fd00::1")],
      ["https://hooks.test:22/", resolveTo("93.184.215.14")],
      ["https://user:password@hooks.test/", resolveTo("93.184.215.14")],
      ["ftp://hooks.test/"],
      ["nonsense"],
    ] as const
  ) {
    const { error, isTemporary } = await errorOf(
      postMessage({ ...MESSAGE, url }, { allowedHosts: [], userAgent: "Test/1.0", network }),
    );
    assert.equal(isTemporary, false, url);
    assert.ok(/^[A-Z][^()]+$/.test(error) && !/127\.0\.0\.1|fd00|password/.test(error), error);
  }
  assert.equal(peer.requests.length, 0);
});

Deno.test("errors of messages contain no authorization, no path, no IP address and nothing of the receiver", async () => {
  const text = "a text of the receiver";
  for (const response of [text, ""]) {
    await using peer = startPeer(response);
    const { error } = await errorOf(post(peer, { url: `${peer.url}private-path?key=private-key` }));
    for (const hidden of [text, "private", "127.0.0.1", "secret", MESSAGE.body]) {
      assert.ok(!error.includes(hidden), error);
    }
  }
});
