// A request's body, read at most once, and let pass when it is refused: a client that is still sending hears the
// answer only when somebody takes its bytes.

export interface RequestBody extends AsyncIterable<Uint8Array> {
  /** Takes what is left until the client is silent, for a minute at most. */
  pass(): Promise<void>;
}

/** A busy machine may need many seconds for a large body: only silence says that nothing more will come. */
const silenceMs = 3000;
const mostMs = 60_000;

export function bodyOf(request: Request, silence = silenceMs): RequestBody {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    if (!request.body) return { done: true, value: undefined };
    const { done, value } = await (reader ??= request.body.getReader()).read();
    return done ? { done, value: undefined } : { done, value };
  };
  return {
    // no return(): whoever stops early leaves the rest in place
    [Symbol.asyncIterator]: () => ({ next }),
    async pass() {
      if (!reader && request.bodyUsed) return;
      const until = Date.now() + mostMs;
      try {
        for (let isOver = false; !isOver && Date.now() < until;) {
          const leave = setTimeout(() => reader?.cancel().catch(() => {}), silence); // ends the read that waits
          isOver = await next().then(({ done }) => !!done).finally(() => clearTimeout(leave));
        }
      } catch { /* the client is gone */ }
    },
  };
}
