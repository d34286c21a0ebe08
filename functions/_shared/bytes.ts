/** Reading a request's body under a ceiling, into one buffer that holds it once. */
import { Refusal } from "./refusal.ts";

export interface Received {
  /** How many bytes came, or were announced; `ceiling + 1` when a stream without a length went over. */
  size: number;
  /** The body; empty when it went over the ceiling. */
  bytes: Uint8Array;
}

/** Long enough for 5 MB over a bad line, too short to keep buffers by trickling. */
const LONGEST_MS = 120_000;

/** Reads at most `ceiling` bytes. What announces more, or turns out to be more, is not held; what takes too long is a 408. */
export async function received(request: Request, ceiling: number, longest = LONGEST_MS): Promise<Received> {
  const header = request.headers.get("content-length");
  const announced = header === null ? undefined : Number(header);
  if (announced !== undefined && announced > ceiling) {
    return { size: Math.min(announced, Number.MAX_SAFE_INTEGER), bytes: new Uint8Array() };
  }

  // Pages of the buffer that nothing is written to cost no memory, so the ceiling itself is a fine first guess
  const empty = new ArrayBuffer(announced ?? ceiling + 1);
  const { buffer, size } = request.body ? await filled(empty, request.body, longest) : { buffer: empty, size: 0 };
  if (size > ceiling) return { size, bytes: new Uint8Array() };
  if (announced !== undefined && size < announced) throw new Refusal(400, "The body ended early");
  return { size, bytes: new Uint8Array(buffer, 0, size) };
}

export interface Incoming {
  /** How many bytes were announced, or came. */
  size: number;
  content: Uint8Array | ReadableStream<Uint8Array>;
  /** Why a body that was handed on did not come whole; undefined when it did. */
  failure: () => Refusal | undefined;
}

/**
 * A body to hand on. One with a Content-Length under the ceiling passes by as it comes: it is over when it is as long as
 * it was announced, and nobody need hold it. Any other is received first, to learn how long it is.
 */
export async function incoming(request: Request, ceiling: number, longest = LONGEST_MS): Promise<Incoming> {
  const announced = Number(request.headers.get("content-length") ?? NaN);
  if (!request.body || !(announced <= ceiling)) {
    const { size, bytes } = await received(request, ceiling, longest);
    return { size, content: bytes, failure: () => undefined };
  }
  const body = request.body;
  let failure: Refusal | undefined, left = announced;
  const end = Date.now() + longest;
  const content = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // pieces as large as this cost nothing; as they come they would cost as much as the upload itself
        const { buffer, size } = await filled(new ArrayBuffer(Math.min(PIECE, left)), body, end - Date.now());
        left -= size;
        if (size > 0) controller.enqueue(new Uint8Array(buffer, 0, size));
        if (left === 0) return controller.close();
        if (size < buffer.byteLength) throw new Refusal(400, "The body ended early");
      } catch (cause) {
        failure = cause as Refusal;
        controller.error(failure);
      }
    },
    cancel: (reason) => body.cancel(reason),
  }, { highWaterMark: 0 });
  return { size: announced, content, failure: () => failure };
}

const PIECE = 262_144;
const AT_ONCE = 65_536;

/** Reads until the body ends or the buffer is full. Reading moves a buffer: go on with the one that comes back. */
async function filled(buffer: ArrayBuffer, body: ReadableStream<Uint8Array>, longest: number) {
  const reader = byteReader(body) ?? body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {}); // ends the read that waits
  }, longest);
  let size = 0;
  try {
    for (let done = false; !done && size < buffer.byteLength;) {
      if (reader instanceof ReadableStreamBYOBReader) {
        const read = await reader.read(new Uint8Array(buffer, size, Math.min(AT_ONCE, buffer.byteLength - size)));
        if (!read.value) throw new TypeError("The body was cancelled");
        buffer = read.value.buffer as ArrayBuffer;
        size += read.value.length;
        done = read.done;
      } else {
        const read = await reader.read();
        const fits = read.value?.subarray(0, buffer.byteLength - size) ?? new Uint8Array();
        new Uint8Array(buffer).set(fits, size);
        size += fits.length;
        done = read.done;
      }
    }
  } catch (cause) {
    if (!late) throw new Refusal(400, "The body ended early", { cause });
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
  if (late) throw new Refusal(408, "The body took too long");
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

const SILENCE_MS = 2000;
const PATIENCE_MS = 10_000;

/**
 * Lets the rest of a body pass by unkept, until the client is silent or it takes too long. A client that is still
 * sending does not hear the answer: it finds its connection closed.
 */
export async function letPass(request: Request): Promise<void> {
  if (!request.body || request.body.locked) return;
  const reader = request.body.getReader();
  const leave = () => reader.cancel().catch(() => {}); // ends the read that waits
  const end = setTimeout(leave, PATIENCE_MS);
  try {
    for (let done = false; !done;) {
      const silence = setTimeout(leave, SILENCE_MS);
      try {
        done = (await reader.read()).done;
      } finally {
        clearTimeout(silence);
      }
    }
  } catch {
    // The client is gone, and nobody waits for the answer
  } finally {
    clearTimeout(end);
  }
}
