// One request at a time per upload. A client that lost its connection returns while the service still reads the old
// request: the new request asks the owner of the lock to stop, and the owner gets a moment to store what has arrived.
import { TUS_ERRORS } from "./resumable_protocol.ts";

const LOCK_DRAIN_MS = 3000;
const LOCK_TIMEOUT_MS = 5000;

/** The lock of an upload, until its disposal. */
export interface UploadLock extends Disposable {
  /** Aborted when another request has waited for the lock long enough. */
  signal: AbortSignal;
}
export type UploadLocks = ReturnType<typeof createUploadLocks>;

export function createUploadLocks() {
  const owners = new Map<string, { ended: Promise<void>; askToStop(): void }>();

  function createLock(id: string): UploadLock {
    const stop = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    let draining: number | undefined;
    owners.set(id, { ended, askToStop: () => draining ??= setTimeout(() => stop.abort(), LOCK_DRAIN_MS) });
    return {
      signal: stop.signal,
      [Symbol.dispose]() {
        clearTimeout(draining);
        owners.delete(id);
        resolve();
      },
    };
  }

  /** Waits for the lock. Throws 503 if its owner does not release it. */
  return async function lockUpload(id: string): Promise<UploadLock> {
    let timer: number | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(TUS_ERRORS.busy()), LOCK_TIMEOUT_MS);
    });
    try {
      for (let owner; (owner = owners.get(id));) {
        owner.askToStop();
        await Promise.race([owner.ended, timeout]);
      }
      return createLock(id);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Yields a body until its end or until the lock is aborted. */
export async function* during({ signal }: UploadLock, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  while (!signal.aborted) {
    // A race with one lasting promise would retain every chunk
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const stop = () => resolve({ done: true, value: undefined });
    signal.addEventListener("abort", stop);
    source.next().then(resolve, reject);
    const { done, value } = await promise.finally(() => signal.removeEventListener("abort", stop));
    if (done) return;
    yield value;
  }
}
