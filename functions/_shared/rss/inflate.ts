/**
 * Bodies that a server compressed, although identity was asked for, or that are stored so (`feed.xml.gz`): undone piece
 * by piece, so that a bomb costs no more than its ceiling of time, and never memory.
 */
import { createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { BrokenCompression, FeedFailure } from "./failure.ts";
import { type Bytes, headOf } from "./head.ts";
import { unbrotli } from "./unbrotli.ts";

/** In bytes: 1 KB of gzip or deflate is at most about 1 MB. */
const PIECE = 1024;

/** By the names of RFC 9110, 8.4.1, and its aliases. Their own beginnings decide: servers say gzip and send text. */
const codings: Record<string, (body: Bytes) => Promise<Bytes>> = {
  gzip: ungzip,
  "x-gzip": ungzip,
  deflate: undeflate,
  br: (body) => Promise.resolve(unbrotli(body)),
};

/** The body without its Content-Encoding, at most `ceiling` bytes (TOO_LARGE), in pieces of at most 16 KB. */
export async function* inflated(body: Bytes, encoding: string | null | undefined, ceiling: number): Pieces {
  const named = (encoding ?? "").toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name && name !== "identity");
  let plain = body;
  for (const name of named.reverse()) {
    if (!Object.hasOwn(codings, name)) {
      throw new FeedFailure("NOT_XML", `The feed is compressed in a way that is not read: ${name.slice(0, 40)}`);
    }
    plain = await codings[name](plain);
  }
  let size = 0;
  for await (const bytes of await ungzip(plain)) {
    size += bytes.length;
    if (size > ceiling) throw tooLarge(ceiling);
    for (let at = 0; at < bytes.length; at += STEP) yield bytes.subarray(at, at + STEP);
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
  if (TEXT.test(String.fromCharCode(first))) return all;
  const isZlib = (first & 15) === 8 && (first * 256 + second) % 31 === 0;
  return unpacked(all, isZlib ? createInflate() : createInflateRaw());
}

const TEXT = /[<\s\u00ef\u00fe\u00ff]/; // or a byte order mark

/** node:zlib, written to one piece at a time and emptied after each: it buffers whatever it has. */
async function* unpacked(body: Bytes, stream: ReturnType<typeof createGunzip>): Pieces {
  let ready: Uint8Array[] = [];
  stream.on("data", (bytes: Uint8Array) => ready.push(bytes));
  const broken = new Promise<never>((_, reject) => stream.on("error", reject));
  broken.catch(() => {});
  const ended = new Promise<void>((resolve) => stream.on("end", resolve));
  const taken = () => {
    const bytes = ready;
    ready = [];
    return bytes;
  };
  try {
    for await (const bytes of body) {
      for (let at = 0; at < bytes.length; at += PIECE) {
        const piece = bytes.subarray(at, at + PIECE);
        await orBroken(Promise.race([broken, new Promise<void>((resolve) => stream.write(piece, () => resolve()))]));
        yield* taken();
      }
    }
    stream.end();
    await orBroken(Promise.race([broken, ended]));
    yield* taken();
  } finally {
    stream.destroy();
  }
}

async function orBroken(step: Promise<void>) {
  try {
    await step;
  } catch (cause) {
    throw new BrokenCompression("The compressed feed is damaged, or ends early", { cause });
  }
}
