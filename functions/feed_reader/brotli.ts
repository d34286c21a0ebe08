/**
 * Brotli (RFC 7932), in one piece: Deno 2.1's streaming decompressor loses what does not fit into one of its answers,
 * and the one that is not streaming knows no ceiling. So the ceiling here is lower than for other feeds. Of a body that
 * ends early only whole windows come out (of 4 MB, as most compress): the decoder hands on no part of one.
 */
import { DecompressionError, FeedError } from "./feed_error.ts";
import type { ByteStream } from "./peek_head.ts";

/** In bytes, compressed and not: with the window (16 MB at most) they are what it holds. */
const MAX_COMPRESSED_BYTES = 4_000_000;
const MAX_BYTES = 16_000_000;

export async function* decompressBrotli(body: ByteStream): AsyncGenerator<Uint8Array> {
  const compressed = await readAll(body);
  if (!compressed.length) return;
  const { BrotliDecompress } = await import("brotli/dec/decode.js"); // with its dictionary: only when it is needed
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
    buffer: { length: Infinity }, // which the decoder would make as long as a block announces
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
    error = new DecompressionError("The compressed feed is damaged, or ends early", { cause });
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
