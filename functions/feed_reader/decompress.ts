/**
 * Bodies that a server compressed, although identity was asked for, or that are stored so (`feed.xml.gz`): undone piece
 * by piece, so that a bomb costs no more than its ceiling of time, and never memory.
 */
import { createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { BrokenCompression, FeedFailure } from "./feed_error.ts";
import { type Bytes, headOf, joined } from "./peek_head.ts";
import { unbrotli } from "./brotli.ts";

/** In bytes: 1 KB of gzip or deflate is at most about 1 MB. */
const PIECE = 1024;

/** By the names of RFC 9110, 8.4.1, and its aliases. Their own beginnings decide: servers say gzip and send text. */
const codings: Record<string, (body: Bytes) => Promise<Bytes>> = {
  gzip: ungzip,
  "x-gzip": ungzip,
  deflate: undeflate,
  br: (body) => Promise.resolve(unbrotli(body)),
};

/** One after another; servers use one, and proxies in front of them another. */
const MOST_CODINGS = 4;

/**
 * The body without its Content-Encoding, at most `ceiling` bytes in every form (TOO_LARGE), in pieces of 16 KB, the last
 * one of less. A piece is over when the next is read. Where the body or its compression breaks off it ends, and `broken`
 * is told why, innermost first; what that throws is thrown.
 */
export async function* inflated(
  body: Bytes,
  encoding: string | null | undefined,
  ceiling: number,
  broken: (cause: unknown) => void,
): Pieces {
  const named = (encoding ?? "").toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name && name !== "identity");
  const unread = named.length > MOST_CODINGS ? encoding! : named.find((name) => !Object.hasOwn(codings, name));
  if (unread) {
    await body[Symbol.asyncIterator]().return?.(); // the connection behind it is closed
    throw new FeedFailure("NOT_XML", `The feed is compressed in a way that is not read: ${unread.slice(0, 40)}`);
  }
  const whole = (pieces: Bytes) => below(ceiling, pieces, broken);
  let plain = whole(body);
  for (const name of named.reverse()) plain = whole(await codings[name](plain));
  yield* steps(whole(await ungzip(plain)));
}

/** Bodies come in packets of a kilobyte as in blocks of 64: what is done for each piece takes longer than its bytes. */
async function* steps(pieces: Bytes): Pieces {
  const step = new Uint8Array(STEP);
  let size = 0;
  for await (let bytes of pieces) {
    while (size + bytes.length >= STEP) {
      step.set(bytes.subarray(0, STEP - size), size);
      bytes = bytes.subarray(STEP - size);
      size = 0;
      yield step;
    }
    step.set(bytes, size);
    size += bytes.length;
  }
  if (size) yield step.subarray(0, size);
}

/**
 * Also what is compressed is counted: it may hold any length of nothing. To all that comes behind it a failure is an end
 * like others, so that each hands on what it holds.
 */
async function* below(ceiling: number, pieces: Bytes, broken: (cause: unknown) => void): Pieces {
  let size = 0;
  try {
    for await (const bytes of pieces) {
      size += bytes.length;
      if (size > ceiling) throw tooLarge(ceiling);
      yield bytes;
    }
  } catch (cause) {
    broken(cause);
  }
}

type Pieces = AsyncGenerator<Uint8Array>;

/** In bytes: what is decoded and parsed at a time. */
const STEP = 16_384;

export const tooLarge = (ceiling: number) =>
  new FeedFailure("TOO_LARGE", `The feed is larger than ${ceiling.toLocaleString("en")} bytes`);

/** RFC 1952, when it begins as that; else as it is. */
async function ungzip(body: Bytes): Promise<Bytes> {
  const { head, all } = await headOf(body, 2);
  return head[0] === 0x1f && head[1] === 0x8b ? unpacked(all, createGunzip()) : all;
}

/** RFC 1950 as the name means, RFC 1951 as some servers take it. Text begins with neither. */
async function undeflate(body: Bytes): Promise<Bytes> {
  const { head: [first, second], all } = await headOf(body, 2);
  if (first === undefined || TEXT.test(String.fromCharCode(first))) return all;
  const isZlib = (first & 15) === 8 && (first * 256 + second) % 31 === 0;
  return unpacked(all, isZlib ? createInflate() : createInflateRaw());
}

const TEXT = /[<\s\u00ef\u00fe\u00ff]/; // or a byte order mark

/**
 * What is written at a time, the last of it byte by byte: of a write that fails nothing comes out, and at the end stand
 * the checksum and what proxies append.
 */
async function* portions(body: Bytes): Pieces {
  let held: Uint8Array = new Uint8Array();
  for await (let bytes of body) {
    if (bytes.length < PIECE) bytes = joined(held, bytes);
    else if (held.length) yield held;
    let at = 0;
    for (; bytes.length - at >= 2 * PIECE; at += PIECE) yield bytes.subarray(at, at + PIECE);
    held = bytes.slice(at);
  }
  for (let at = 0; at < held.length; at++) yield held.subarray(at, at + 1);
}

/** node:zlib, written to one piece at a time and emptied after each: it buffers whatever it has. */
async function* unpacked(body: Bytes, stream: ReturnType<typeof createGunzip>): Pieces {
  let ready: Uint8Array[] = [];
  let failure: unknown;
  let goOn = () => {};
  stream.on("data", (bytes: Uint8Array) => ready.push(bytes));
  stream.on("error", (cause: unknown) => {
    failure = new BrokenCompression("The compressed feed is damaged, or ends early", { cause });
    goOn();
  });
  const taken = () => {
    const bytes = ready;
    ready = [];
    return bytes;
  };
  /** Until `begin` calls back or the stream fails. No race of promises: one that lasts would keep something of each. */
  const done = async (begin: (isOver: () => void) => void) => {
    await new Promise<void>((resolve) => {
      goOn = resolve;
      if (!failure) begin(resolve);
      else resolve();
    });
  };
  try {
    for await (const bytes of portions(body)) {
      await done((isOver) => stream.write(bytes, isOver));
      yield* taken(); // also of what turns out to be damaged
      if (failure) throw failure;
    }
    await done((isOver) => stream.on("end", isOver).end());
    yield* taken();
    if (failure) throw failure;
  } finally {
    stream.destroy();
  }
}
