// Large objects: 128 MiB in npm test, 500 MiB in npm run test:faults.
import { deepStrictEqual as same, ok } from "node:assert";
import { createHash } from "node:crypto";
import { byScale } from "../../scale.ts";
import { startTestStack } from "../../stack.ts";
import { storageTest, type Stored } from "../../parity/storage/fixture.ts";
import { uploader, uploadUrlOf } from "../../parity/storage/tus.ts";

/** The tests measure the memory of a stack that no other test file uses. */
const stack = await startTestStack();

const size = byScale(128, 500) * 2 ** 20;
const chunk = new Uint8Array(65536).map((_, i) => i * 7);
const whole = createHash("md5");
for (let sent = 0; sent < size; sent += chunk.length) whole.update(chunk);
const eTag = `"${whole.digest("hex")}"`;

/** So many bytes, as they come from a disk. */
function bytes(length: number) {
  let left = length;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      controller.enqueue(chunk.slice(0, left));
      left -= Math.min(left, chunk.length);
    },
  });
}

/** Runs it and asserts that the stack's memory does not grow with the transferred bytes. */
async function assertBoundedMemory(at: Stored, run: () => Promise<void>) {
  const memory = () => Number(Deno.readTextFileSync(`/proc/${at.stack.pid}/statm`).split(" ")[1]) * 4096;
  await at.raw("PUT", `/object/${at.open}/warm`, { body: new Uint8Array(2 ** 22) });
  const before = memory();
  let peak = before;
  const watch = setInterval(() => peak = Math.max(peak, memory()), 5);
  try {
    await run();
  } finally {
    clearInterval(watch);
  }
  ok(peak - before < size / 2, `${Math.round((peak - before) / 2 ** 20)} MiB more than before`);
}

async function assertStored(at: Stored, key: string) {
  const response = await at.get(`${at.open}/${key}`);
  same([response.headers.get("content-length"), response.headers.get("etag")], [String(size), eTag]);
  const back = createHash("md5");
  for await (const bytes of response.body!) back.update(bytes);
  same(`"${back.digest("hex")}"`, eTag);
  await at.raw("DELETE", `/object/${at.open}/${key}`);
}

storageTest("large objects pass through signed URLs without being buffered in memory", async (at) => {
  const { data } = await at.admin.storage.from(at.open).createSignedUploadUrl("large");
  await assertBoundedMemory(at, async () => {
    const headers = { "content-type": "audio/mpeg" };
    const sent = await fetch(data!.signedUrl, { method: "PUT", body: bytes(size), headers });
    same(sent.status, 200, await sent.text());
    await assertStored(at, "large");
  });
}, stack);

storageTest("large uploads, whole or in parts, are not buffered in memory", async (at) => {
  const service = uploader(at, { apikey: at.stack.secretKey });
  for (const part of [6 * 2 ** 20, size]) {
    await assertBoundedMemory(at, async () => {
      const place = uploadUrlOf(await service.create(at.open, "in parts", size, { contentType: "audio/mpeg" }));
      for (let offset = 0; offset < size; offset += part) {
        const { status } = await service.send(place, offset, bytes(Math.min(part, size - offset)));
        same(status, 204);
      }
      await assertStored(at, "in parts");
    });
  }
}, stack);
