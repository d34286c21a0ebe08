// Gzip from parts: the result is one ordinary member.
import { Buffer } from "node:buffer";
import { crc32, gunzipSync } from "node:zlib";
import assert from "node:assert/strict";
import { combineChecksums, compressPart, GZIP_HEADER, gzipTrailer } from "../../functions/feed_writer/gzip.ts";

const texts = ["", "a", "<item>", "é😀\n", "x".repeat(70_000), "<p>night train</p>".repeat(40_000), ""];

function member(texts: string[]): Buffer {
  const parts = texts.map(compressPart);
  return Buffer.concat([GZIP_HEADER, ...parts.map((p) => p.deflated), gzipTrailer(combineChecksums(parts))]);
}

Deno.test("combineChecksums returns the CRC and size of the concatenated parts", () => {
  const { crc32: crc, bytes } = combineChecksums(texts.map(compressPart));
  assert.equal(crc, crc32(texts.join("")) >>> 0);
  assert.equal(bytes, Buffer.byteLength(texts.join("")));
});

Deno.test("combineChecksums combines parts of gigabytes without their data", () => {
  // a megabyte of zeros doubled twelve times: 4 GB, more than a 32-bit size; the expected CRC is from Python's zlib
  const zeros = "\0".repeat(1 << 20);
  let sum = { crc32: crc32(zeros) >>> 0, bytes: zeros.length };
  for (let i = 0; i < 12; i++) sum = combineChecksums([sum, sum]);
  assert.deepEqual(sum, { crc32: 0xd202ef8d, bytes: 2 ** 32 });
  assert.deepEqual([...gzipTrailer(sum)].slice(6), [0, 0, 0, 0]);
});

Deno.test("a gzip member without parts is empty", () => assert.equal(gunzipSync(member([])).length, 0));

Deno.test("a gzip member decompresses to the concatenated texts", () => {
  assert.equal(gunzipSync(member(texts)).toString(), texts.join(""));
});

Deno.test("the platform's DecompressionStream accepts the member and its CRC", async () => {
  const unzip = async (bytes: Uint8Array) =>
    await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const bytes = member(texts);
  assert.equal(await unzip(bytes), texts.join(""));
  bytes[bytes.length - 8] ^= 1;
  await assert.rejects(() => unzip(bytes));
});

Deno.test("gzip parts can be concatenated in any order", () => {
  const turned = texts.toReversed();
  assert.equal(gunzipSync(member(turned)).toString(), turned.join(""));
});

Deno.test("compressPart returns equal bytes for equal text", () => assert.deepEqual(member(texts), member(texts)));
