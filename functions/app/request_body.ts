/** Reading a request's body under a ceiling: into one buffer that holds it once, or handed on as it comes. */
import { Buffer } from "node:buffer";
import { BUDGET } from "./timeouts.ts";
import { hold, letGo } from "./body_memory.ts";
import { Refusal } from "./errors.ts";

export interface Received {
  /** How many bytes came, or were announced; `ceiling + 1` when a stream without a length went over. */
  size: number;
  /** The body; empty when it went over the ceiling. */
  bytes: Uint8Array;
}

/**
 * Reads at most `ceiling` bytes. What announces more, or turns out to be more, is not held; what takes too long is a
 * 408, and what memory has no room for a 503.
 */
export async function received(request: Request, ceiling: number, longest = BUDGET.body): Promise<Received> {
  const header = request.headers.get("content-length");
  const announced = header === null ? undefined : Number(header);
  if (announced !== undefined && announced > ceiling) {
    return { size: Math.min(announced, Number.MAX_SAFE_INTEGER), bytes: new Uint8Array() };
  }

  // Pages of the buffer that nothing is written to cost no memory, so the ceiling itself is a fine first guess
  const empty = new ArrayBuffer(announced ?? ceiling + 1);
  try {
    const { buffer, size } = request.body ? await filled(empty, request, longest) : { buffer: empty, size: 0 };
    if (announced !== undefined && size < announced) throw new Refusal(400, "The body ended early");
    if (size <= ceiling) return { size, bytes: new Uint8Array(buffer, 0, size) };
    letGo(request);
    return { size, bytes: new Uint8Array() };
  } catch (error) {
    letGo(request);
    throw error;
  }
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
export async function incoming(request: Request, ceiling: number, longest = BUDGET.body): Promise<Incoming> {
  const announced = Number(request.headers.get("content-length") ?? NaN);
  if (!request.body || !(announced <= ceiling)) {
    const { size, bytes } = await received(request, ceiling, longest);
    return { size, content: bytes, failure: () => undefined };
  }
  return { size: announced, ...passedOn(request.body, announced, longest) };
}

/** Pieces as large as this cost nothing; handed on as they come they would cost as much as the upload itself. */
const PIECE = 262_144;

/**
 * A body in pieces, exactly `announced` bytes of it. What a chunk has beyond a piece begins the next one. Between two
 * pieces the body is free, so that what nobody pulled can still pass (letPass).
 */
function passedOn(body: ReadableStream<Uint8Array>, announced: number, longest: number) {
  const end = Date.now() + longest;
  let rest = new Uint8Array(), left = announced, isWanted = true;
  let failure: Refusal | undefined;

  async function fill(piece: Uint8Array, reader: ReadableStreamDefaultReader<Uint8Array>) {
    for (let size = 0; size < piece.length;) {
      if (rest.length === 0) {
        const { value, done } = await reader.read();
        if (done) throw new TypeError("It is shorter than it was announced");
        rest = value;
      }
      const fits = rest.subarray(0, piece.length - size);
      piece.set(fits, size);
      size += fits.length;
      rest = rest.subarray(fits.length);
    }
  }

  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const content = new ReadableStream<Uint8Array>({
    async pull(controller) {
      reader = body.getReader();
      try {
        const piece = new Uint8Array(Math.min(PIECE, left));
        await within(end - Date.now(), reader, () => fill(piece, reader!));
        left -= piece.length;
        if (piece.length > 0) controller.enqueue(piece);
        if (left === 0) controller.close();
      } catch (cause) {
        if (isWanted) failure = cause as Refusal; // what ended because nobody wanted it did not fail
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
  return { content, failure: () => failure };
}

/**
 * What the beginning of a body shows: pieces of it are held until `look` sees something in them, or it is over. The
 * content that comes back begins with them again.
 */
export async function peeked<Seen>(
  request: Request,
  { content, ...body }: Incoming,
  look: (beginning: Uint8Array) => Seen | undefined,
): Promise<Incoming & { seen: Seen | undefined }> {
  if (content instanceof Uint8Array) return { ...body, content, seen: look(content) };
  const reader = content.getReader();
  const pieces: Uint8Array[] = [];
  let seen: Seen | undefined;
  while (seen === undefined) {
    const { value, done } = await reader.read();
    if (done) break;
    hold(request, value.length);
    pieces.push(value);
    seen = look(pieces.length === 1 ? value : Buffer.concat(pieces));
  }
  const again = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = pieces.length > 0 ? { value: pieces.shift(), done: false } : await reader.read();
      if (done) controller.close();
      else controller.enqueue(value!);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return { ...body, content: again, seen };
}

const AT_ONCE = 65_536;

/** Reads until the body ends or the buffer is full. Reading moves a buffer: go on with the one that comes back. */
async function filled(buffer: ArrayBuffer, request: Request, longest: number) {
  const reader = byteReader(request.body!) ?? request.body!.getReader();
  let size = 0;
  const fill = async () => {
    for (let done = false; !done && size < buffer.byteLength;) {
      let length;
      if (reader instanceof ReadableStreamBYOBReader) {
        const read = await reader.read(new Uint8Array(buffer, size, Math.min(AT_ONCE, buffer.byteLength - size)));
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
      hold(request, length);
      size += length;
    }
  };
  await within(longest, reader, fill).finally(() => reader.releaseLock());
  return { buffer, size };
}

/** Reads for so long. What takes longer is a 408, what fails a 400. */
async function within(longest: number, reader: ReadableStreamReader<Uint8Array>, read: () => Promise<void>) {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {}); // ends the read that waits
  }, longest);
  try {
    await read();
  } catch (cause) {
    if (!late) throw cause instanceof Refusal ? cause : new Refusal(400, "The body ended early", { cause });
  } finally {
    clearTimeout(timer);
  }
  if (late) throw new Refusal(408, "The body took too long");
}

/** A reader that fills our own memory, so that a body leaves no chunks behind; not every stream of bytes has one. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
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
export async function letPass(request: Request): Promise<void> {
  if (!request.body || request.body.locked) return;
  const reader = request.body.getReader();
  const leave = () => reader.cancel().catch(() => {}); // ends the read that waits
  const end = setTimeout(leave, BUDGET.refusedBody);
  try {
    for (let done = false; !done;) {
      const silence = setTimeout(leave, BUDGET.refusedSilence);
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
