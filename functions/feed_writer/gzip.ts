/**
 * Builds gzip data from independently compressed parts. Each part is raw deflate that ends in a full flush:
 * byte-aligned, without back-references across its border, without a final block. Parts can therefore be
 * concatenated; a header, a final block, the combined CRC and the size make them one gzip member (RFC 1951, RFC
 * 1952).
 */
import { Buffer } from "node:buffer";
import { constants, crc32, deflateRawSync } from "node:zlib";

/** CRC and size of an uncompressed part. */
export interface Checksum {
  crc32: number;
  bytes: number;
}

export interface CompressedPart extends Checksum {
  deflated: Buffer;
}

export function compressPart(text: string): CompressedPart {
  const raw = Buffer.from(text);
  return {
    deflated: deflateRawSync(raw, { finishFlush: constants.Z_FULL_FLUSH }),
    crc32: crc32(text) >>> 0, // Deno 2.1.4's crc32 fails on a Buffer and returns a signed number
    bytes: raw.length,
  };
}

/** Deflate, no name, no time (equal content gives equal bytes), unknown system. */
export const GZIP_HEADER: Buffer = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** The end of the member: an empty final block (fixed codes), the CRC, and the size modulo 2^32. */
export function gzipTrailer({ crc32, bytes }: Checksum): Buffer {
  const trailer = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  trailer.writeUInt32LE(crc32, 2);
  trailer.writeUInt32LE(bytes % 2 ** 32, 6);
  return trailer;
}

/** Combines the checksums of consecutive parts without their data. */
export function combineChecksums(parts: Iterable<Checksum>): Checksum {
  let crc = 0;
  let bytes = 0;
  for (const next of parts) {
    crc = (multiply(power(next.bytes), crc) ^ next.crc32) >>> 0;
    bytes += next.bytes;
  }
  return { crc32: crc, bytes };
}

// CRC-32 is arithmetic on polynomials over GF(2) modulo P, with the bits mirrored (bit 31 is x^0). Appending n bytes
// multiplies the CRC so far by x^(8n); that is all of crc32_combine, as in zlib since 1.2.12.
const P = 0xedb88320;

function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 0x80000000; bit !== 0 && a !== 0; bit >>>= 1) {
    if (a & bit) {
      product ^= b;
      a &= ~bit;
    }
    b = b & 1 ? (b >>> 1) ^ P : b >>> 1;
  }
  return product >>> 0;
}

/** x^(8n) modulo P for each digit n of a byte count in base 1024; five digits reach 2^50. */
const POWERS: Uint32Array[] = [];
for (let place = 0, step = 0x00800000; place < 5; place++) {
  const powers = new Uint32Array(1024);
  powers[0] = 0x80000000; // x^0
  for (let digit = 1; digit < 1024; digit++) powers[digit] = multiply(step, powers[digit - 1]);
  POWERS.push(powers);
  step = multiply(step, powers[1023]);
}

/** x^(8 · bytes) modulo P. */
function power(bytes: number): number {
  let result = POWERS[0][bytes % 1024];
  for (let place = 1; bytes >= 1024; place++) {
    bytes = Math.floor(bytes / 1024);
    if (bytes % 1024) result = multiply(POWERS[place][bytes % 1024], result);
  }
  return result;
}
