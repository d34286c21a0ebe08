/** Limits the time that is spent waiting for a server, over several requests and what is done between them. */
import { FetchError } from "../safe_fetch/safe_fetch.ts";

export function createWaitLimit(maxMs: number) {
  const ending = new AbortController();
  const end = () => ending.abort(new FetchError("TIMEOUT", "The server took too long to respond"));
  let left = maxMs;

  async function count<T>(step: Promise<T>): Promise<T> {
    const from = performance.now(), timer = setTimeout(end, Math.max(0, left));
    try {
      return await step;
    } finally {
      clearTimeout(timer);
      left -= performance.now() - from;
    }
  }

  return {
    /** Aborts with TIMEOUT when the limit is reached. The steps end with it. */
    signal: ending.signal,
    /** Waits for one step. */
    count,
    /** Reads a body on demand. */
    async *read(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
      const reader = body.getReader();
      try {
        for (let part; (part = (await count(reader.read())).value);) yield part;
      } finally {
        await reader.cancel().catch(() => {});
      }
    },
  };
}
