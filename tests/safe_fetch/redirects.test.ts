// Redirects: each hop is checked like the first.
import assert from "node:assert/strict";
import { requireOk, type SafeFetchOptions } from "../../functions/safe_fetch/safe_fetch.ts";
import { assertFails, fetchAs, fetchText } from "./assertions.ts";
import { startPeer } from "./peer.ts";

const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const to = (location: string, status = 302) => `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\n\r\n`;
const pathOf = (request: string) => request.split(" ")[1];

/** Redirects /1 to /2 and so on; returns the given response at /`hops` + 1. */
const chain = (hops: number, last: string) =>
  startPeer(({ request, send }) => {
    const hop = Number(pathOf(request).slice(1));
    return send(hop <= hops ? to(`/${hop + 1}`) : last);
  });

for (const status of [301, 302, 303, 307, 308]) {
  Deno.test(`safeFetch follows ${status} and returns the last URL`, async () => {
    await using source = startPeer(({ request, send }) =>
      send(pathOf(request) === "/" ? to("a?b=c d", status) : ok("there"))
    );
    const response = await fetchAs(source.url, { allowedHosts: [source.host] });
    assert.equal(response.url, `${source.url}a?b=c%20d`);
    assert.equal(await new Response(response.body).text(), "there");
  });
}

Deno.test("safeFetch returns 300, 304 and redirects without a Location as responses", async () => {
  for (const head of ["300 Choices\r\nLocation: /x", "304 Same\r\nLocation: /x", "302 Found"]) {
    await using source = startPeer(`HTTP/1.1 ${head}\r\n\r\n`);
    const { status, body } = await fetchAs(source.url, { allowedHosts: [source.host] });
    assert.equal(status, Number(head.slice(0, 3)));
    await body.cancel();
  }
});

Deno.test("safeFetch follows twenty redirects and rejects another one with TOO_MANY_REDIRECTS", async () => {
  await using most = chain(20, ok("there"));
  assert.equal(await fetchText(`${most.url}1`, { allowedHosts: [most.host] }), "there");
  await using more = chain(21, ok("there"));
  const fetching = fetchText(`${more.url}1`, { allowedHosts: [more.host] });
  await assertFails(fetching, "TOO_MANY_REDIRECTS", /^Too many redirects$/);
  assert.equal(more.requests.length, 21);
});

Deno.test("safeFetch ends a redirect loop", async () => {
  await using source = startPeer(to("/"));
  await assertFails(
    fetchText(source.url, { allowedHosts: [source.host] }),
    "TOO_MANY_REDIRECTS",
    /^Too many redirects$/,
  );
  assert.equal(source.requests.length, 21);
});

Deno.test("safeFetch with maxRedirects 0 returns the redirect, which requireOk rejects", async () => {
  await using source = startPeer(to("/elsewhere", 307));
  const response = await fetchAs(source.url, { allowedHosts: [source.host], maxRedirects: 0 });
  assert.equal(response.status, 307);
  const failure = await assertFails(Promise.resolve(response).then(requireOk), "HTTP_ERROR", /status 307/);
  assert.equal(failure.status, 307);
  assert.equal(source.requests.length, 1);
});

const PRIVATE = [
  "http://127.0.0.1/",
  "http://0x7f.1:8080/",
  "//169.254.169.254/latest/meta-data",
  "https://[::1]/",
  "http://[::ffff:10.0.0.1]/",
  "http://localhost/",
  "http://metadata.google.internal/",
  "http://private.example/",
  "http://half-private.example/",
];

Deno.test("safeFetch rejects a redirect into a private network at every hop", async () => {
  const resolve = (name: string) =>
    Promise.resolve(name.startsWith("half") ? ["93.184.216.34", "10.0.0.1"] : ["10.0.0.1"]);
  for (const location of PRIVATE) {
    for (const hops of [0, 1, 19]) {
      await using source = chain(hops, to(location));
      const options = { allowedHosts: [source.host], network: { resolve } };
      await assertFails(fetchText(`${source.url}1`, options), "BLOCKED_URL", /does not point to the public internet/);
      assert.equal(source.requests.length, hops + 1);
    }
  }
});

Deno.test("safeFetch rejects a redirect to an unlisted port of a listed host", async () => {
  await using listed = startPeer(() => {});
  await using other = startPeer(ok("secret"));
  await using source = startPeer(to(other.url));
  await assertFails(fetchText(source.url, { allowedHosts: [source.host, listed.host] }), "BLOCKED_URL");
  assert.deepEqual(other.requests, []);
});

Deno.test("safeFetch throws INVALID_URL for a redirect to another scheme, to credentials or to an invalid URL", async () => {
  for (const location of ["ftp://example.com/", "file:///etc/passwd", "http://me@example.com/", "http://[", "/a\tb"]) {
    await using source = startPeer(to(location));
    await assertFails(fetchText(source.url, { allowedHosts: [source.host] }), "INVALID_URL");
  }
});

Deno.test("safeFetch throws BLOCKED_URL for a redirect to a port that is not allowed", async () => {
  await using source = startPeer(to("http://example.com:25/"));
  await assertFails(fetchText(source.url, { allowedHosts: [source.host] }), "BLOCKED_URL", /Port 25 /);
});

Deno.test("safeFetch decodes a non-ASCII Location as UTF-8", async () => {
  await using source = startPeer(({ request, send }) => send(pathOf(request) === "/" ? to("/café") : ok("there")));
  assert.equal(await fetchText(source.url, { allowedHosts: [source.host] }), "there");
  assert.equal(pathOf(source.requests[1]), "/caf%C3%A9");
});

/** The second request after a redirect with this status, within or across origins. */
async function second(status: number, options: Partial<SafeFetchOptions>, crossing = false): Promise<string> {
  const bodies: string[] = [];
  const startSource = (raw: string) =>
    startPeer(async ({ request, receive, send }) => {
      const length = Number(/^content-length: (\d+)/m.exec(request)?.[1] ?? 0);
      let body = request.slice(request.indexOf("\r\n\r\n") + 4);
      while (body.length < length) body += await receive();
      bodies.push(body);
      await send(raw || (pathOf(request) === "/" ? to("/second", status) : ok("")));
    });
  await using other = startSource(ok(""));
  await using source = startSource(crossing ? to(`${other.url}second`, status) : "");
  await fetchText(source.url, { ...options, allowedHosts: [source.host, other.host] });
  const request = crossing ? other.requests[0] : source.requests[1];
  return `${request.slice(0, request.indexOf("\r\n\r\n"))}\r\n\r\n${bodies[1]}`;
}

const order = {
  method: "POST",
  headers: { "content-type": "text/x", "x-own": "1" },
  body: new TextEncoder().encode("yes"),
};

Deno.test("safeFetch turns a POST into a GET without a body after 301, 302 and 303", async () => {
  for (const status of [301, 302, 303]) {
    const request = await second(status, order);
    assert.match(request, /^GET \/second HTTP\/1\.1\r\n/);
    assert.match(request, /^x-own: 1\r$/m);
    assert.doesNotMatch(request, /content-length|content-type|yes/i);
  }
});

Deno.test("safeFetch repeats a POST with its body after 307 and 308", async () => {
  for (const status of [307, 308]) {
    const request = await second(status, order);
    assert.match(request, /^POST \/second HTTP\/1\.1\r\n/);
    assert.match(request, /^content-type: text\/x\r$/m);
    assert.match(request, /\r\n\r\nyes$/);
  }
});

Deno.test("safeFetch keeps HEAD after redirects, and PUT after 302", async () => {
  for (const status of [301, 302, 303, 307, 308]) assert.match(await second(status, { method: "HEAD" }), /^HEAD /);
  assert.match(await second(302, { ...order, method: "PUT" }), /^PUT [^]*yes$/);
  assert.match(await second(303, { ...order, method: "PUT" }), /^GET /);
});

Deno.test("safeFetch sends Authorization and cookies only to the original origin", async () => {
  const headers = { authorization: "Bearer secret", cookie: "a=secret", "proxy-authorization": "secret", "x-own": "1" };
  const same = await second(302, { headers });
  for (const name of Object.keys(headers)) assert.match(same, new RegExp(`^${name}: `, "m"));
  const other = await second(302, { headers }, true);
  assert.doesNotMatch(other, /secret/);
  assert.match(other, /^x-own: 1\r$/m);
});
