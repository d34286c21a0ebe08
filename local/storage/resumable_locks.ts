// One request at a time for an upload. A client that lost its connection comes back while the service still waits on
// the old one: the newcomer asks the holder to stop, and the holder gets a moment to take in what has arrived.
import { protocolRefusals } from "./resumable_protocol.ts";

const drainMs = 3000;
const patienceMs = 5000;

/** The right to work on an upload, until it is disposed of. */
export interface Turn extends Disposable {
  /** Aborted when somebody else wants the upload, and has waited long enough. */
  signal: AbortSignal;
}
export type Turns = ReturnType<typeof createTurns>;

export function createTurns() {
  const holders = new Map<string, { ended: Promise<void>; askToStop(): void }>();

  function hold(id: string): Turn {
    const stop = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    let draining: number | undefined;
    holders.set(id, { ended, askToStop: () => draining ??= setTimeout(() => stop.abort(), drainMs) });
    return {
      signal: stop.signal,
      [Symbol.dispose]() {
        clearTimeout(draining);
        holders.delete(id);
        resolve();
      },
    };
  }

  /** Waits for the upload; 503 when its holder does not let go. */
  return async function take(id: string): Promise<Turn> {
    let timer: number | undefined;
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(protocolRefusals.busy()), patienceMs);
    });
    try {
      for (let holder; (holder = holders.get(id));) {
        holder.askToStop();
        await Promise.race([holder.ended, over]);
      }
      return hold(id);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** A body as far as it comes before the turn is over. */
export async function* during({ signal }: Turn, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  while (!signal.aborted) {
    // not a race with one lasting promise: that would hold on to every chunk
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const stop = () => resolve({ done: true, value: undefined });
    signal.addEventListener("abort", stop);
    source.next().then(resolve, reject);
    const { done, value } = await promise.finally(() => signal.removeEventListener("abort", stop));
    if (done) return;
    yield value;
  }
}
