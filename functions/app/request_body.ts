/** Reads a request's body up to a limit: into one buffer, or forwarded as a stream. */
import { Buffer } from "node:buffer";
import { TIMEOUTS_MS } from "../runtime/timeouts.ts";
import { type BodyKind, release, reserve } from "./body_memory.ts";
import { ApiError } from "../runtime/api_error.ts";
import { startTimeLimit } from "../runtime/start_time_limit.ts";

/** The Content-Length, at most the largest exact number; undefined for a body of unknown length. */
export function declaredBytes(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header === null ? undefined : Math.min(Number(header), Number.MAX_SAFE_INTEGER);
}

interface BufferedBody {
  /** Bytes received, or declared; `maxBytes + 1` if a stream without a length exceeded the limit. */
  size: number;
  /** The body; empty if it exceeded the limit. */
  bytes: Uint8Array;
}

const TIMEOUTS: Record<BodyKind, number> = { uploads: TIMEOUTS_MS.readBody, json: TIMEOUTS_MS.readJson };

/**
 * Reads at most `maxBytes`. A larger body, declared or not, is not kept. A slow body is 408; a body that exceeds the
 * memory of its kind is 503.
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  kind: BodyKind,
  timeoutMs = TIMEOUTS[kind],
): Promise<BufferedBody> {
  const declared = declaredBytes(request);
  if (declared !== undefined && declared > maxBytes) return { size: declared, bytes: new Uint8Array() };

  // Unwritten pages of the buffer cost no memory, so the limit itself is a good size
  const empty = new ArrayBuffer(declared ?? maxBytes + 1);
  try {
    const { buffer, size } = request.body
      ? await fillBuffer(empty, request, kind, timeoutMs)
      : { buffer: empty, size: 0 };
    if (declared !== undefined && size < declared) throw new ApiError(400, "The request body was incomplete");
    if (size <= maxBytes) return { size, bytes: new Uint8Array(buffer, 0, size) };
    release(request);
    return { size, bytes: new Uint8Array() };
  } catch (error) {
    release(request);
    throw error;
  }
}

export interface RequestBody {
  /** Bytes declared, or received. */
  size: number;
  content: Uint8Array | ReadableStream<Uint8Array>;
  /** Why a forwarded body was incomplete; undefined if it was not. */
  getError: () => ApiError | undefined;
}

/**
 * A body to forward. With a Content-Length up to the limit it is streamed and ends at that length. Any other body is
 * buffered first, to learn its length.
 */
export async function openBody(
  request: Request,
  maxBytes: number,
  timeoutMs = TIMEOUTS_MS.readBody,
): Promise<RequestBody> {
  const declared = declaredBytes(request);
  if (!request.body || declared === undefined || declared > maxBytes) {
    const { size, bytes } = await readBody(request, maxBytes, "uploads", timeoutMs);
    return { size, content: bytes, getError: () => undefined };
  }
  return { size: declared, ...forwardBody(request.body, declared, timeoutMs) };
}

/** Chunks of this size cost little; forwarding the client's own would cost as much as the upload. */
const CHUNK_BYTES = 262_144;

/**
 * Streams exactly `declared` bytes in chunks of equal size. The body is unlocked between two chunks, so that drainBody
 * can read what was not pulled.
 */
function forwardBody(body: ReadableStream<Uint8Array>, declared: number, timeoutMs: number) {
  const end = Date.now() + timeoutMs;
  let remainder = new Uint8Array(), remaining = declared, isWanted = true;
  let error: ApiError | undefined;

  async function fill(chunk: Uint8Array, reader: ReadableStreamDefaultReader<Uint8Array>) {
    for (let size = 0; size < chunk.length;) {
      if (remainder.length === 0) {
        const { value, done } = await reader.read();
        if (done) throw new TypeError("Body is shorter than Content-Length");
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
        if (isWanted) error = cause as ApiError; // a canceled body did not fail
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
  return { content, getError: () => error };
}

/**
 * Buffers the beginning of a body until `detect` returns something or the body ends. The returned content starts with
 * the buffered chunks.
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

/** Reads until the body ends or the buffer is full. A read transfers the buffer, so use the returned one. */
async function fillBuffer(buffer: ArrayBuffer, request: Request, kind: BodyKind, timeoutMs: number) {
  const reader = openByobReader(request.body!) ?? request.body!.getReader();
  let size = 0;
  const fill = async () => {
    for (let done = false; !done && size < buffer.byteLength;) {
      let length;
      if (reader instanceof ReadableStreamBYOBReader) {
        const read = await reader.read(new Uint8Array(buffer, size, Math.min(READ_BYTES, buffer.byteLength - size)));
        if (!read.value) throw new TypeError("The body was canceled");
        buffer = read.value.buffer as ArrayBuffer;
        ({ value: { length }, done } = read);
      } else {
        const read = await reader.read();
        const fits = read.value?.subarray(0, buffer.byteLength - size) ?? new Uint8Array();
        new Uint8Array(buffer).set(fits, size);
        ({ length } = fits);
        ({ done } = read);
      }
      reserve(request, length, kind);
      size += length;
    }
  };
  let isWhole = false;
  try {
    await withTimeout(timeoutMs, reader, fill);
    isWhole = size === declaredBytes(request);
  } finally {
    if (!isWhole) reader.releaseLock(); // for drainBody; it costs a tenth of a small request
  }
  return { buffer, size };
}

/** Reads with a time limit: 408 when it ends, 400 if reading fails. */
async function withTimeout(timeoutMs: number, reader: ReadableStreamReader<Uint8Array>, read: () => Promise<void>) {
  let late = false;
  const clearLimit = startTimeLimit(timeoutMs, () => {
    late = true;
    reader.cancel().catch(() => {}); // ends the pending read
  });
  try {
    await read();
  } catch (cause) {
    if (!late) {
      throw cause instanceof ApiError ? cause : new ApiError(400, "The request body was incomplete", { cause });
    }
  } finally {
    clearLimit();
  }
  if (late) throw new ApiError(408, "The request body timed out");
}

/** A reader that fills our buffer, so that a body leaves no chunks behind. Not every stream has one. */
function openByobReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

/**
 * Discards the rest of a body until the client stops sending or the time ends: a client that still sends would not read
 * the response and would find its connection closed.
 */
export async function drainBody(request: Request): Promise<void> {
  if (!request.body || request.body.locked) return;
  const reader = request.body.getReader();
  const cancel = () => reader.cancel().catch(() => {}); // ends the pending read
  const clearTotal = startTimeLimit(TIMEOUTS_MS.drainTotal, cancel);
  try {
    for (let done = false; !done;) {
      const clearIdle = startTimeLimit(TIMEOUTS_MS.drainIdle, cancel);
      try {
        done = (await reader.read()).done;
      } finally {
        clearIdle();
      }
    }
  } catch {
    // The client has disconnected
  } finally {
    clearTotal();
  }
}
