/**
 * Decompresses bodies that a server compressed although identity was requested, or that are stored compressed
 * (`feed.xml.gz`). It works in small chunks, so a decompression bomb costs bounded time and memory.
 */
import { createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { DecompressionError, FeedError } from "./feed_error.ts";
import { type ByteStream, concatBytes, peekHead } from "./peek_head.ts";
import { decompressBrotli } from "./brotli.ts";

/** In bytes: 1 KB of gzip or deflate expands to about 1 MB at most. */
const WRITE_BYTES = 1024;

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

/**
 * Yields the body without its Content-Encoding in chunks of 24 KB, the last one shorter; each form is limited to
 * `maxBytes` (TOO_LARGE). A chunk is valid until the next one is read. If the body or its compression breaks off, the
 * output ends and `onBroken` receives the cause, innermost first; an error thrown by `onBroken` is thrown.
 */
export async function* decompress(
  body: ByteStream,
  encoding: string | null | undefined,
  maxBytes: number,
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
  const bounded = (chunks: ByteStream) => limitBytes(maxBytes, chunks, onBroken);
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
async function* limitBytes(maxBytes: number, chunks: ByteStream, onBroken: (cause: unknown) => void): ByteChunks {
  let size = 0;
  try {
    for await (const bytes of chunks) {
      size += bytes.length;
      if (size > maxBytes) throw tooLargeError(maxBytes);
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

/** Decompresses RFC 1952 data; returns other data unchanged. */
async function gunzipIfGzip(body: ByteStream): Promise<ByteStream> {
  const { head, all } = await peekHead(body, 2);
  return head[0] === 0x1f && head[1] === 0x8b ? runZlib(all, createGunzip()) : all;
}

/** Decompresses RFC 1950 data, or RFC 1951 data, which some servers send instead. Text begins with neither. */
async function inflateDeflate(body: ByteStream): Promise<ByteStream> {
  const { head: [first, second], all } = await peekHead(body, 2);
  if (first === undefined || TEXT_START.test(String.fromCharCode(first))) return all;
  const isZlib = (first & 15) === 8 && (first * 256 + second) % 31 === 0;
  return runZlib(all, isZlib ? createInflate() : createInflateRaw());
}

const TEXT_START = /[<\s\u00ef\u00fe\u00ff]/; // or a byte order mark

/**
 * Splits the input into small writes, the last of them byte by byte: a failing write yields no output, and the end
 * holds the checksum and data that proxies append.
 */
async function* splitWrites(body: ByteStream): ByteChunks {
  let tail: Uint8Array = new Uint8Array();
  for await (let bytes of body) {
    if (bytes.length < WRITE_BYTES) bytes = concatBytes(tail, bytes);
    else if (tail.length) yield tail;
    let at = 0;
    for (; bytes.length - at >= 2 * WRITE_BYTES; at += WRITE_BYTES) yield bytes.subarray(at, at + WRITE_BYTES);
    tail = bytes.slice(at);
  }
  for (let at = 0; at < tail.length; at++) yield tail.subarray(at, at + 1);
}

/** Runs node:zlib one write at a time and empties it after each, because it buffers without limit. */
async function* runZlib(body: ByteStream, stream: ReturnType<typeof createGunzip>): ByteChunks {
  let ready: Uint8Array[] = [];
  let failure: unknown;
  let resume = () => {};
  stream.on("data", (bytes: Uint8Array) => ready.push(bytes));
  stream.on("error", (cause: unknown) => {
    failure = new DecompressionError("The compressed feed is damaged or truncated", { cause });
    resume();
  });
  const takeReady = () => {
    const bytes = ready;
    ready = [];
    return bytes;
  };
  /** Waits until `begin` calls back or the stream fails. Promise.race would leak: one of its promises lives long. */
  const waitFor = async (begin: (isOver: () => void) => void) => {
    await new Promise<void>((resolve) => {
      resume = resolve;
      if (!failure) begin(resolve);
      else resolve();
    });
  };
  try {
    for await (const bytes of splitWrites(body)) {
      await waitFor((isOver) => stream.write(bytes, isOver));
      yield* takeReady(); // even if the data turns out to be damaged
      if (failure) throw failure;
    }
    await waitFor((isOver) => stream.on("end", isOver).end());
    yield* takeReady();
    if (failure) throw failure;
  } finally {
    stream.destroy();
  }
}
