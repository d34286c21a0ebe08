/** A body as one piece, under a ceiling. */
import { FetchFailure } from "./fetch_error.ts";

const FIRST_GUESS = 65_536;

/**
 * Reads all of an answer's body, at most `ceiling` bytes: an answer that announces more is not read, one that turns out
 * to have more is left at that point, both with TOO_LARGE. `body` may be a stream made from the answer's own, such as
 * a decompressed one; then the ceiling counts what comes out of it.
 */
export async function collect(
  { headers, body }: { headers: Headers; body: ReadableStream<Uint8Array> },
  ceiling: number,
): Promise<Uint8Array> {
  const announced = Number(headers.get("content-length") ?? 0);
  const reader = body.getReader();
  try {
    if (announced > ceiling) throw tooLarge(ceiling);
    let bytes = new Uint8Array(announced || Math.min(FIRST_GUESS, ceiling));
    let size = 0;
    for (let part; (part = (await reader.read()).value); size += part.length) {
      const needed = size + part.length;
      if (needed > ceiling) throw tooLarge(ceiling);
      if (needed > bytes.length) bytes = grown(bytes.subarray(0, size), Math.min(ceiling, Math.max(needed, 2 * size)));
      bytes.set(part, size);
    }
    return bytes.subarray(0, size);
  } catch (error) {
    reader.cancel(error).catch(() => {}); // it may be the stream itself that failed
    throw error;
  }
}

function grown(bytes: Uint8Array, length: number): Uint8Array {
  const longer = new Uint8Array(length);
  longer.set(bytes);
  return longer;
}

const tooLarge = (ceiling: number) =>
  new FetchFailure("TOO_LARGE", `The file is larger than ${ceiling.toLocaleString("en")} bytes`);
