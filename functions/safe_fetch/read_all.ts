/** Reads a whole body, up to a limit. */
import { FetchError } from "./fetch_error.ts";

const INITIAL_BYTES = 65_536;

/**
 * Reads the body of a response, at most `maxBytes`. Throws TOO_LARGE for a larger declared length, and as soon as a
 * body exceeds the limit. `body` may be a stream derived from the response's, such as a decompressed one; the limit
 * then applies to that stream.
 */
export async function readAll(
  { headers, body }: { headers: Headers; body: ReadableStream<Uint8Array> },
  maxBytes: number,
): Promise<Uint8Array> {
  const declared = Number(headers.get("content-length") ?? 0);
  const reader = body.getReader();
  try {
    if (declared > maxBytes) throw tooLargeError(maxBytes);
    let bytes = new Uint8Array(declared || Math.min(INITIAL_BYTES, maxBytes));
    let size = 0;
    for (let part; (part = (await reader.read()).value); size += part.length) {
      const needed = size + part.length;
      if (needed > maxBytes) throw tooLargeError(maxBytes);
      if (needed > bytes.length) bytes = grow(bytes.subarray(0, size), Math.min(maxBytes, Math.max(needed, 2 * size)));
      bytes.set(part, size);
    }
    return bytes.subarray(0, size);
  } catch (error) {
    reader.cancel(error).catch(() => {}); // the stream itself may have failed
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
