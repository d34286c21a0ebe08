// Streaming of bodies of any size, and the limit of readAll.
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { readAll } from "../../functions/safe_fetch/safe_fetch.ts";
import { byScale } from "../scale.ts";
import { assertFails, fetchAs } from "./assertions.ts";
import { startPeer, type Visit } from "./peer.ts";
import { within } from "../wait_for.ts";

const MB = 1024 * 1024;
const encoder = new TextEncoder();

/** Of this test's isolate, because other tests share the process. */
function residentBytes(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

/** Sends chunks until `size` bytes are sent or the client has disconnected; returns the number sent. */
function sending(size: number, head: string, chunked = false) {
  const sent = Promise.withResolvers<number>();
  let count = 0;
  const piece = new Uint8Array(64 * 1024).fill(7);
  const wrapped = new Uint8Array([...encoder.encode("10000\r\n"), ...piece, ...encoder.encode("\r\n")]);
  const respond = async ({ send }: Visit) => {
    count = 0;
    try {
      await send(head);
      for (; count < size; count += piece.length) await send(chunked ? wrapped : piece);
      if (chunked) await send("0\r\n\r\n");
    } finally {
      sent.resolve(count); // the client has left when a send fails
    }
  };
  return { source: startPeer(respond), sent: sent.promise, sentSoFar: () => count };
}

const FRAMES: [title: string, head: (size: number) => string, chunked?: boolean][] = [
  ["of a length", (size) => `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`],
  ["in chunks", () => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true],
  ["until the connection closes", () => "HTTP/1.1 200 OK\r\n\r\n"],
];

Deno.test("safeFetch returns every byte of a large body once when it reuses buffers", async () => {
  const bytes = Uint8Array.from({ length: 2 * MB }, (_, n) => n % 251);
  await using source = startPeer(async ({ send }) => {
    await send(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`);
    await send(bytes);
  });
  const { body } = await fetchAs(source.url, { allowedHosts: [source.host], reusesBuffers: true });
  const copies: Uint8Array[] = [];
  for await (const part of body) copies.push(part.slice()); // the next read overwrites the part
  assert.equal(Buffer.compare(Buffer.concat(copies), bytes), 0);
});

for (const [title, head, chunked] of FRAMES) {
  Deno.test(`safeFetch streams a large body ${title} without buffering it`, async () => {
    const size = byScale(128, 1024) * MB;
    const { source, sent } = sending(size, head(size), chunked);
    await using _ = source;
    const { body } = await fetchAs(source.url, { allowedHosts: [source.host] });
    const before = residentBytes();
    let [read, peak] = [0, 0];
    for await (const part of body) {
      read += part.length;
      assert.equal(part[part.length - 1], 7);
      peak = Math.max(peak, residentBytes() - before);
    }
    assert.equal(read, size);
    assert.equal(await sent, size);
    assert.ok(peak < byScale(64, 128) * MB, `${Math.round(peak / MB)} MB for ${size / MB} MB`);
  });

  Deno.test(`safeFetch reads a body ${title} only as fast as its caller`, async () => {
    const size = 256 * MB;
    const { source, sent, sentSoFar } = sending(size, head(size), chunked);
    await using _ = source;
    const { body } = await fetchAs(source.url, { allowedHosts: [source.host] });
    const reader = body.getReader();
    await reader.read();
    for (let before = -1; before < sentSoFar();) { // until the sockets' buffers are full
      before = sentSoFar();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await reader.cancel();
    assert.ok(await sent < size / 4, "the rest waits with its sender");
  });

  Deno.test(`readAll stops at the limit of a too large body ${title}`, async () => {
    const size = 256 * MB;
    const { source, sent } = sending(size, head(size), chunked);
    await using _ = source;
    await assertFails(
      readAll(await fetchAs(source.url, { allowedHosts: [source.host] }), MB),
      "TOO_LARGE",
      /1,048,576 bytes/,
    );
    assert.ok(await sent < size / 4, "the peer sees the connection close");
  });

  Deno.test(`readAll reads a body ${title} of exactly the limit`, async () => {
    for (const size of [64 * 1024, 3 * MB]) {
      const { source } = sending(size, head(size), chunked);
      await using _ = source;
      const bytes = await readAll(await fetchAs(source.url, { allowedHosts: [source.host] }), size);
      assert.equal(bytes.length, size);
      assert.ok(bytes.every((byte) => byte === 7));
      await assertFails(readAll(await fetchAs(source.url, { allowedHosts: [source.host] }), size - 1), "TOO_LARGE");
    }
  });
}

Deno.test("readAll reads nothing of a body whose declared length exceeds the limit", async () => {
  const left = Promise.withResolvers<void>();
  await using source = startPeer(async (visit) => {
    await visit.send("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n");
    await visit.left();
    left.resolve();
  });
  await assertFails(readAll(await fetchAs(source.url, { allowedHosts: [source.host] }), 100), "TOO_LARGE");
  await within("the end of the connection", left.promise);
});

Deno.test("readAll returns no bytes for an empty body", async () => {
  for (
    const raw of [
      "HTTP/1.1 204 None\r\n\r\n",
      "HTTP/1.1 200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ]
  ) {
    await using source = startPeer(raw);
    assert.equal((await readAll(await fetchAs(source.url, { allowedHosts: [source.host] }), 0)).length, 0);
  }
});

Deno.test("readAll applies the limit to a stream derived from the body", async () => {
  const zeros = new Response(new Uint8Array(5 * MB)).body!.pipeThrough(new CompressionStream("gzip"));
  const packed = new Uint8Array(await new Response(zeros).arrayBuffer());
  await using source = startPeer(async ({ send }) => {
    await send(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`);
    await send(packed);
  });
  const unpacked = async () => {
    const accepting = { headers: { "accept-encoding": "gzip" }, allowedHosts: [source.host] };
    const { headers, body } = await fetchAs(source.url, accepting);
    return { headers, body: body.pipeThrough(new DecompressionStream("gzip")) };
  };
  assert.equal((await readAll(await unpacked(), 5 * MB)).length, 5 * MB);
  await assertFails(readAll(await unpacked(), 4 * MB), "TOO_LARGE");
});

Deno.test("canceling a body closes the connection, even while a read is pending", async () => {
  const left = Promise.withResolvers<void>();
  await using source = startPeer(async (visit) => {
    await visit.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    await visit.left();
    left.resolve();
  });
  const { body } = await fetchAs(source.url, { allowedHosts: [source.host] });
  const reader = body.getReader();
  assert.equal((await reader.read()).value?.length, 5);
  const waiting = reader.read();
  await reader.cancel();
  assert.equal((await waiting).done, true);
  await within("the end of the connection", left.promise);
});

Deno.test("chunks of a body keep their bytes when more is read", async () => {
  const pieces = Array.from({ length: 50 }, (_, at) => new Uint8Array(5000).fill(at));
  await using source = startPeer(async ({ send }) => {
    await send("HTTP/1.1 200 OK\r\n\r\n");
    for (const piece of pieces) await send(piece);
  });
  const { body } = await fetchAs(source.url, { allowedHosts: [source.host] });
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  assert.ok(Buffer.concat(parts).equals(Buffer.concat(pieces)));
});

Deno.test("safeFetch merges chunks of one byte that arrive together", async () => {
  const count = 200_000;
  await using source = startPeer(async ({ send }) => {
    await send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    await send(`${"1\r\na\r\n".repeat(count)}0\r\n\r\n`);
  });
  const { body } = await fetchAs(source.url, { allowedHosts: [source.host] });
  let [size, parts] = [0, 0];
  for await (const part of body) [size, parts] = [size + part.length, parts + 1];
  assert.equal(size, count);
  assert.ok(parts < count / 100, `${parts} parts`);
});
