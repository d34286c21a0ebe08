// Outgoing requests.
import assert from "node:assert/strict";
import type { SafeFetchOptions } from "../../functions/safe_fetch/safe_fetch.ts";
import { fetchAs, fetchText } from "./assertions.ts";
import { startPeer } from "./peer.ts";

const OK = "HTTP/1.1 200 OK\r\n\r\nthere";

/** The request that arrives for a URL's path and these options. */
async function sent(path: string, options: Partial<SafeFetchOptions> = {}): Promise<string> {
  await using source = startPeer(OK);
  await fetchText(`${source.url}${path}`, { ...options, allowedHosts: [source.host] });
  return source.requests[0].replace(source.host, "peer");
}

Deno.test("safeFetch sends the User-Agent of its options, and default Accept and Accept-Encoding headers", async () => {
  assert.equal(
    await sent("feed.xml?a=b&c=%20#part"),
    [
      "GET /feed.xml?a=b&c=%20 HTTP/1.1",
      "host: peer",
      "accept: */*",
      "accept-encoding: identity",
      "user-agent: Test/1.0",
      "connection: close",
      "",
      "",
    ].join("\r\n"),
  );
});

Deno.test("safeFetch sends the caller's headers, except framing headers", async () => {
  const request = await sent("", {
    method: "POST",
    body: new TextEncoder().encode("{}"),
    headers: {
      "Accept-Encoding": "gzip",
      "If-None-Match": '"é"',
      Host: "other",
      "Content-Length": "7",
      "Transfer-Encoding": "chunked",
      Connection: "keep-alive",
      Expect: "100-continue",
      Upgrade: "h2c",
    },
  });
  assert.match(request, /^POST \/ HTTP\/1\.1\r\nhost: peer\r\n/);
  assert.match(request, /\r\naccept-encoding: gzip\r\n/);
  assert.match(request, /\r\nif-none-match: /);
  assert.match(request, /\r\ncontent-length: 2\r\nconnection: close\r\n\r\n(\{\})?$/);
  assert.doesNotMatch(request, /other|keep-alive|chunked|100-continue|h2c/);
});

Deno.test("safeFetch sends Content-Length 0 for a POST without a body", async () => {
  assert.match(await sent("", { method: "POST" }), /\r\ncontent-length: 0\r\n/);
});

Deno.test("safeFetch rejects line breaks in headers and methods before it connects", async () => {
  const mistakes: Partial<SafeFetchOptions>[] = [
    { headers: { "x-a": "b\r\nHost: other" } },
    { headers: { "x-a": "b\nc" } },
    { headers: { "x-a": "b\0" } },
    { headers: { "x-a\r\nb": "c" } },
    { method: "GET / HTTP/1.1\r\nx:" },
    { method: "get" },
  ];
  for (const options of mistakes) {
    await using source = startPeer(OK);
    await assert.rejects(fetchAs(source.url, { ...options, allowedHosts: [source.host] }), TypeError);
    assert.deepEqual(source.requests, []);
  }
});

Deno.test("safeFetch encodes characters that would end the request line", async () => {
  const request = await sent("a b\u2028\u00a0%0d%0aX: y?q=\u000b".replace("\u000b", "ü'\""));
  assert.equal(request.split("\r\n")[0], "GET /a%20b%E2%80%A8%C2%A0%0d%0aX:%20y?q=%C3%BC%27%22 HTTP/1.1");
});

Deno.test("safeFetch sends a whole body and accepts a response before it is read", async () => {
  const body = new Uint8Array(60_000).fill(65);
  await using source = startPeer(async ({ request, receive, send }) => {
    let size = request.length - request.indexOf("\r\n\r\n") - 4;
    while (size < body.length) size += (await receive())!.length;
    await send(`HTTP/1.1 200 OK\r\n\r\n${size}`);
  });
  const options = { method: "POST", body };
  assert.equal(await fetchText(source.url, { ...options, allowedHosts: [source.host] }), "60000");

  await using hasty = startPeer(async ({ send, left }) => {
    await send("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno");
    await left();
  });
  assert.equal(await fetchText(hasty.url, { ...options, allowedHosts: [hasty.host] }), "no");
});
