/** Reading a request's body under a ceiling, into one buffer that holds it once. */
import { Refusal } from "./refusal.ts";

export interface Received {
  /** How many bytes came, or were announced; `ceiling + 1` when a stream without a length went over. */
  size: number;
  /** The body; empty when it went over the ceiling. */
  bytes: Uint8Array;
}

/** Reads at most `ceiling` bytes. What announces more, or turns out to be more, is not held. */
export async function received(request: Request, ceiling: number): Promise<Received> {
  const header = request.headers.get("content-length");
  const announced = header === null ? undefined : Number(header);
  if (announced !== undefined && announced > ceiling) return { size: announced, bytes: new Uint8Array() };

  // Pages of the buffer that nothing is written to cost no memory, so the ceiling itself is a fine first guess
  const { buffer, size } = await filled(new ArrayBuffer(announced ?? ceiling + 1), request.body).catch((cause) => {
    throw new Refusal(400, "The body ended early", { cause });
  });
  if (size > ceiling) return { size, bytes: new Uint8Array() };
  if (announced !== undefined && size < announced) throw new Refusal(400, "The body ended early");
  return { size, bytes: new Uint8Array(buffer, 0, size) };
}

const AT_ONCE = 65_536;

/** Reads until the body ends or the buffer is full. Reading moves a buffer: go on with the one that comes back. */
async function filled(buffer: ArrayBuffer, body: ReadableStream<Uint8Array> | null) {
  let size = 0;
  const reader = body && byteReader(body);
  if (!reader) {
    for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
      const fits = chunk.subarray(0, buffer.byteLength - size);
      new Uint8Array(buffer).set(fits, size);
      size += fits.length;
      if (size === buffer.byteLength) break;
    }
    return { buffer, size };
  }
  try {
    let done = false;
    while (!done && size < buffer.byteLength) {
      const read = await reader.read(new Uint8Array(buffer, size, Math.min(AT_ONCE, buffer.byteLength - size)));
      if (!read.value) throw new TypeError("The body was cancelled");
      buffer = read.value.buffer as ArrayBuffer;
      size += read.value.length;
      done = read.done;
    }
  } finally {
    reader.releaseLock();
  }
  return { buffer, size };
}

/** A reader that fills our own memory, so that a body leaves no chunks behind; not every stream of bytes has one. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

const PATIENCE_MS = 10_000;

/**
 * Lets the rest of a body pass by unkept. A client that is still sending does not hear the answer: it finds its
 * connection closed.
 */
export async function letPass(request: Request): Promise<void> {
  if (!request.body || request.body.locked) return;
  const end = Date.now() + PATIENCE_MS;
  try {
    for await (const _ of request.body) if (Date.now() > end) return;
  } catch {
    // The client is gone, and nobody waits for the answer
  }
}
