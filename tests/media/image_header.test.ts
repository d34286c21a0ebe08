// The malformed images: each as it is, truncated at every byte, and with data behind it.
import assert from "node:assert/strict";
import { parseImageHeader } from "../../functions/media/headers/image_header.ts";
import { joined } from "../image_fixtures.ts";
import { malformedCases } from "./malformed.ts";
import { parseWithBoundsCheck } from "./bounds_checked.ts";

for (const [name, bytes, expected] of malformedCases) {
  const size = expected ? `${expected.width} x ${expected.height}` : "no size";
  Deno.test(`parseImageHeader returns ${size} for ${name}`, () => assert.deepEqual(parseImageHeader(bytes), expected));
}

Deno.test("each malformed image has a name of its own", () => {
  assert.equal(new Set(malformedCases.map(([name]) => name)).size, malformedCases.length);
});

Deno.test("parseImageHeader reads no byte past the end and none repeatedly", () => {
  for (const [name, bytes, expected] of malformedCases) assert.deepEqual(parseWithBoundsCheck(bytes), expected, name);
});

/** Every shorter length; for large files only some in the middle. */
function* cuts(whole: number) {
  for (let length = 0; length < whole; length += length > 2_000 && length < whole - 100 ? 97 : 1) yield length;
}

Deno.test("parseImageHeader returns the right size or none for a file truncated anywhere", () => {
  for (const [name, bytes, expected] of malformedCases) {
    let had = false;
    for (const length of cuts(bytes.length)) {
      const found = parseImageHeader(bytes.subarray(0, length));
      if (found || had) assert.deepEqual(found, expected, `${name}, cut at ${length}`);
      had ||= found !== undefined;
    }
  }
});

Deno.test("parseImageHeader ignores the surroundings of a file in a larger buffer", () => {
  for (const [name, bytes, expected] of malformedCases) {
    const buffer = joined(new Uint8Array(13).fill(0xff), bytes, bytes);
    assert.deepEqual(parseImageHeader(buffer.subarray(13, 13 + bytes.length)), expected, name);
  }
});

Deno.test("parseImageHeader ignores data after the image", () => {
  for (const [name, bytes, expected] of malformedCases) {
    if (!expected) continue;
    for (const behind of [0x00, 0xff, 0xc0]) {
      assert.deepEqual(parseImageHeader(joined(bytes, new Uint8Array(100).fill(behind))), expected, name);
    }
  }
});

Deno.test("parseImageHeader walks 5 MB of tiny segments once", () => {
  const bytes = new Uint8Array(5 * 1024 * 1024);
  for (let at = 2; at + 4 <= bytes.length; at += 4) bytes.set([0xff, 0xfe, 0, 2], at);
  bytes.set([0xff, 0xd8]);
  assert.equal(parseWithBoundsCheck(bytes), undefined);
});
