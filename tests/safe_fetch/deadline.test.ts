// Slow servers: every step has a time limit.
import assert from "node:assert/strict";
import { readAll, safeFetch } from "../../functions/safe_fetch/safe_fetch.ts";
import { assertFails, fetchAs, fetchText } from "./assertions.ts";
import { startPeer, type Visit } from "./peer.ts";
import { stoppedClock } from "./stopped_clock.ts";
import { within } from "../wait_for.ts";

const SHORT = { timeoutMs: 100 };
const OK = "HTTP/1.1 200 OK\r\n\r\n";

/** Repeats a chunk until the client disconnects, without which the test does not end. */
async function trickle({ send, left }: Visit, piece: string) {
  let isThere = true;
  const leaving = left().then(() => isThere = false);
  while (isThere) {
    await send(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await leaving;
}

const SLOW: [title: string, response: (visit: Visit) => Promise<unknown>][] = [
  ["sends nothing", ({ left }) => left()],
  ["stops within its head", ({ send, left }) => send("HTTP/1.1 200 OK\r\nA: b\r\n").then(left)],
  ["never ends its head", (visit) => visit.send(OK.slice(0, -2)).then(() => trickle(visit, "a: b\r\n"))],
  ["sends interim responses", (visit) => trickle(visit, "HTTP/1.1 100 Continue\r\n\r\n")],
  ["sends nothing after its head", ({ send, left }) => send(OK).then(left)],
  ["stops within its body", ({ send, left }) => send(`HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello`).then(left)],
  ["never ends its body", (visit) => visit.send(OK).then(() => trickle(visit, "a"))],
  [
    "sends chunk extensions without content",
    (visit) => visit.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5").then(() => trickle(visit, ";a")),
  ],
];

for (const [title, response] of SLOW) {
  Deno.test(`safeFetch throws TIMEOUT at the total limit when a server ${title}`, async () => {
    await using source = startPeer(response);
    await assertFails(fetchText(source.url, { allowedHosts: [source.host], ...SHORT }), "TIMEOUT", /took too long/);
  });
}

for (
  const [title, response] of SLOW.filter(([title]) =>
    !["never ends its body", "sends chunk extensions"].some((it) => title.startsWith(it))
  )
) {
  Deno.test(`safeFetch throws TIMEOUT at the idle limit when a server ${title}`, async () => {
    await using source = startPeer(response);
    const request = (async () => {
      const { body } = await safeFetch(source.url, { allowedHosts: [source.host], userAgent: "Test/1.0", idleMs: 100 });
      return await new Response(body).text();
    })();
    await assertFails(request, "TIMEOUT", /took too long/);
  });
}

Deno.test("safeFetch applies one total limit to all redirects", async () => {
  await using source = startPeer(async (visit) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await visit.send("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n");
  });
  const request = fetchAs(source.url, { allowedHosts: [source.host], timeoutMs: 150, maxRedirects: 1000 });
  await assertFails(request, "TIMEOUT");
});

Deno.test("safeFetch throws TIMEOUT when the resolver or the network does not respond", async () => {
  const never = () => new Promise<never>(() => {});
  for (const limits of [{ timeoutMs: 30 }, { timeoutMs: undefined, idleMs: 30 }]) {
    await assertFails(fetchAs("http://example.com/", { ...limits, network: { resolve: never } }), "TIMEOUT");
    const resolve = () => Promise.resolve(["93.184.216.34"]);
    await assertFails(fetchAs("http://example.com/", { ...limits, network: { resolve, connect: never } }), "TIMEOUT");
  }
});

Deno.test("safeFetch without a total limit reads a slow body that never stays idle", async () => {
  using clock = stoppedClock();
  const visits = Promise.withResolvers<Visit>(), end = Promise.withResolvers<void>();
  await using source = startPeer(async (visit) => {
    await visit.send(OK);
    visits.resolve(visit);
    await Promise.race([end.promise, visit.left()]);
  });
  const { body } = await safeFetch(source.url, { allowedHosts: [source.host], userAgent: "Test/1.0", idleMs: 100 });
  const reader = body.getReader(), { send } = await within("the request", visits.promise);
  for (let piece = 0; piece < 10; piece++) {
    const reading = reader.read();
    clock.advance(90);
    await send("a");
    assert.equal(new TextDecoder().decode((await reading).value), "a");
  }
  end.resolve();
  assert.equal((await reader.read()).done, true);
});

Deno.test("safeFetch does not count the time in which its caller does not read", async () => {
  using clock = stoppedClock();
  const reading = Promise.withResolvers<void>();
  await using source = startPeer(({ send }) => send(OK).then(() => reading.promise).then(() => send("hello")));
  const { body } = await safeFetch(source.url, { allowedHosts: [source.host], userAgent: "Test/1.0", idleMs: 300 });
  clock.advance(400);
  reading.resolve();
  assert.equal(await new Response(body).text(), "hello");
});

Deno.test("safeFetch ends an unread response at the total limit", async () => {
  using clock = stoppedClock();
  const left = Promise.withResolvers<void>();
  await using source = startPeer(async (visit) => {
    await visit.send(`${OK}hello`);
    await visit.left();
    left.resolve();
  });
  const response = await fetchAs(source.url, { allowedHosts: [source.host], ...SHORT });
  clock.advance(SHORT.timeoutMs);
  await within("the end of the connection", left.promise);
  await assertFails(readAll(response, 100), "TIMEOUT");
});

Deno.test("an abort ends safeFetch at every step with the signal's reason", async () => {
  const reason = new Error("changed my mind");
  for (const raw of ["", OK, `${OK}hello`]) {
    const leaving = new AbortController();
    await using source = startPeer(async ({ send, left }) => {
      await send(raw);
      setTimeout(() => leaving.abort(reason), 20);
      await left();
    });
    const request = fetchText(source.url, { allowedHosts: [source.host], signal: leaving.signal });
    await assert.rejects(request, (error) => error === reason);
  }
  await using source = startPeer(`${OK}hello`);
  const request = fetchText(source.url, { allowedHosts: [source.host], signal: AbortSignal.abort(reason) });
  await assert.rejects(request, (error) => error === reason);
  assert.deepEqual(source.requests, []);
});

Deno.test("safeFetch removes its listeners from the caller's signal", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: unknown[]) => (listeners++, addEventListener.apply(signal, args as never));
  signal.removeEventListener = (...args: unknown[]) => (listeners--, removeEventListener.apply(signal, args as never));
  await using source = startPeer(`${OK}hello`);
  assert.equal(await fetchText(source.url, { allowedHosts: [source.host], signal }), "hello");
  await assertFails(fetchText(source.url, { signal }), "BLOCKED_URL");
  assert.equal(listeners, 0);
});
