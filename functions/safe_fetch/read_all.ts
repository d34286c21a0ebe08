/** A body as one piece, under a ceiling. */
import { FetchError } from "./fetch_error.ts";

const INITIAL_BYTES = 65_536;

/**
 * Reads all of an answer's body, at most `ceiling` bytes: an answer that announces more is not read, one that turns out
 * to have more is left at that point, both with TOO_LARGE. `body` may be a stream made from the answer's own, such as
 * a decompressed one; then the ceiling counts what comes out of it.
 */
export async function readAll(
  { headers, body }: { headers: Headers; body: ReadableStream<Uint8Array> },
  maxBytes: number,
): Promise<Uint8Array> {
  const announced = Number(headers.get("content-length") ?? 0);
  const reader = body.getReader();
  try {
    if (announced > maxBytes) throw tooLargeError(maxBytes);
    let bytes = new Uint8Array(announced || Math.min(INITIAL_BYTES, maxBytes));
    let size = 0;
    for (let part; (part = (await reader.read()).value); size += part.length) {
      const needed = size + part.length;
      if (needed > maxBytes) throw tooLargeError(maxBytes);
      if (needed > bytes.length) bytes = grow(bytes.subarray(0, size), Math.min(maxBytes, Math.max(needed, 2 * size)));
      bytes.set(part, size);
    }
    return bytes.subarray(0, size);
  } catch (error) {
    reader.cancel(error).catch(() => {}); // it may be the stream itself that failed
    throw error;
  }
}

function grow(bytes: Uint8Array, length: number): Uint8Array {
  const longer = new Uint8Array(length);
  longer.set(bytes);
  return longer;
}

const tooLargeError = (maxBytes: number) =>
  new FetchError("TOO_LARGE", `The file is larger than ${maxBytes.toLocaleString("en")} bytes`);
