// Unusual and malformed WebPs of programs and attackers. 1400 x 900 where the size does not matter.
import { ascii, joined, le16, le24, le32, png, riff, riffChunk, TYPE, webp } from "../image_fixtures.ts";
import type { MalformedCase } from "./malformed.ts";

interface Side {
  width?: number;
  height?: number;
}

interface Lossy extends Side {
  /** The first byte: bit 0 is set where the frame is not a key frame. */
  tag?: number;
  code?: number[];
}

const lossy = ({ width = 1400, height = 900, tag = 0x10, code = [0x9d, 0x01, 0x2a] }: Lossy = {}) =>
  joined([tag, 2, 0], code, le16(width), le16(height), new Uint8Array(20));
const lossless = ({ width = 1400, height = 900, version = 0, first = 0x2f, alpha = 0 } = {}) =>
  joined([first], le32((width - 1 | height - 1 << 14 | alpha << 28 | version << 29) >>> 0), new Uint8Array(20));
const extended = ({ width = 1400, height = 900, flags = 0 } = {}) =>
  Uint8Array.of(flags, 0, 0, 0, ...le24(width - 1), ...le24(height - 1));

const one = (name: string, data: Uint8Array, length?: number) => riff(riffChunk(name, data, length));
const canvas = (side: Side & { flags?: number }, ...chunks: Uint8Array[]) =>
  riff(joined(riffChunk("VP8X", extended(side)), ...chunks));
const small = riffChunk("VP8L", lossless({ width: 7, height: 7 }));
const animation = joined(riffChunk("ANIM", new Uint8Array(6)), riffChunk("ANMF", joined(new Uint8Array(16), small)));
const plain = one("VP8 ", lossy());

const shown = (name: string, bytes: Uint8Array, width = 1400, height = 900): MalformedCase => {
  return [`WebP: ${name}`, bytes, { type: TYPE.webp, width, height }];
};
const rejected = (name: string, bytes: Uint8Array): MalformedCase => [`WebP: ${name}`, bytes, undefined];

export const malformedWebps: MalformedCase[] = [
  shown("lossy", webp({ width: 1400, height: 900 })),
  shown("lossless", webp({ width: 1400, height: 900, kind: "VP8L" })),
  shown("extended", webp({ width: 1400, height: 900, kind: "VP8X" })),
  shown("lossy, one pixel", one("VP8 ", lossy({ width: 1, height: 1 })), 1, 1),
  shown("lossy, 16,383 pixels a side", one("VP8 ", lossy({ width: 16_383, height: 16_383 })), 16_383, 16_383),
  shown("lossy, with scales", one("VP8 ", lossy({ width: 1400 | 3 << 14, height: 900 | 1 << 14 }))),
  shown("lossless, one pixel", one("VP8L", lossless({ width: 1, height: 1 })), 1, 1),
  shown("lossless, 16,384 pixels a side", one("VP8L", lossless({ width: 16_384, height: 16_384 })), 16_384, 16_384),
  shown("lossless, with alpha", one("VP8L", lossless({ alpha: 1 }))),
  shown("extended, one pixel", canvas({ width: 1, height: 1 }, small), 1, 1),
  shown("extended, as wide as can be", canvas({ width: 2 ** 24, height: 255 }), 2 ** 24, 255),
  shown("extended, 65,535 pixels a side", canvas({ width: 65_535, height: 65_535 }), 65_535, 65_535),
  shown("animated", canvas({ flags: 0x02 }, animation)),
  shown("with alpha and a lossy picture", canvas({ flags: 0x10 }, riffChunk("ALPH", [0, 0]), small)),
  shown("with EXIF that turns it", canvas({ flags: 0x08 }, small, riffChunk("EXIF", ascii("II*\0")))),
  shown("all flags", canvas({ flags: 0xff }, small)),
  shown("lossy, cut behind the header", plain.subarray(0, 30)),
  shown("lossless, cut behind the header", one("VP8L", lossless()).subarray(0, 25)),
  shown("extended, cut behind the header", one("VP8X", extended()).subarray(0, 30)),
  shown("a file size larger than the file", riff(riffChunk("VP8 ", lossy()), 2 ** 32 - 2)),
  shown("an odd file size", riff(riffChunk("VP8 ", lossy()), 43)),
  shown("a chunk size larger than the file", one("VP8 ", lossy(), 2 ** 32 - 1)),
  shown("a second picture, of which the first counts", riff(joined(riffChunk("VP8 ", lossy()), small))),

  rejected("a file size of 0", riff(riffChunk("VP8 ", lossy()), 0)),
  rejected("a file size too small for the picture", riff(riffChunk("VP8 ", lossy()), 21)),
  rejected("lossy, a chunk of length 0", one("VP8 ", lossy(), 0)),
  rejected("lossy, a chunk of length 9", one("VP8 ", lossy(), 9)),
  rejected("lossless, a chunk of length 4", one("VP8L", lossless(), 4)),
  rejected("extended, a chunk of length 4", one("VP8X", extended(), 4)),
  rejected("cut in the lossy header", plain.subarray(0, 29)),
  rejected("cut in the lossless header", one("VP8L", lossless()).subarray(0, 24)),
  rejected("cut in the extended header", one("VP8X", extended()).subarray(0, 29)),
  rejected("a chunk's name and nothing", plain.subarray(0, 16)),
  rejected("a file's name and nothing", plain.subarray(0, 12)),
  rejected("RIFF and nothing", plain.subarray(0, 4)),

  rejected("lossy, no width", one("VP8 ", lossy({ width: 0 }))),
  rejected("lossy, no height", one("VP8 ", lossy({ height: 0 }))),
  rejected("lossy, no width but a scale", one("VP8 ", lossy({ width: 3 << 14 }))),
  rejected("lossy, not a key frame", one("VP8 ", lossy({ tag: 0x11 }))),
  rejected("lossy, another start code", one("VP8 ", lossy({ code: [0x9d, 0x01, 0x2b] }))),
  rejected("lossy, the start code backwards", one("VP8 ", lossy({ code: [0x2a, 0x01, 0x9d] }))),
  rejected("lossless, another first byte", one("VP8L", lossless({ first: 0x2e }))),
  rejected("lossless, version 1", one("VP8L", lossless({ version: 1 }))),
  rejected("lossless, version 4", one("VP8L", lossless({ version: 4 }))),
  rejected("extended, a canvas of 2^32 pixels", canvas({ width: 65_536, height: 65_536 })),
  rejected("extended, a canvas of 2^24 x 256", canvas({ width: 2 ** 24, height: 256 })),
  rejected("extended, a canvas of 2^48 pixels", canvas({ width: 2 ** 24, height: 2 ** 24 })),
  rejected("a lossless picture named lossy", one("VP8 ", lossless())),
  rejected("a lossy picture named lossless", one("VP8L", lossy())),
  rejected("another kind of VP8", one("VP8Z", lossy())),
  rejected("VP9", one("VP9 ", lossy())),
  rejected("names in small letters", one("vp8 ", lossy())),
  rejected("alpha first", riff(joined(riffChunk("ALPH", [0, 0]), riffChunk("VP8 ", lossy())))),
  rejected("something else first", riff(joined(riffChunk("JUNK", new Uint8Array(8)), riffChunk("VP8 ", lossy())))),
  rejected("a PNG inside", one("VP8 ", png({ width: 7, height: 7 }))),
  rejected("RIFX", joined(ascii("RIFX"), plain.subarray(4))),
  rejected("a WAV", joined(plain.subarray(0, 8), ascii("WAVEfmt "), plain.subarray(16))),
  rejected("an AVI with a picture first", joined(plain.subarray(0, 8), ascii("AVI "), plain.subarray(12))),
];
