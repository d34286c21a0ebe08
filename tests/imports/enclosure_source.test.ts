// The request for an enclosure.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { startPeer, type Visit } from "../safe_fetch/peer.ts";

const { openSource } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../functions/imports/transfer/enclosure_source.ts"),
);

Deno.test("openSource requests the next enclosure of a host on the same connection", async () => {
  await using host = startPeer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\naudio", { keepsConnections: true });
  for (const name of ["one.mp3", "two.mp3"]) {
    const limits = {
      signal: new AbortController().signal,
      deadline: Date.now() + 60_000,
      allowedHosts: [host.host],
      userAgent: "Test/1.0",
      login: null,
    };
    const { body } = await openSource(`${host.url}${name}`, undefined, limits);
    assert.equal(await new Response(body).text(), "audio");
  }
  assert.deepEqual([host.connections, host.requests.length], [1, 2]);
});

Deno.test("openSource reads a compressed enclosure from its beginning, because its offsets are those of the file", async () => {
  const audio = "audio ".repeat(1000), gzip = new Uint8Array(gzipSync(audio));
  await using host = startPeer(async ({ request, send }: Visit) => {
    const from = Number(/range: bytes=(\d+)-/.exec(request)?.[1] ?? 0);
    const range = `206 Partial Content\r\nContent-Range: bytes ${from}-${gzip.length - 1}/${gzip.length}`;
    await send(
      `HTTP/1.1 ${from ? range : "200 OK"}\r\nETag: "1"\r\nContent-Encoding: gzip\r\n` +
        `Content-Length: ${gzip.length - from}\r\n\r\n`,
    );
    await send(gzip.subarray(from));
  });
  const limits = {
    signal: new AbortController().signal,
    deadline: Date.now() + 60_000,
    allowedHosts: [host.host],
    userAgent: "Test/1.0",
    login: null,
  };
  for (const resumePoint of [undefined, { from: 10, validator: '"1"' }]) {
    const { from, total, body } = await openSource(host.url, resumePoint, limits);
    assert.deepEqual([from, total, await new Response(body).text()], [0, undefined, audio]);
  }
  assert.equal(host.requests.length, 3);
});
