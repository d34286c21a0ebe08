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
  const buffer = new Uint8Array(announced ?? ceiling);
  let size = 0;
  try {
    for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) {
      if (size + chunk.length > buffer.length) return { size: ceiling + 1, bytes: new Uint8Array() };
      buffer.set(chunk, size);
      size += chunk.length;
    }
  } catch (cause) {
    throw new Refusal(400, "The body ended early", { cause });
  }
  if (announced !== undefined && size < announced) throw new Refusal(400, "The body ended early");
  return { size, bytes: buffer.subarray(0, size) };
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
