/** Reading a request's body under a ceiling: into one buffer that holds it once, or handed on as it comes. */
import { Buffer } from "node:buffer";
import { TIMEOUTS_MS } from "./timeouts.ts";
import { release, reserve } from "./body_memory.ts";
import { ApiError } from "./errors.ts";

/** The Content-Length, at most the largest exact number; undefined for a body of unknown length. */
export function declaredBytes(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header === null ? undefined : Math.min(Number(header), Number.MAX_SAFE_INTEGER);
}

export interface BufferedBody {
  /** How many bytes came, or were declared; `ceiling + 1` when a stream without a length went over. */
  size: number;
  /** The body; empty when it went over the ceiling. */
  bytes: Uint8Array;
}

/**
 * Reads at most `ceiling` bytes. What announces more, or turns out to be more, is not held; what takes too long is a
 * 408, and what memory has no room for a 503.
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  timeoutMs = TIMEOUTS_MS.readBody,
): Promise<BufferedBody> {
  const declared = declaredBytes(request);
  if (declared !== undefined && declared > maxBytes) return { size: declared, bytes: new Uint8Array() };

  // Pages of the buffer that nothing is written to cost no memory, so the ceiling itself is a fine first guess
  const empty = new ArrayBuffer(declared ?? maxBytes + 1);
  try {
    const { buffer, size } = request.body ? await fillBuffer(empty, request, timeoutMs) : { buffer: empty, size: 0 };
    if (declared !== undefined && size < declared) throw new ApiError(400, "The body ended early");
    if (size <= maxBytes) return { size, bytes: new Uint8Array(buffer, 0, size) };
    release(request);
    return { size, bytes: new Uint8Array() };
  } catch (error) {
    release(request);
    throw error;
  }
}

export interface RequestBody {
  /** How many bytes were declared, or came. */
  size: number;
  content: Uint8Array | ReadableStream<Uint8Array>;
  /** Why a body that was handed on did not come whole; undefined when it did. */
  getError: () => ApiError | undefined;
}

/**
 * A body to hand on. One with a Content-Length under the ceiling passes by as it comes: it is over when it is as long as
 * it was declared, and nobody need hold it. Any other is received first, to learn how long it is.
 */
export async function openBody(
  request: Request,
  maxBytes: number,
  timeoutMs = TIMEOUTS_MS.readBody,
): Promise<RequestBody> {
  const declared = declaredBytes(request);
  if (!request.body || declared === undefined || declared > maxBytes) {
    const { size, bytes } = await readBody(request, maxBytes, timeoutMs);
    return { size, content: bytes, getError: () => undefined };
  }
  return { size: declared, ...forwardBody(request.body, declared, timeoutMs) };
}

/** Pieces as large as this cost nothing; handed on as they come they would cost as much as the upload itself. */
const CHUNK_BYTES = 262_144;

/**
 * A body in chunks, exactly `declared` bytes of it. What a chunk has beyond a chunk begins the next one. Between two
 * chunks the body is free, so that what nobody pulled can still pass (drainBody).
 */
function forwardBody(body: ReadableStream<Uint8Array>, declared: number, timeoutMs: number) {
  const end = Date.now() + timeoutMs;
  let remainder = new Uint8Array(), remaining = declared, isWanted = true;
  let failure: ApiError | undefined;

  async function fill(chunk: Uint8Array, reader: ReadableStreamDefaultReader<Uint8Array>) {
    for (let size = 0; size < chunk.length;) {
      if (remainder.length === 0) {
        const { value, done } = await reader.read();
        if (done) throw new TypeError("It is shorter than it was declared");
        remainder = value;
      }
      const fits = remainder.subarray(0, chunk.length - size);
      chunk.set(fits, size);
      size += fits.length;
      remainder = remainder.subarray(fits.length);
    }
  }

  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const content = new ReadableStream<Uint8Array>({
    async pull(controller) {
      reader = body.getReader();
      try {
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, remaining));
        await withTimeout(end - Date.now(), reader, () => fill(chunk, reader!));
        remaining -= chunk.length;
        if (chunk.length > 0) controller.enqueue(chunk);
        if (remaining === 0) controller.close();
      } catch (cause) {
        if (isWanted) failure = cause as ApiError; // what ended because nobody wanted it did not fail
        controller.error(cause);
      } finally {
        reader.releaseLock();
        reader = undefined;
      }
    },
    cancel(reason) {
      isWanted = false;
      return (reader ?? body).cancel(reason);
    },
  }, { highWaterMark: 0 });
  return { content, getError: () => failure };
}

/**
 * What the beginning of a body shows: chunks of it are held until `look` sees something in them, or it is over. The
 * content that comes back begins with them again.
 */
export async function peekBody<Detected>(
  request: Request,
  { content, ...body }: RequestBody,
  detect: (beginning: Uint8Array) => Detected | undefined,
): Promise<RequestBody & { detected: Detected | undefined }> {
  if (content instanceof Uint8Array) return { ...body, content, detected: detect(content) };
  const reader = content.getReader();
  const chunks: Uint8Array[] = [];
  let detected: Detected | undefined;
  while (detected === undefined) {
    const { value, done } = await reader.read();
    if (done) break;
    reserve(request, value.length);
    chunks.push(value);
    detected = detect(chunks.length === 1 ? value : Buffer.concat(chunks));
  }
  const rest = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = chunks.length > 0 ? { value: chunks.shift(), done: false } : await reader.read();
      if (done) controller.close();
      else controller.enqueue(value!);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return { ...body, content: rest, detected };
}

const READ_BYTES = 65_536;

/** Reads until the body ends or the buffer is full. Reading moves a buffer: go on with the one that comes back. */
async function fillBuffer(buffer: ArrayBuffer, request: Request, timeoutMs: number) {
  const reader = openByobReader(request.body!) ?? request.body!.getReader();
  let size = 0;
  const fill = async () => {
    for (let done = false; !done && size < buffer.byteLength;) {
      let length;
      if (reader instanceof ReadableStreamBYOBReader) {
        const read = await reader.read(new Uint8Array(buffer, size, Math.min(READ_BYTES, buffer.byteLength - size)));
        if (!read.value) throw new TypeError("The body was cancelled");
        buffer = read.value.buffer as ArrayBuffer;
        ({ value: { length }, done } = read);
      } else {
        const read = await reader.read();
        const fits = read.value?.subarray(0, buffer.byteLength - size) ?? new Uint8Array();
        new Uint8Array(buffer).set(fits, size);
        ({ length } = fits);
        ({ done } = read);
      }
      reserve(request, length);
      size += length;
    }
  };
  await withTimeout(timeoutMs, reader, fill).finally(() => reader.releaseLock());
  return { buffer, size };
}

/** Reads for so long. What takes longer is a 408, what fails a 400. */
async function withTimeout(timeoutMs: number, reader: ReadableStreamReader<Uint8Array>, read: () => Promise<void>) {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {}); // ends the read that waits
  }, timeoutMs);
  try {
    await read();
  } catch (cause) {
    if (!late) throw cause instanceof ApiError ? cause : new ApiError(400, "The body ended early", { cause });
  } finally {
    clearTimeout(timer);
  }
  if (late) throw new ApiError(408, "The body took too long");
}

/** A reader that fills our own memory, so that a body leaves no chunks behind; not every stream of bytes has one. */
function openByobReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

/**
 * Lets the rest of a body pass by unkept, until the client is silent or it takes too long. A client that is still
 * sending does not hear the answer: it finds its connection closed.
 */
export async function drainBody(request: Request): Promise<void> {
  if (!request.body || request.body.locked) return;
  const reader = request.body.getReader();
  const cancel = () => reader.cancel().catch(() => {}); // ends the read that waits
  const end = setTimeout(cancel, TIMEOUTS_MS.drainTotal);
  try {
    for (let done = false; !done;) {
      const idle = setTimeout(cancel, TIMEOUTS_MS.drainIdle);
      try {
        done = (await reader.read()).done;
      } finally {
        clearTimeout(idle);
      }
    }
  } catch {
    // The client is gone, and nobody waits for the answer
  } finally {
    clearTimeout(end);
  }
}
