// How long a function reads a body: a client that trickles, or falls silent, keeps nothing open for good.
import assert from "node:assert/strict";
import { letPass, received } from "../../functions/_shared/bytes.ts";
import { Refusal } from "../../functions/_shared/refusal.ts";

/** A server that reads what it is sent for at most 100 ms, and lets the rest of it pass. */
async function answerTo(head: string): Promise<string> {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const status = await received(request, 1000, 100).then(() => 200, (error: Refusal) => error.status);
    await letPass(request);
    return new Response(null, { status });
  });
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
  await connection.write(new TextEncoder().encode(`PUT / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${head}`));
  const answer = new Uint8Array(100);
  return new TextDecoder().decode(answer.subarray(9, await connection.read(answer).then(() => 12)));
}

Deno.test("A body that never ends is a 408, with a length or without", async () => {
  assert.equal(await answerTo("content-length: 10\r\n\r\nhalf"), "408");
  assert.equal(await answerTo("transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"), "408");
});

Deno.test("A body that is refused and never comes is not waited for", async () => {
  assert.equal(await answerTo("content-length: 1001\r\n\r\n"), "200");
});

Deno.test("A body that is not made of bytes of ours is read as well", async () => {
  const chunks = () => ReadableStream.from([Uint8Array.of(1, 2), Uint8Array.of(3)]);
  const request = (body: ReadableStream) => new Request("http://x", { method: "PUT", body });
  assert.deepEqual((await received(request(chunks()), 3)).bytes, Uint8Array.of(1, 2, 3));
  assert.deepEqual(await received(request(chunks()), 2), { size: 3, bytes: new Uint8Array() });
  await assert.rejects(received(request(new ReadableStream()), 3, 50), { status: 408 });
});
