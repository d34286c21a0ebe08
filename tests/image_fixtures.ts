// Images for tests: valid ones of one color that browsers show, as small as the format allows. An image that would take
// more than DRAWN bytes is drawn in part only, like an incomplete download.
import { deflateSync, gzipSync } from "node:zlib";

export const TYPE = { jpeg: "image/jpeg", png: "image/png", webp: "image/webp" } as const;

interface Size {
  width: number;
  height: number;
  /** The size of the file, filled with a comment; as small as possible if omitted. */
  bytes?: number;
}

const DRAWN = 500_000;

/** A gray JPEG. Segments between its start and its frame (EXIF, thumbnails) can be given; it always has a comment. */
export function jpeg(
  { width, height, bytes, progressive = false, before = [] }: Size & { progressive?: boolean; before?: Uint8Array[] },
): Uint8Array {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const head = [
    Uint8Array.of(0xff, 0xd8),
    segment(0xe0, [...ascii("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...before,
  ];
  const rest = [
    segment(0xdb, [0, ...new Uint8Array(64).fill(16)]),
    segment(progressive ? 0xc2 : 0xc0, [8, ...be16(height), ...be16(width), 1, 1, 0x11, 0]),
    segment(0xc4, [0x00, 1, ...new Uint8Array(15), 0]), // the only DC code, "no difference", is the bit 0
    segment(0xc4, [0x10, 1, ...new Uint8Array(15), 0]), // likewise the only AC code, "end of block"
    segment(0xda, [1, 1, 0, 0, progressive ? 0 : 63, 0]),
    new Uint8Array(Math.min(Math.ceil(blocks * (progressive ? 1 : 2) / 8), DRAWN)),
    Uint8Array.of(0xff, 0xd9),
  ];
  return filled(bytes, 4, [head, rest], (size) => {
    const parts = Math.ceil(size / 65_537); // a segment cannot be longer
    const end = (n: number) => Math.floor(size * n / parts);
    return joined(...Array.from({ length: parts }, (_, n) => segment(0xfe, new Uint8Array(end(n + 1) - end(n) - 4))));
  });
}

/** A black PNG. */
export function png({ width, height, bytes }: Size): Uint8Array {
  const row = 1 + Math.ceil(width / 8);
  const rows = Math.min(height, Math.floor(DRAWN * 100 / row));
  const head = [
    PNG_SIGNATURE,
    pngChunk("IHDR", [...be32(width), ...be32(height), 1, 0, 0, 0, 0]),
  ];
  const rest = [pngChunk("IDAT", deflateSync(new Uint8Array(row * rows))), pngChunk("IEND", [])];
  return filled(bytes, 20, [head, rest], (size) => {
    const text = new Uint8Array(size - 12).fill(32);
    text.set(ascii("Comment\0"));
    return pngChunk("tEXt", text);
  });
}

/** A lossy, lossless or extended WebP. */
export function webp({ width, height, bytes, kind = "VP8 " }: Size & { kind?: "VP8 " | "VP8L" | "VP8X" }): Uint8Array {
  const chunks = kind === "VP8 "
    ? [riffChunk("VP8 ", vp8(width, height))]
    : kind === "VP8L"
    ? [riffChunk("VP8L", vp8l(width, height))]
    : [
      riffChunk("VP8X", [0, 0, 0, 0, ...le24(width - 1), ...le24(height - 1)]),
      riffChunk("VP8L", vp8l(Math.min(width, 16_384), Math.min(height, 16_384))),
    ];
  const odd = (bytes ?? 0) % 2; // RIFF is even: a padding byte follows an odd chunk
  const even = bytes === undefined ? undefined : bytes - odd;
  const body = filled(even === undefined ? undefined : even - 12, 8, [chunks, []], (size) => {
    return riffChunk("JUNK", new Uint8Array(size - 8));
  });
  return joined(riff(body), new Uint8Array(odd));
}

/** A key frame of zeros: every block is predicted from its neighbors without correction. */
function vp8(width: number, height: number): Uint8Array {
  const macroblocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  const modes = Math.min(200 + macroblocks, DRAWN), corrections = Math.min(200 + 3 * macroblocks, DRAWN);
  const tag = 0x10 | modes << 5; // key frame, version 0, shown
  return joined([...le24(tag), 0x9d, 0x01, 0x2a, ...le16(width), ...le16(height)], new Uint8Array(modes + corrections));
}

/** Five prefix codes of one symbol each, so that a pixel takes no bits at all. */
function vp8l(width: number, height: number): Uint8Array {
  let bits = BigInt(width - 1) | BigInt(height - 1) << 14n, at = 32n + 3n; // no transforms, cache or meta codes
  for (let code = 0; code < 5; code++, at += 4n) bits |= 1n << at; // a simple code whose symbol is 0
  return Uint8Array.of(0x2f, ...Array.from({ length: 9 }, (_, n) => Number(bits >> BigInt(8 * n) & 0xffn)));
}

// Building blocks of the formats

export const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** A JPEG marker segment; its declared length may be wrong. */
export function segment(marker: number, payload: ArrayLike<number>, length = payload.length + 2): Uint8Array {
  return joined([0xff, marker, ...be16(length)], payload);
}

export function pngChunk(name: string, data: ArrayLike<number>): Uint8Array {
  const named = joined(ascii(name), data);
  const crc32 = gzipSync(named, { level: 1 }).subarray(-8, -4).reverse(); // Deno 2.1.4's crc32 takes text alone
  return joined(be32(data.length), named, crc32);
}

export function riffChunk(name: string, data: ArrayLike<number>, length = data.length): Uint8Array {
  return joined(ascii(name), le32(length), data, new Uint8Array(data.length % 2));
}

export function riff(body: ArrayLike<number>, length = body.length + 4): Uint8Array {
  return joined(ascii("RIFF"), le32(length), ascii("WEBP"), body);
}

export function joined(...parts: ArrayLike<number>[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** head, a comment that brings the whole to `bytes`, rest. */
function filled(
  bytes: number | undefined,
  smallest: number,
  [head, rest]: [Uint8Array[], Uint8Array[]],
  comment: (size: number) => Uint8Array,
): Uint8Array {
  const before = joined(...head), after = joined(...rest);
  const left = bytes === undefined ? smallest : bytes - before.length - after.length;
  if (left < smallest) throw new RangeError(`A picture like this takes more than ${bytes} bytes`);
  return joined(before, comment(left), after);
}

export const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);
export const be16 = (n: number): number[] => [n >> 8 & 255, n & 255];
export const be32 = (n: number): number[] => [...be16(n >>> 16), ...be16(n & 0xffff)];
export const le16 = (n: number): number[] => be16(n).reverse();
export const le24 = (n: number): number[] => [n & 255, ...le16(n >> 8)];
export const le32 = (n: number): number[] => be32(n).reverse();
