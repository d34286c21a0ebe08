/**
 * Brotli (RFC 7932), decompressed at once: Deno 2.1's streaming decompressor loses output that exceeds one of its
 * chunks, and its other decompressor has no size limit. The limit is therefore lower than for other feeds. A
 * truncated body yields whole windows only (usually of 4 MB).
 */
import { DecompressionError } from "../compression/inflate.ts";
import { FeedError } from "./feed_error.ts";
import type { ByteStream } from "../compression/peek_head.ts";

/** In bytes. With the window (at most 16 MB) they bound the memory. */
const MAX_COMPRESSED_BYTES = 4_000_000;
const MAX_BYTES = 16_000_000;

export async function* decompressBrotli(body: ByteStream): AsyncGenerator<Uint8Array> {
  const compressed = await readAll(body);
  if (!compressed.length) return;
  const { BrotliDecompress } = await import("brotli/dec/decode.js"); // large because of its dictionary: loaded on demand
  const chunks: Uint8Array[] = [];
  let size = 0;
  let at = 0;
  const input = {
    read(buffer: Uint8Array, offset: number, count: number) {
      const bytes = compressed.subarray(at, at + count);
      buffer.set(bytes, offset);
      at += bytes.length;
      return bytes.length;
    },
  };
  const output = {
    buffer: { length: Infinity }, // without it the decoder allocates what a block announces
    write(buffer: Uint8Array, count: number) {
      size += count;
      if (size > MAX_BYTES) throw tooLargeError();
      chunks.push(buffer.slice(0, count));
      return count;
    },
  };
  let error: unknown;
  try {
    BrotliDecompress(input, output);
  } catch (cause) {
    if (cause instanceof FeedError) throw cause;
    error = new DecompressionError("The compressed data is damaged or truncated", { cause });
  }
  yield* chunks;
  if (error) throw error;
}

async function readAll(body: ByteStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_COMPRESSED_BYTES) throw tooLargeError();
    chunks.push(chunk);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

const tooLargeError = () =>
  new FeedError(
    "TOO_LARGE",
    `The feed is compressed with Brotli and larger than ${MAX_BYTES.toLocaleString("en")} bytes`,
  );
