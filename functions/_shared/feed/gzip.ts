/**
 * Gzip from parts that were compressed on their own. Each part is raw deflate that ends in a full flush: byte-aligned,
 * no back-reference across its border, no final block. Parts therefore concatenate freely, and a header, a final block,
 * the combined CRC and the size make them one ordinary gzip member (RFC 1951, RFC 1952).
 */
import { Buffer } from "node:buffer";
import { constants, crc32, deflateRawSync } from "node:zlib";

/** What is known of a part once it is compressed. */
export interface Sum {
  crc32: number;
  bytes: number;
}

export interface Part extends Sum {
  deflated: Buffer;
}

export function part(text: string): Part {
  const raw = Buffer.from(text);
  return {
    deflated: deflateRawSync(raw, { finishFlush: constants.Z_FULL_FLUSH }),
    crc32: crc32(text) >>> 0, // Deno 2.1.4's crc32 trips over a Buffer, and its result is signed
    bytes: raw.length,
  };
}

/** Deflate, no name, no time (the same content must give the same bytes), unknown system. */
export const GZIP_HEADER: Buffer = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** What ends the member: an empty final block (fixed codes), the CRC and the size modulo 2^32. */
export function gzipTrailer({ crc32, bytes }: Sum): Buffer {
  const trailer = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  trailer.writeUInt32LE(crc32, 2);
  trailer.writeUInt32LE(bytes % 2 ** 32, 6);
  return trailer;
}

/** The sum of parts in a row, from their sums alone. */
export function combine(parts: Iterable<Sum>): Sum {
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

/** x^(8 · 2^k) for k = 0, 1, 2 …, each the square of the one before. */
const SQUARES: number[] = [0x00800000];
for (let k = 1; k < 53; k++) SQUARES.push(multiply(SQUARES[k - 1], SQUARES[k - 1]));

/** x^(8 · bytes) modulo P. */
function power(bytes: number): number {
  let result = 0x80000000; // x^0
  for (let k = 0; bytes > 0; k++, bytes = Math.floor(bytes / 2)) {
    if (bytes % 2) result = multiply(SQUARES[k], result);
  }
  return result;
}
