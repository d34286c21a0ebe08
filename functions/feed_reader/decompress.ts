/**
 * Decompresses bodies that a server compressed although identity was requested, or that are stored compressed
 * (`feed.xml.gz`). It works in small chunks, so a decompression bomb costs bounded time and memory.
 */
import { gunzipIfGzip, inflateDeflate } from "../compression/inflate.ts";
import type { ByteStream } from "../compression/peek_head.ts";
import { FeedError } from "./feed_error.ts";
import { decompressBrotli } from "./brotli.ts";

/**
 * Decoders by the names and aliases of RFC 9110, 8.4.1. The data decides: some servers declare gzip and send plain
 * text.
 */
const decoders: Record<string, (body: ByteStream) => Promise<ByteStream>> = {
  gzip: gunzipIfGzip,
  "x-gzip": gunzipIfGzip,
  deflate: inflateDeflate,
  br: (body) => Promise.resolve(decompressBrotli(body)),
};

/** Encodings in a row: servers apply one, proxies may add another. */
const MAX_ENCODINGS = 4;

/** Shared by all forms of a body: as it was sent, and after each decompression. */
export interface ByteLimit {
  /** In each form. */
  maxBytes: number;
  /** In the longest form so far. */
  bytes: number;
  /** Called for each chunk of each form; an error that it throws ends the reading. */
  onChunk?: () => void;
}

/**
 * Yields the body without its Content-Encoding in chunks of 24 KB, the last one shorter; each form is limited to
 * `maxBytes` (TOO_LARGE). A chunk is valid until the next one is read. If the body or its compression breaks off, the
 * output ends and `onBroken` receives the cause, innermost first; an error thrown by `onBroken` is thrown.
 */
export async function* decompress(
  body: ByteStream,
  encoding: string | null | undefined,
  limit: ByteLimit,
  onBroken: (cause: unknown) => void,
): ByteChunks {
  const encodings = (encoding ?? "").toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name && name !== "identity");
  const unsupported = encodings.length > MAX_ENCODINGS
    ? encoding!
    : encodings.find((name) => !Object.hasOwn(decoders, name));
  if (unsupported) {
    await body[Symbol.asyncIterator]().return?.(); // closes the connection
    throw new FeedError("NOT_XML", `Unsupported content encoding: ${unsupported.slice(0, 40)}`);
  }
  const bounded = (chunks: ByteStream) => limitBytes(limit, chunks, onBroken);
  let plain = bounded(body);
  for (const name of encodings.reverse()) plain = bounded(await decoders[name](plain));
  yield* rechunk(bounded(await gunzipIfGzip(plain)));
}

/** Equalizes chunks of a kilobyte to 64 KB: the work per chunk costs more than its bytes. */
async function* rechunk(chunks: ByteStream): ByteChunks {
  const chunk = new Uint8Array(CHUNK_BYTES);
  let size = 0;
  for await (let bytes of chunks) {
    while (size + bytes.length >= CHUNK_BYTES) {
      chunk.set(bytes.subarray(0, CHUNK_BYTES - size), size);
      bytes = bytes.subarray(CHUNK_BYTES - size);
      size = 0;
      yield chunk;
    }
    chunk.set(bytes, size);
    size += bytes.length;
  }
  if (size) yield chunk.subarray(0, size);
}

/**
 * Limits the compressed form too, which may be arbitrarily long and expand to nothing. A failure ends the stream
 * normally, so that later stages still flush.
 */
async function* limitBytes(limit: ByteLimit, chunks: ByteStream, onBroken: (cause: unknown) => void): ByteChunks {
  let size = 0;
  try {
    for await (const bytes of chunks) {
      size += bytes.length;
      if (size > limit.maxBytes) throw tooLargeError(limit.maxBytes);
      limit.bytes = Math.max(limit.bytes, size);
      limit.onChunk?.();
      yield bytes;
    }
  } catch (cause) {
    onBroken(cause);
  }
}

type ByteChunks = AsyncGenerator<Uint8Array>;

/** The size of a chunk that is decoded and parsed at once. */
export const CHUNK_BYTES = 24_576;

const tooLargeError = (maxBytes: number) =>
  new FeedError("TOO_LARGE", `The feed is larger than ${maxBytes.toLocaleString("en")} bytes`);
