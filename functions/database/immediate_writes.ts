/**
 * postgres.js sends the writes of a tick with setImmediate, which Deno 2.1 runs as a timer of a millisecond: each round
 * trip would wait for it, and the timer throws out of the process if the connection is lost meanwhile. Here a microtask
 * sends them. Other callers of setImmediate get the runtime's own.
 */
import { clearImmediate, setImmediate } from "node:timers";

/** The name of the driver's function that sends what was written. */
const SEND = "nextWrite";

class PendingWrite {
  isCleared = false;
}

Object.assign(globalThis, {
  // deno-lint-ignore no-explicit-any -- as in Node
  setImmediate(run: (...args: any[]) => void, ...args: unknown[]) {
    if (run.name !== SEND) return setImmediate(run, ...args);
    const write = new PendingWrite();
    queueMicrotask(() => {
      try {
        if (!write.isCleared) run();
      } catch {
        // The driver writes to a connection that has closed. The pool has dropped it, which rejects the statement
      }
    });
    return write;
  },
  clearImmediate(handle?: PendingWrite | Parameters<typeof clearImmediate>[0]) {
    if (handle instanceof PendingWrite) handle.isCleared = true;
    else clearImmediate(handle);
  },
});
