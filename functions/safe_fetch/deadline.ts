/** Time limits of a request: in all, and for each step. */
import { FetchError } from "./fetch_error.ts";

/** In milliseconds; at least one of the two. */
export type TimeLimits =
  & {
    /** For everything: resolving, connecting, redirects, and reading the whole body. */
    timeoutMs?: number;
    /** For each step: resolving, a connection, a head, a chunk of the body. Waiting for the reader does not count. */
    idleMs?: number;
    /** Ends the request, which throws the signal's reason. */
    signal?: AbortSignal;
  }
  & ({ timeoutMs: number } | { idleMs: number });

export interface Deadline {
  /** Aborts at the limit or when the caller aborts; its reason is the error to throw. */
  signal: AbortSignal;
  /** Waits for one step up to its limit. The step itself cleans up if it continues. */
  race<T>(step: Promise<T>): Promise<T>;
  /** Clears the timers. Repeated calls do nothing. */
  clear(): void;
}

export function startDeadline({ timeoutMs, idleMs, signal }: TimeLimits): Deadline {
  const ending = new AbortController();
  const onTimeout = () => ending.abort(new FetchError("TIMEOUT", "The server took too long to respond"));
  const onAbort = () => ending.abort(signal!.reason);
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();

  return {
    signal: ending.signal,
    async race(step) {
      const idle = idleMs === undefined ? undefined : setTimeout(onTimeout, idleMs);
      try {
        return await raceAbort(step, ending.signal);
      } finally {
        clearTimeout(idle);
      }
    },
    clear() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}

/** Races the step against the signal: returns the step's result or throws the signal's reason. */
export function raceAbort<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
    // a step that the abort ends fails with its own error; the reason takes precedence
    step.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
