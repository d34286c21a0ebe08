// Images of random sizes and randomly damaged headers. Failures name the seed.
import assert from "node:assert/strict";
import { type ImageInfo, parseImageHeader } from "../../functions/media/headers/image_header.ts";
import { joined, jpeg, png, segment, TYPE, webp } from "../image_fixtures.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { malformedCases } from "./malformed.ts";
import { parseWithBoundsCheck } from "./bounds_checked.ts";

const samples = malformedCases.filter(([, bytes]) => bytes.length > 0 && bytes.length < 5000);
const images = samples.filter(([, , expected]) => expected);
const telling = [0x00, 0x01, 0x02, 0x08, 0x7f, 0x80, 0xc0, 0xc2, 0xc4, 0xd8, 0xd9, 0xda, 0xe1, 0xfe, 0xff];

/** Values that damage an image. */
function drawn(seed: number) {
  const { below, one } = seededRandom(seed);
  const byte = () => below(2) ? one(telling) : below(256);
  return { below, one, byte, bytes: (length: number) => Uint8Array.from({ length }, byte) };
}

/** A sample with one to six damages, mostly near its start. */
function damaged(seed: number): Uint8Array {
  const { below, one, byte, bytes } = drawn(seed);
  let [, file] = one(below(4) ? images : samples);
  for (let damages = 1 + below(6); damages > 0; damages--) {
    const at = below(Math.min(file.length, one([4, 32, 200, 5000]))), length = below(one([3, 20, 500]));
    const [before, behind] = [file.subarray(0, at), file.subarray(at)];
    const [, other] = one(samples);
    file = one([
      () => joined(before, [byte()], behind.subarray(1)),
      () => joined(before, [(behind[0] ?? 0) ^ 1 << below(8)], behind.subarray(1)),
      () => joined(before, bytes(2), behind.subarray(2)), // a length, most likely
      () => joined(before, behind.subarray(length)),
      () => joined(before, bytes(length), behind),
      () => joined(before, behind.subarray(0, length), behind),
      () => joined(before, other.subarray(below(other.length)), behind),
      () => Uint8Array.from(before),
    ])();
  }
  return file;
}

const begins: Record<ImageInfo["type"], number[]> = {
  [TYPE.jpeg]: [0xff, 0xd8, 0xff],
  [TYPE.png]: [0x89, 0x50, 0x4e, 0x47],
  [TYPE.webp]: [0x52, 0x49, 0x46, 0x46],
};
const maxSizes = { [TYPE.jpeg]: 65_535, [TYPE.png]: 2 ** 31 - 1, [TYPE.webp]: 2 ** 24 };

/** Whether the bytes still are an image. */
function assertValidIfImage(file: Uint8Array): boolean {
  const found = parseWithBoundsCheck(file);
  assert.deepEqual(parseImageHeader(file), found);
  if (!found) return false;
  const { type, width, height } = found;
  assert.deepEqual([...file.subarray(0, begins[type].length)], begins[type]);
  for (const side of [width, height]) assert.ok(Number.isInteger(side) && side >= 1 && side <= maxSizes[type]);
  assert.deepEqual(parseImageHeader(joined(file, new Uint8Array(50).fill(0xff))), found);
  return true;
}

function forSeeds(count: number, claim: (seed: number) => void) {
  for (let seed = 1; seed <= count; seed++) {
    try {
      claim(seed);
    } catch (cause) {
      throw new Error(`with seed ${seed}`, { cause });
    }
  }
}

Deno.test("parseImageHeader returns a size within the format's bounds or none for damaged headers", () => {
  const count = byScale(800, 100_000);
  let left = 0;
  forSeeds(count, (seed) => left += Number(assertValidIfImage(damaged(seed))));
  assert.ok(left > count / 20 && left < count / 2, `${left} of ${count} still are images: a claim about both`);
});

Deno.test("parseImageHeader returns the size of images with random segments before the frame", () => {
  forSeeds(byScale(120, 5_000), (seed) => {
    const { below, one, bytes } = drawn(seed);
    const side = () => 1 + below(one([10, 3000, 16_383]));
    const size = { width: side(), height: side() };
    const before = Array.from({ length: below(5) }, () => segment(0xe0 + below(16), bytes(below(one([9, 20_000])))));
    const file = one([
      () => jpeg({ ...size, before }),
      () => jpeg({ ...size, before, progressive: true }),
      () => png(size),
      () => webp(size),
      () => webp({ ...size, kind: "VP8L" }),
      () => webp({ ...size, kind: "VP8X" }),
    ])();
    const [type] = Object.values(TYPE).filter((type) => begins[type].every((byte, at) => file[at] === byte));
    assert.deepEqual(parseImageHeader(file), { type, ...size });
  });
});
