// Unusual and malformed PNGs of programs, platforms and attackers. 1400 x 900 where the size does not matter.
import { be32, joined, png, PNG_SIGNATURE, pngChunk, TYPE } from "../image_fixtures.ts";
import type { MalformedCase } from "./malformed.ts";

const MAX_CHUNK_LENGTH = 2 ** 31 - 1;

const header = (width = 1400, height = 900) => [...be32(width), ...be32(height), 8, 6, 0, 0, 0];
const file = (...chunks: Uint8Array[]) => {
  return joined(PNG_SIGNATURE, ...chunks, pngChunk("IDAT", new Uint8Array(32)), pngChunk("IEND", []));
};
const ihdr = (width?: number, height?: number) => pngChunk("IHDR", header(width, height));
const changed = (bytes: Uint8Array, at: number, ...to: number[]) => {
  return joined(bytes.subarray(0, at), to, bytes.subarray(at + to.length));
};

const shown = (name: string, bytes: Uint8Array, width = 1400, height = 900): MalformedCase => {
  return [`PNG: ${name}`, bytes, { type: TYPE.png, width, height }];
};
const rejected = (name: string, bytes: Uint8Array): MalformedCase => [`PNG: ${name}`, bytes, undefined];

export const malformedPngs: MalformedCase[] = [
  shown("a picture", png({ width: 1400, height: 900 })),
  shown("one pixel", png({ width: 1, height: 1 }), 1, 1),
  shown("the longest sides", file(ihdr(MAX_CHUNK_LENGTH, MAX_CHUNK_LENGTH)), MAX_CHUNK_LENGTH, MAX_CHUNK_LENGTH),
  shown("65,535 pixels a side", file(ihdr(65_535, 65_535)), 65_535, 65_535),
  shown("animated", file(ihdr(), pngChunk("acTL", [...be32(2), ...be32(0)]))),
  shown("a frame of an animation with another size", file(ihdr(), pngChunk("fcTL", [...be32(0), ...header(7, 7)]))),
  shown("two headers, of which the first counts", file(ihdr(), ihdr(7, 7))),
  shown("a wrong checksum", changed(file(ihdr()), 29, 0, 0, 0, 0)),
  shown("cut behind the header", file(ihdr()).subarray(0, 29)),
  shown("a second chunk that ends past the file", joined(PNG_SIGNATURE, ihdr(), be32(2 ** 32 - 1), [1, 2, 3])),

  rejected("no width", file(ihdr(0, 900))),
  rejected("no height", file(ihdr(1400, 0))),
  rejected("neither width nor height", file(ihdr(0, 0))),
  rejected("a width of 2^31", file(ihdr(2 ** 31, 900))),
  rejected("a height of 2^31", file(ihdr(1400, 2 ** 31))),
  rejected("sides of 2^32 - 1", file(ihdr(2 ** 32 - 1, 2 ** 32 - 1))),
  rejected("cut in the header", file(ihdr()).subarray(0, 28)),
  rejected("cut in the size", file(ihdr()).subarray(0, 23)),
  rejected("a signature and nothing", PNG_SIGNATURE),
  rejected("the header second", file(pngChunk("gAMA", be32(45_455)), ihdr())),
  rejected("a text first that looks like a header", file(pngChunk("tEXt", joined(ihdr(), ihdr())), ihdr())),
  rejected("no header", file()),
  rejected("Apple's CgBI, which browsers do not show", file(pngChunk("CgBI", [0x50, 0, 0x20, 2]), ihdr())),
  rejected("a header of 12 bytes", file(pngChunk("IHDR", header().slice(0, 12)))),
  rejected("a header of 14 bytes", file(pngChunk("IHDR", [...header(), 0]))),
  rejected("a header of length 0", changed(file(ihdr()), 8, 0, 0, 0, 0)),
  rejected("a header of length 2^32 - 1", changed(file(ihdr()), 8, 255, 255, 255, 255)),
  rejected("a header named ihdr", file(pngChunk("ihdr", header()))),
  rejected("line ends changed in transfer", joined(PNG_SIGNATURE.subarray(0, 4), [10, 26, 10], ihdr())),
  rejected("the eighth bit lost in transfer", changed(file(ihdr()), 0, 0x09)),
  rejected("a signature with another letter", changed(file(ihdr()), 1, 0x51)),
  rejected("a signature with another last byte", changed(file(ihdr()), 7, 0)),
  rejected("two signatures", joined(PNG_SIGNATURE, file(ihdr()))),
  rejected("a MNG", changed(file(ihdr()), 0, 0x8a, 0x4d)),
  rejected("a JNG", changed(file(pngChunk("JHDR", [...header(), 0, 0, 0])), 0, 0x8b, 0x4a)),
];
