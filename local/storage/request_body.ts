// A request's body, read at most once, and let pass when it is refused: a client that is still sending hears the
// answer only when somebody takes its bytes.

export interface RequestBody extends AsyncIterable<Uint8Array> {
  /** Takes what is left, for no longer than the service keeps a refused connection open. */
  pass(): Promise<void>;
}

const patienceMs = 3000;

export function bodyOf(request: Request): RequestBody {
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
      const until = Date.now() + patienceMs;
      try {
        while (Date.now() < until && !(await next()).done);
      } catch { /* the client is gone */ }
    },
  };
}
