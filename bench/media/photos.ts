// A thousand realistic images: photos with EXIF, a thumbnail, a color profile and editor data before the frame,
// drawings,
// WebPs of all kinds. 20 to 500 KB each, the same in every run.
import type { ImageInfo } from "../../functions/media/headers/image_header.ts";
import { ascii, be16, be32, joined, jpeg, png, segment, TYPE, webp } from "../../tests/image_fixtures.ts";

export interface Photo {
  bytes: Uint8Array;
  expected: ImageInfo;
}

let state = 1;
/** An integer from low to high, from a seeded generator. */
function between(low: number, high: number): number {
  state = Math.imul(state, 1_664_525) + 1_013_904_223 >>> 0;
  return low + Math.floor(state / 2 ** 32 * (high - low + 1));
}

const noise = (length: number) => Uint8Array.from({ length }, () => between(0, 254));

/** EXIF of a camera: an orientation among a dozen entries, and a JPEG thumbnail. */
function exif(): Uint8Array {
  const entries = Array.from({ length: 12 }, (_, n) => {
    const [tag, value] = n === 4 ? [274, between(1, 8)] : [256 + 4 * n, between(1, 9000)];
    return [...be16(tag), ...be16(3), ...be32(1), ...be16(value), 0, 0];
  });
  const thumbnail = jpeg({ width: 160, height: 120, bytes: between(4_000, 12_000) });
  return segment(0xe1, joined(ascii("Exif\0\0MM\0*"), be32(8), be16(12), entries.flat(), be32(158), thumbnail));
}

function photo(progressive: boolean): Photo {
  const size = { width: between(600, 6000), height: between(600, 6000) };
  const before = [
    exif(),
    segment(0xe1, joined(ascii("http://ns.adobe.com/xap/1.0/\0"), noise(between(2_000, 20_000)))),
    segment(0xed, joined(ascii("Photoshop 3.0\0"), noise(between(2_000, 20_000)))),
    segment(0xe2, joined(ascii("ICC_PROFILE\0\x01\x01"), noise(between(500, 4_000)))),
  ];
  return { bytes: padded(jpeg({ ...size, progressive, before })), expected: { type: TYPE.jpeg, ...size } };
}

function drawing(): Photo {
  const size = { width: between(600, 3000), height: between(600, 3000) };
  return { bytes: png({ ...size, bytes: between(20_000, 500_000) }), expected: { type: TYPE.png, ...size } };
}

function web(kind: "VP8 " | "VP8L" | "VP8X"): Photo {
  const size = { width: between(600, 2000), height: between(300, 1500) };
  return { bytes: padded(webp({ ...size, kind })), expected: { type: TYPE.webp, ...size } };
}

/** A realistic size. */
const padded = (bytes: Uint8Array) =>
  joined(bytes, new Uint8Array(Math.max(0, between(20_000, 500_000) - bytes.length)));

export function photos(count: number): Photo[] {
  const kinds = [
    () => photo(false),
    () => photo(true),
    drawing,
    () => photo(false),
    () => web("VP8 "),
    () => photo(true),
    drawing,
    () => photo(false),
    () => web("VP8L"),
    () => web("VP8X"),
  ];
  return Array.from({ length: count }, (_, n) => kinds[n % kinds.length]());
}
