/**
 * Bodies that a server compressed, although identity was asked for, or that are stored so (`feed.xml.gz`): undone piece
 * by piece, so that a bomb costs no more than its ceiling of time, and never memory.
 */
import { createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { DecompressionError, FeedError } from "./feed_error.ts";
import { type ByteStream, concatBytes, peekHead } from "./peek_head.ts";
import { decompressBrotli } from "./brotli.ts";

/** In bytes: 1 KB of gzip or deflate is at most about 1 MB. */
const WRITE_BYTES = 1024;

/** By the names of RFC 9110, 8.4.1, and its aliases. Their own beginnings decide: servers say gzip and send text. */
const decoders: Record<string, (body: ByteStream) => Promise<ByteStream>> = {
  gzip: gunzipIfGzip,
  "x-gzip": gunzipIfGzip,
  deflate: inflateDeflate,
  br: (body) => Promise.resolve(decompressBrotli(body)),
};

/** One after another; servers use one, and proxies in front of them another. */
const MAX_ENCODINGS = 4;

/**
 * The body without its Content-Encoding, at most `ceiling` bytes in every form (TOO_LARGE), in pieces of 16 KB, the last
 * one of less. A piece is over when the next is read. Where the body or its compression breaks off it ends, and `broken`
 * is told why, innermost first; what that throws is thrown.
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
    await body[Symbol.asyncIterator]().return?.(); // the connection behind it is closed
    throw new FeedError("NOT_XML", `The feed is compressed in a way that is not read: ${unsupported.slice(0, 40)}`);
  }
  const bounded = (chunks: ByteStream) => limitBytes(maxBytes, chunks, onBroken);
  let plain = bounded(body);
  for (const name of encodings.reverse()) plain = bounded(await decoders[name](plain));
  yield* rechunk(bounded(await gunzipIfGzip(plain)));
}

/** Bodies come in packets of a kilobyte as in blocks of 64: what is done for each piece takes longer than its bytes. */
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
 * Also what is compressed is counted: it may hold any length of nothing. To all that comes behind it a failure is an end
 * like others, so that each hands on what it holds.
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

/** In bytes: what is decoded and parsed at a time. */
const CHUNK_BYTES = 16_384;

export const tooLargeError = (maxBytes: number) =>
  new FeedError("TOO_LARGE", `The feed is larger than ${maxBytes.toLocaleString("en")} bytes`);

/** RFC 1952, when it begins as that; else as it is. */
async function gunzipIfGzip(body: ByteStream): Promise<ByteStream> {
  const { head, all } = await peekHead(body, 2);
  return head[0] === 0x1f && head[1] === 0x8b ? runZlib(all, createGunzip()) : all;
}

/** RFC 1950 as the name means, RFC 1951 as some servers take it. Text begins with neither. */
async function inflateDeflate(body: ByteStream): Promise<ByteStream> {
  const { head: [first, second], all } = await peekHead(body, 2);
  if (first === undefined || TEXT_START.test(String.fromCharCode(first))) return all;
  const isZlib = (first & 15) === 8 && (first * 256 + second) % 31 === 0;
  return runZlib(all, isZlib ? createInflate() : createInflateRaw());
}

const TEXT_START = /[<\s\u00ef\u00fe\u00ff]/; // or a byte order mark

/**
 * What is written at a time, the last of it byte by byte: of a write that fails nothing comes out, and at the end stand
 * the checksum and what proxies append.
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

/** node:zlib, written to one piece at a time and emptied after each: it buffers whatever it has. */
async function* runZlib(body: ByteStream, stream: ReturnType<typeof createGunzip>): ByteChunks {
  let ready: Uint8Array[] = [];
  let failure: unknown;
  let resume = () => {};
  stream.on("data", (bytes: Uint8Array) => ready.push(bytes));
  stream.on("error", (cause: unknown) => {
    failure = new DecompressionError("The compressed feed is damaged, or ends early", { cause });
    resume();
  });
  const takeReady = () => {
    const bytes = ready;
    ready = [];
    return bytes;
  };
  /** Until `begin` calls back or the stream fails. No race of promises: one that lasts would keep something of each. */
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
      yield* takeReady(); // also of what turns out to be damaged
      if (failure) throw failure;
    }
    await waitFor((isOver) => stream.on("end", isOver).end());
    yield* takeReady();
    if (failure) throw failure;
  } finally {
    stream.destroy();
  }
}
