// A request's body, which the service reads at most once and drains after an error: a client that is still sending
// receives the response only while the service reads.

export interface RequestBody extends AsyncIterable<Uint8Array> {
  /** Reads the rest until the client pauses, for at most a minute. */
  drain(): Promise<void>;
}

/** A busy machine may need many seconds for a large body: only a pause shows that the client has stopped. */
const SILENCE_MS = 3000;
const MAX_DRAIN_MS = 60_000;

export function readableBody(request: Request, silence = SILENCE_MS): RequestBody {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    if (!request.body) return { done: true, value: undefined };
    const { done, value } = await (reader ??= request.body.getReader()).read();
    return done ? { done, value: undefined } : { done, value };
  };
  return {
    // Without return(), a reader that stops early keeps the rest
    [Symbol.asyncIterator]: () => ({ next }),
    async drain() {
      if (!reader && request.bodyUsed) return;
      const until = Date.now() + MAX_DRAIN_MS;
      try {
        for (let isDone = false; !isDone && Date.now() < until;) {
          const timer = setTimeout(() => reader?.cancel().catch(() => {}), silence); // ends the pending read
          isDone = await next().then(({ done }) => !!done).finally(() => clearTimeout(timer));
        }
      } catch { /* the client disconnected */ }
    },
  };
}
