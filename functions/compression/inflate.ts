/**
 * Decompresses gzip and deflate in small steps, so that a decompression bomb costs no more than its reader asks for.
 * The data decides: some servers declare a compression and send plain text.
 */
import { createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { type ByteStream, concatBytes, peekHead } from "./peek_head.ts";

/** Compressed data is damaged or truncated; the bytes decompressed so far are valid. */
export class DecompressionError extends Error {
  override readonly name = "DecompressionError";
}

/** In bytes: 1 KB of gzip or deflate expands to about 1 MB at most. */
const WRITE_BYTES = 1024;

type ByteChunks = AsyncGenerator<Uint8Array>;

/** Decompresses RFC 1952 data; returns other data unchanged. */
export async function gunzipIfGzip(body: ByteStream): Promise<ByteStream> {
  const { head, all } = await peekHead(body, 2);
  return head[0] === 0x1f && head[1] === 0x8b ? runZlib(all, createGunzip()) : all;
}

/** Decompresses RFC 1950 data, or RFC 1951 data, which some servers send instead. Text begins with neither. */
export async function inflateDeflate(body: ByteStream): Promise<ByteStream> {
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
    failure = new DecompressionError("The compressed data is damaged or truncated", { cause });
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
