// Connections that are kept for the next file of their origin.
import assert from "node:assert/strict";
import type { SafeFetchOptions } from "../../functions/safe_fetch/safe_fetch.ts";
import type { Connection } from "../../functions/safe_fetch/connection.ts";
import { startDeadline } from "../../functions/safe_fetch/deadline.ts";
import { lengthFraming } from "../../functions/safe_fetch/framing.ts";
import { readResponseBody } from "../../functions/safe_fetch/response_body.ts";
import { type Authority, authority } from "./certificate.ts";
import { assertFails, fetchAs, fetchText } from "./assertions.ts";
import { type Peer, startPeer, type Visit } from "./peer.ts";
import { stoppedClock } from "./stopped_clock.ts";
import { within } from "../wait_for.ts";

const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const pathOf = (request: string) => request.split(" ")[1];

/** A peer that keeps its connections. */
const startSource = (response: Parameters<typeof startPeer>[0], tls?: Certificate) =>
  startPeer(response, { tls, keepsConnections: true });
type Certificate = ReturnType<Authority["issue"]>;

const keeping = ({ host }: Peer): Partial<SafeFetchOptions> => ({ allowedHosts: [host], keepsConnection: true });

/** Fetches a file of the peer and keeps the connection. */
const fetchFrom = (source: Peer, options: Partial<SafeFetchOptions> = {}) =>
  fetchText(source.url, { ...keeping(source), ...options });

Deno.test("safeFetch requests the next file of an origin on the connection that it kept", async () => {
  await using source = startSource(({ request, send }) => send(ok(pathOf(request))));
  for (const path of ["/a", "/b", "/c"]) {
    assert.equal(await fetchText(new URL(path, source.url).href, keeping(source)), path);
  }
  assert.deepEqual([source.connections, source.requests.length], [1, 3]);
  for (const request of source.requests) assert.match(request, /\r\nconnection: keep-alive\r\n\r\n$/);
});

const trusted = authority();
const certificate = trusted.issue(["a.example", "b.example"]);

/** A network in which every name leads to the peer at a public address. */
const networkTo = ({ port }: Peer, caCerts = [trusted.cert]) => ({
  resolve: () => Promise.resolve(["93.184.216.34"]),
  connect: () => Deno.connect({ hostname: "127.0.0.1", port }),
  caCerts,
});

Deno.test("safeFetch keeps a TLS connection for the next file of its origin", async () => {
  await using source = startSource(ok("hello"), certificate);
  const options = { network: networkTo(source), keepsConnection: true };
  for (let time = 0; time < 3; time++) assert.equal(await fetchText("https://a.example/", options), "hello");
  assert.deepEqual([source.connections, source.requests.length], [1, 3]);
});

Deno.test("safeFetch keeps a connection after 200, 206, an empty file and a response in pieces", async () => {
  const responses = [
    ok("hello"),
    ok(""),
    "HTTP/1.1 206 Part\r\nContent-Length: 5\r\nContent-Range: bytes 0-4/9\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\nConnection: keep-alive, closed\r\n\r\nhello",
    "HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
  ];
  await using source = startSource(async ({ send }) => {
    const response = responses[source.requests.length - 1];
    for (const piece of response.match(/[^]{1,9}/g)!) {
      await send(piece);
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
  for (const response of responses) assert.equal(await fetchFrom(source), response.split("\r\n\r\n").at(-1));
  assert.equal(source.connections, 1);
});

const LAST_RESPONSES: [title: string, response: string][] = [
  ["with Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"],
  [
    "with close among others in Connection",
    "HTTP/1.1 200 OK\r\nConnection: a\r\nConnection: b , CLOSE\r\nContent-Length: 5\r\n\r\nhello",
  ],
  ["of HTTP/1.0", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello"],
  ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"],
  [
    "in chunks with a length",
    "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  ],
  ["with bytes after its body", `${ok("hello")}HTTP/1.1 200 OK\r\n`],
  ["with bytes after its empty body", `${ok("")}HTTP/1.1 200 OK\r\n`],
  ["with status 204", "HTTP/1.1 204 None\r\nContent-Length: 0\r\n\r\n"],
  ["with status 304", "HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n"],
  ["with status 404", "HTTP/1.1 404 Missing\r\nContent-Length: 5\r\n\r\nhello"],
];

for (const [title, response] of LAST_RESPONSES) {
  Deno.test(`safeFetch closes the connection after a response ${title}`, async () => {
    await using source = startSource(response);
    const first = await fetchFrom(source);
    assert.equal(await fetchFrom(source), first);
    assert.equal(source.connections, 2);
  });
}

Deno.test("safeFetch closes the connection of a redirect and keeps the one of its file", async () => {
  const moved = "HTTP/1.1 302 Found\r\nLocation: /file\r\nContent-Length: 0\r\n\r\n";
  await using source = startSource(({ request, send }) => send(pathOf(request) === "/" ? moved : ok("hello")));
  for (let time = 0; time < 2; time++) assert.equal(await fetchFrom(source), "hello");
  assert.deepEqual(source.requests.map(pathOf), ["/", "/file", "/", "/file"]);
  assert.equal(source.connections, 3, "the second redirect arrives on the connection of the first file");
});

Deno.test("safeFetch uses and keeps a connection only for GET without a body", async () => {
  const body = new TextEncoder().encode("x");
  for (const options of [{ method: "HEAD" }, { method: "POST" }, { method: "PUT", body }, { method: "GET", body }]) {
    await using source = startSource(ok(options.method === "HEAD" ? "" : "hello"));
    await fetchFrom(source);
    for (let time = 0; time < 2; time++) await fetchFrom(source, options);
    await fetchFrom(source);
    assert.deepEqual([source.connections, source.requests.length], [3, 4], options.method);
    assert.match(source.requests[1], /\r\nconnection: close\r\n/);
  }
});

Deno.test("safeFetch uses and keeps no connection unless its caller keeps connections", async () => {
  await using source = startSource(ok("hello"));
  for (const keepsConnection of [true, false, undefined]) await fetchFrom(source, { keepsConnection });
  assert.equal(source.connections, 3);
  assert.match(source.requests[2], /\r\nconnection: close\r\n/);
});

Deno.test("safeFetch sends concurrent requests on separate connections and keeps them all", async () => {
  await using source = startSource(ok("hello"));
  for (let time = 0; time < 2; time++) await Promise.all([1, 2, 3].map(() => fetchFrom(source)));
  assert.deepEqual([source.connections, source.requests.length], [3, 6]);
});

Deno.test("safeFetch keeps eight idle connections and closes the oldest", async () => {
  await using source = startSource(ok("hello"));
  for (let time = 0; time < 2; time++) await Promise.all(Array.from({ length: 9 }, () => fetchFrom(source)));
  assert.equal(source.connections, 10);
});

Deno.test("safeFetch uses a connection only for its scheme, host and port", async () => {
  await using plain = startSource(ok("http"));
  await using secure = startSource(ok("https"), certificate);
  const network = {
    ...networkTo(plain),
    connect: (_: string, port: number) =>
      Deno.connect({ hostname: "127.0.0.1", port: [80, 8080].includes(port) ? plain.port : secure.port }),
  };
  for (const place of ["http://a.example", "http://b.example", "http://a.example:8080"]) {
    for (const url of [place, place.replace("http", "https").replace("8080", "8443")]) {
      assert.equal(await fetchText(url, { network, keepsConnection: true }), new URL(url).protocol.slice(0, -1));
    }
  }
  assert.deepEqual([plain.connections, secure.connections], [3, 3]);
});

Deno.test("safeFetch rejects a private address that an earlier request was allowed to reach", async () => {
  await using source = startSource(ok("hello"));
  const options = {
    keepsConnection: true,
    network: { ...networkTo(source), resolve: () => Promise.resolve(["127.0.0.1"]) },
  };
  assert.equal(await fetchText("http://a.example/", { ...options, allowedHosts: ["a.example"] }), "hello");
  await assertFails(fetchText("http://a.example/", { ...options, allowedHosts: [] }), "BLOCKED_URL");
  assert.equal(source.requests.length, 1);
});

Deno.test("safeFetch checks the certificate again for a request with other authorities", async () => {
  await using source = startSource(ok("hello"), certificate);
  const fetched = (caCerts: string[]) =>
    fetchText("https://a.example/", { network: networkTo(source, caCerts), keepsConnection: true });
  assert.equal(await fetched([trusted.cert]), "hello");
  await assertFails(fetched([]), "FETCH_FAILED", /secure connection/);
  assert.equal(source.requests.length, 1);
});

Deno.test("safeFetch does not use a connection that reuses buffers for a caller that does not", async () => {
  await using source = startSource(ok("hello"));
  for (const reusesBuffers of [true, false, undefined]) await fetchFrom(source, { reusesBuffers });
  assert.equal(source.connections, 2);
});

Deno.test("the last bytes of a body stay valid while the next request reads on the same connection", async () => {
  await using source = startSource(({ request, send }) => send(ok(pathOf(request))));
  const options = { ...keeping(source), reusesBuffers: true };
  const read = async (path: string) => {
    const { body } = await fetchAs(new URL(path, source.url).href, options);
    return (await body.getReader().read()).value;
  };
  const first = await read("/first"), second = await read("/other");
  assert.deepEqual([first, second].map((bytes) => new TextDecoder().decode(bytes)), ["/first", "/other"]);
  assert.equal(source.connections, 1);
});

Deno.test("safeFetch closes the connection of a body that its caller cancels", async () => {
  await using source = startSource("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
  for (const parts of [1, 0, 0]) {
    const { body } = await fetchAs(source.url, keeping(source));
    const reader = body.getReader();
    for (let part = 0; part < parts; part++) await reader.read();
    await reader.cancel();
  }
  assert.equal(source.connections, 3);
});

Deno.test("safeFetch closes a connection whose body ends early", async () => {
  await using source = startSource(async ({ send, close }) => {
    await send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    close();
  });
  for (let time = 0; time < 2; time++) await assertFails(fetchFrom(source), "FETCH_FAILED", /incomplete/);
  assert.deepEqual([source.connections, source.requests.length], [2, 2]);
});

Deno.test("a body gives up its connection once when its caller cancels while it ends", async () => {
  for (let moment = 0; moment < 30; moment++) {
    let [kept, closed] = [0, 0];
    const connection = { read: () => Promise.resolve(new Uint8Array(5)), close: () => closed++ };
    const deadline = startDeadline({ timeoutMs: 60_000 });
    const body = readResponseBody(
      connection as unknown as Connection,
      new Uint8Array(),
      lengthFraming(5),
      deadline,
      () => kept++,
    );
    const reader = body.getReader();
    const reading = reader.read();
    for (let turn = 0; turn < moment; turn++) await Promise.resolve();
    await reader.cancel();
    await reading;
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual(kept ? [kept, closed] : [kept, Math.min(closed, 1)], kept ? [1, 0] : [0, 1], `moment ${moment}`);
  }
});

Deno.test("the signal and the total limit of a finished request do not close its kept connection", async () => {
  using clock = stoppedClock();
  await using source = startSource(ok("hello"));
  const leaving = new AbortController();
  await fetchFrom(source, { signal: leaving.signal, timeoutMs: 1000 });
  leaving.abort();
  clock.advance(1500);
  assert.equal(await fetchFrom(source), "hello");
  assert.equal(source.connections, 1);
});

/** Runs `then` for the second request; resolves `left` when its client has closed. */
function startSecondSilent(then: () => void) {
  const left = Promise.withResolvers<void>();
  const source = startSource(async (visit) => {
    if (source.requests.length === 1) return await visit.send(ok("hello"));
    then();
    await visit.left();
    left.resolve();
  });
  return { source, left: left.promise };
}

Deno.test("an abort ends a request on a kept connection and closes the connection", async () => {
  const leaving = new AbortController();
  const { source, left } = startSecondSilent(() => leaving.abort(new Error("left")));
  await using _ = source;
  let connected = 0;
  const network = { connect: () => (connected++, networkTo(source).connect()) };
  await fetchFrom(source, { network });
  await assert.rejects(fetchFrom(source, { network, signal: leaving.signal }), { message: "left" });
  await within("the end of the connection", left);
  assert.deepEqual([connected, source.requests.length], [1, 2]);
});

Deno.test("safeFetch ends an unread response on a kept connection at the total limit", async () => {
  using clock = stoppedClock();
  const left = Promise.withResolvers<void>();
  await using source = startSource(async (visit) => {
    await visit.send(ok("hello"));
    if (source.requests.length === 1) return;
    await visit.left();
    left.resolve();
  });
  await fetchFrom(source);
  await fetchAs(source.url, { ...keeping(source), timeoutMs: 100 });
  clock.advance(100);
  await within("the end of the connection", left.promise);
  assert.equal(source.connections, 1);
});

Deno.test("safeFetch throws TIMEOUT at the idle limit when a kept connection stays silent", async () => {
  using clock = stoppedClock();
  const { source, left } = startSecondSilent(() => clock.advance(100));
  await using _ = source;
  await fetchFrom(source);
  await assertFails(fetchFrom(source, { timeoutMs: undefined, idleMs: 100 }), "TIMEOUT");
  await within("the end of the connection", left);
  assert.deepEqual([source.connections, source.requests.length], [1, 2]);
});

/** Runs `then` on the first connection once it is idle; resolves `left` when its client has closed it. */
function startIdle(tls: Certificate | undefined, then: (visit: Visit) => unknown) {
  const idle = Promise.withResolvers<void>(), left = Promise.withResolvers<void>();
  const source = startSource(async (visit) => {
    await visit.send(ok("hello"));
    if (source.requests.length > 1) return;
    await idle.promise;
    await then(visit);
    await visit.left();
    left.resolve();
  }, tls);
  const network = networkTo(source);
  const fetched = () => tls ? fetchText("https://a.example/", { network, keepsConnection: true }) : fetchFrom(source);
  return { source, fetched, setIdle: idle.resolve, left: left.promise };
}

const ENDS: [when: string, then: (visit: Visit) => unknown, idleMs: number][] = [
  ["when its server does", ({ end }) => end(), 0],
  ["on which its server sends a response", ({ send }) => send(ok("other")), 0],
  ["after two seconds", () => {}, 2000],
];

for (const tls of [undefined, certificate]) {
  for (const [when, then, idleMs] of ENDS) {
    Deno.test(`safeFetch closes an idle ${tls ? "TLS " : ""}connection ${when}`, async () => {
      using clock = stoppedClock();
      const { source, fetched, setIdle, left } = startIdle(tls, then);
      await using _ = source;
      await fetched();
      setIdle();
      clock.advance(idleMs);
      await within("the end of the connection", left);
      assert.equal(await fetched(), "hello");
      assert.equal(source.connections, 2);
    });
  }
}

Deno.test("safeFetch keeps a connection for almost two seconds after each file", async () => {
  using clock = stoppedClock();
  await using source = startSource(ok("hello"));
  for (let time = 0; time < 3; time++) {
    await fetchFrom(source);
    clock.advance(1999);
  }
  assert.equal(source.connections, 1);
});

Deno.test("safeFetch does not keep a connection for longer than a minute", async () => {
  using clock = stoppedClock();
  const { now } = Date;
  try {
    for (const [seconds, idleMs, connections] of [[59, 999, 1], [59, 1000, 2], [60, 0, 2]]) {
      await using source = startSource(ok("hello"));
      const start = now();
      Date.now = () => start;
      const { body } = await fetchAs(source.url, keeping(source));
      Date.now = () => start + seconds * 1000;
      assert.equal(await new Response(body).text(), "hello");
      clock.advance(idleMs);
      await fetchFrom(source);
      assert.equal(source.connections, connections, `${seconds} s and ${idleMs} ms`);
    }
  } finally {
    Date.now = now;
  }
});

const BROKEN: [title: string, response: string][] = [
  ["closes", ""],
  ["sends a part of a head and closes", "HTTP/1.1 200 OK\r\nContent-"],
  ["sends no HTTP", "error\r\n\r\n"],
];

for (const [title, response] of BROKEN) {
  Deno.test(`safeFetch repeats a request on a new connection when the server of the kept one ${title}`, async () => {
    await using source = startSource(async ({ send, close }) => {
      if (source.requests.length !== 2) return await send(ok("hello"));
      await send(response);
      close();
    });
    for (let time = 0; time < 2; time++) assert.equal(await fetchFrom(source), "hello");
    assert.deepEqual([source.connections, source.requests.length], [2, 3]);
  });
}

Deno.test("safeFetch repeats a request at most once, on a new connection", async () => {
  await using source = startSource(({ send, close }) => source.requests.length <= 2 ? send(ok("hello")) : close());
  await Promise.all([fetchFrom(source), fetchFrom(source)]);
  await assertFails(fetchFrom(source), "FETCH_FAILED", /without responding/);
  assert.deepEqual([source.connections, source.requests.length], [3, 4]);
});
