// The hostile table: each file as it is, cut at every byte, and with something behind it.
import assert from "node:assert/strict";
import { parseImageHeader } from "../../functions/media/image_header.ts";
import { joined } from "../image_fixtures.ts";
import { malformedCases } from "./malformed.ts";
import { parseWithBoundsCheck } from "./bounds_checked.ts";

for (const [name, bytes, expected] of malformedCases) {
  const is = expected ? `is ${expected.width} x ${expected.height}` : "is no image";
  Deno.test(`${name}: ${is}`, () => assert.deepEqual(parseImageHeader(bytes), expected));
}

Deno.test("the table names each file once", () => {
  assert.equal(new Set(malformedCases.map(([name]) => name)).size, malformedCases.length);
});

Deno.test("no byte past the end of a file is read, and none again and again", () => {
  for (const [name, bytes, expected] of malformedCases) assert.deepEqual(parseWithBoundsCheck(bytes), expected, name);
});

/** Every length but the whole; of the large files only some in the middle. */
function* cuts(whole: number) {
  for (let length = 0; length < whole; length += length > 2_000 && length < whole - 100 ? 97 : 1) yield length;
}

Deno.test("a file that is cut anywhere has its own size or none, and keeps its size once enough of it is there", () => {
  for (const [name, bytes, expected] of malformedCases) {
    let had = false;
    for (const length of cuts(bytes.length)) {
      const found = parseImageHeader(bytes.subarray(0, length));
      if (found || had) assert.deepEqual(found, expected, `${name}, cut at ${length}`);
      had ||= found !== undefined;
    }
  }
});

Deno.test("a file's neighbours in a larger buffer are not its own", () => {
  for (const [name, bytes, expected] of malformedCases) {
    const buffer = joined(new Uint8Array(13).fill(0xff), bytes, bytes);
    assert.deepEqual(parseImageHeader(buffer.subarray(13, 13 + bytes.length)), expected, name);
  }
});

Deno.test("what stands behind an image does not change it", () => {
  for (const [name, bytes, expected] of malformedCases) {
    if (!expected) continue;
    for (const behind of [0x00, 0xff, 0xc0]) {
      assert.deepEqual(parseImageHeader(joined(bytes, new Uint8Array(100).fill(behind))), expected, name);
    }
  }
});

Deno.test("5 MB of nothing but tiny segments are walked once", () => {
  const bytes = new Uint8Array(5 * 1024 * 1024);
  for (let at = 2; at + 4 <= bytes.length; at += 4) bytes.set([0xff, 0xfe, 0, 2], at);
  bytes.set([0xff, 0xd8]);
  assert.equal(parseWithBoundsCheck(bytes), undefined);
});
