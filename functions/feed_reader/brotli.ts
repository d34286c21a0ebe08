/**
 * Brotli (RFC 7932), in one piece: Deno 2.1's streaming decompressor loses what does not fit into one of its answers,
 * and the one that is not streaming knows no ceiling. So the ceiling here is lower than for other feeds. Of a body that
 * ends early only whole windows come out (of 4 MB, as most compress): the decoder hands on no part of one.
 */
import { BrokenCompression, FeedFailure } from "./feed_error.ts";
import type { Bytes } from "./peek_head.ts";

/** In bytes, compressed and not: with the window (16 MB at most) they are what it holds. */
const MOST_PACKED = 4_000_000;
const MOST = 16_000_000;

export async function* unbrotli(body: Bytes): AsyncGenerator<Uint8Array> {
  const packed = await collected(body);
  if (!packed.length) return;
  const { BrotliDecompress } = await import("brotli/dec/decode.js"); // with its dictionary: only when it is needed
  const pieces: Uint8Array[] = [];
  let size = 0;
  let at = 0;
  const input = {
    read(buffer: Uint8Array, offset: number, count: number) {
      const bytes = packed.subarray(at, at + count);
      buffer.set(bytes, offset);
      at += bytes.length;
      return bytes.length;
    },
  };
  const output = {
    buffer: { length: Infinity }, // which the decoder would make as long as a block announces
    write(buffer: Uint8Array, count: number) {
      size += count;
      if (size > MOST) throw tooLarge();
      pieces.push(buffer.slice(0, count));
      return count;
    },
  };
  let failure: unknown;
  try {
    BrotliDecompress(input, output);
  } catch (cause) {
    if (cause instanceof FeedFailure) throw cause;
    failure = new BrokenCompression("The compressed feed is damaged, or ends early", { cause });
  }
  yield* pieces;
  if (failure) throw failure;
}

async function collected(body: Bytes): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MOST_PACKED) throw tooLarge();
    pieces.push(piece);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

const tooLarge = () =>
  new FeedFailure("TOO_LARGE", `The feed is compressed with Brotli and larger than ${MOST.toLocaleString("en")} bytes`);
