// Bodies that servers compress although the request accepts none.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { readAll } from "../../functions/safe_fetch/read_all.ts";
import { assertFails, fetchAs, fetchText } from "./assertions.ts";
import { startPeer, type Visit } from "./peer.ts";

const TEXT = "BEGIN:VCALENDAR\r\n".repeat(20_000);

/** Responds with a body and its Content-Encoding. */
const encoded = (body: Uint8Array, encoding: string, status = "200 OK") =>
  startPeer(async ({ send }: Visit) => {
    await send(
      `HTTP/1.1 ${status}\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\netag: "1"\r\n\r\n`,
    );
    await send(body);
  });

const BODIES: [how: string, body: Uint8Array, encoding: string][] = [
  ["gzip", gzipSync(TEXT), "gzip"],
  ["gzip by its old name", gzipSync(TEXT), "X-GZip"],
  ["deflate", deflateSync(TEXT), "deflate"],
  ["raw deflate", deflateRawSync(TEXT), "deflate"],
  ["gzip twice", gzipSync(gzipSync(TEXT)), "gzip, gzip"],
  ["deflate, then gzip", gzipSync(deflateSync(TEXT)), "deflate, gzip"],
  ["gzip of two members", Buffer.concat([gzipSync(TEXT.slice(0, 100)), gzipSync(TEXT.slice(100))]), "gzip"],
  ["nothing, declared as gzip", new TextEncoder().encode(TEXT), "gzip"],
  ["nothing, declared as identity", new TextEncoder().encode(TEXT), "identity"],
  ["nothing, declared as aws-chunked", new TextEncoder().encode(TEXT), "aws-chunked"],
];

for (const [how, body, encoding] of BODIES) {
  Deno.test(`safeFetch reads a body that its server compressed with ${how}`, async () => {
    await using source = encoded(body, encoding);
    const { headers, body: content } = await fetchAs(source.url, { allowedHosts: [source.host] });
    assert.equal(await new Response(content).text(), TEXT);
    assert.equal(headers.get("etag"), '"1"');
  });
}

Deno.test("safeFetch removes the encoding and the length of a body that it decodes", async () => {
  await using source = encoded(gzipSync(TEXT), "gzip");
  const response = await fetchAs(source.url, { allowedHosts: [source.host] });
  assert.deepEqual([response.headers.get("content-encoding"), response.headers.get("content-length")], [null, null]);
  assert.equal((await readAll(response, TEXT.length)).length, TEXT.length);
});

Deno.test("readAll limits the content of a compressed body, not its compressed form", async () => {
  await using source = encoded(gzipSync(TEXT), "gzip");
  const response = await fetchAs(source.url, { allowedHosts: [source.host] });
  await assertFails(readAll(response, TEXT.length - 1), "TOO_LARGE");
});

Deno.test("safeFetch decompresses only as much as its caller reads", async () => {
  await using source = encoded(gzipSync(new Uint8Array(200_000_000)), "gzip");// 200 KB
  const { body } = await fetchAs(source.url, { allowedHosts: [source.host] });
  const reader = body.getReader();
  const { value } = await reader.read();
  assert.ok(value!.length <= 2_000_000, `a chunk of ${value!.length} bytes`);
  await reader.cancel();
});

Deno.test("safeFetch fails for a compressed body that is cut off, damaged, or followed by other data", async () => {
  const whole = new Uint8Array(gzipSync(TEXT)), damaged = whole.slice();
  damaged[whole.length - 6] ^= 1; // the checksum
  for (const body of [whole.slice(0, -4), whole.slice(0, 5), damaged, Buffer.concat([whole, Buffer.from([1, 2, 3])])]) {
    await using source = encoded(new Uint8Array(body), "gzip");
    await assertFails(
      fetchText(source.url, { allowedHosts: [source.host] }),
      "FETCH_FAILED",
      /^The compressed response is damaged or incomplete$/,
    );
  }
});

Deno.test("safeFetch fails for a compressed body whose connection breaks off", async () => {
  const body = new Uint8Array(gzipSync(crypto.getRandomValues(new Uint8Array(50_000))));
  await using source = startPeer(async ({ send }: Visit) => {
    await send(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
    await send(body.subarray(0, 20_000));
  });
  await assertFails(fetchText(source.url, { allowedHosts: [source.host] }), "FETCH_FAILED", /incomplete$/);
});

Deno.test("safeFetch ends a compressed body of empty parts", async () => {
  const empty = new Uint8Array(gzipSync(""));
  await using source = startPeer(async ({ send, left }: Visit) => {
    await send("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n");
    const closed = left();
    for (let sent = 0; sent < 400_000; sent += empty.length * 1000) await send(Buffer.concat(Array(1000).fill(empty)));
    await closed;
  });
  await assertFails(fetchText(source.url, { allowedHosts: [source.host] }), "FETCH_FAILED", /damaged/);
});

Deno.test("safeFetch fails for an encoding that it cannot decode, and names it", async () => {
  for (const [encoding, named] of [["br", "br"], ["gzip, zstd", "zstd"]]) {
    await using source = encoded(new Uint8Array(brotliCompressSync(Buffer.from(TEXT))), encoding);
    const error = await assertFails(fetchText(source.url, { allowedHosts: [source.host] }), "FETCH_FAILED");
    assert.match(error.message, new RegExp(`${named}$`));
  }
  await using often = encoded(new Uint8Array(), "gzip, ".repeat(50) + "gzip");
  assert.equal(await fetchText(often.url, { allowedHosts: [often.host] }), "", "an empty body has no encoding");
  await using content = encoded(new Uint8Array(1), "gzip, ".repeat(50) + "gzip");
  await assertFails(fetchText(content.url, { allowedHosts: [content.host] }), "FETCH_FAILED", /too many times/);
});

Deno.test("safeFetch leaves bodies to a caller that accepts an encoding, and parts of a compressed file", async () => {
  const body = new Uint8Array(gzipSync(TEXT));
  await using source = encoded(body, "gzip");
  const accepted = await fetchAs(source.url, { allowedHosts: [source.host], headers: { "accept-encoding": "gzip" } });
  await using part = encoded(body, "gzip", "206 Partial Content");
  const rest = await fetchAs(part.url, { allowedHosts: [part.host] });
  for (const { headers, body: found } of [accepted, rest]) {
    assert.equal(headers.get("content-encoding"), "gzip");
    assert.deepEqual(await new Response(found).bytes(), body);
  }
});

Deno.test("safeFetch closes the connection of a compressed body that its caller cancels", async () => {
  for (const reads of [0, 1]) {
    // its end waits for the client to leave
    await using source = startPeer(async ({ send, left }: Visit) => {
      await send("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n");
      await send(new Uint8Array(gzipSync(crypto.getRandomValues(new Uint8Array(10_000)))));
      await left();
    });
    const { body } = await fetchAs(source.url, { allowedHosts: [source.host] });
    const reader = body.getReader();
    for (let n = 0; n < reads; n++) await reader.read();
    await reader.cancel();
  }
});
