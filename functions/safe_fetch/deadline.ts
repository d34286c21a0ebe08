/** How long a request may take: in all, and without a sign of life. */
import { FetchError } from "./fetch_error.ts";

/** In milliseconds; at least one of the two. */
export type TimeLimits =
  & {
    /** For all of it: resolving, connecting, redirects, and reading the whole body. */
    timeoutMs?: number;
    /** For every step: resolving, each connection, each head, each piece of the body. Waiting for the reader is free. */
    idleMs?: number;
    /** Ends the request from outside; what it throws then is the signal's reason. */
    signal?: AbortSignal;
  }
  & ({ timeoutMs: number } | { idleMs: number });

export interface Deadline {
  /** Aborts when time is up or the caller leaves, with what is to be thrown as its reason. */
  signal: AbortSignal;
  /** Waits for one step, and no longer than it may take. What the step still does then is for it to clean up. */
  race<T>(step: Promise<T>): Promise<T>;
  /** Nobody waits any more: ends the timers. May be said more than once. */
  clear(): void;
}

export function startDeadline({ timeoutMs, idleMs, signal }: TimeLimits): Deadline {
  const ending = new AbortController();
  const late = () => ending.abort(new FetchError("TIMEOUT", "The address took too long to answer"));
  const leave = () => ending.abort(signal!.reason);
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  signal?.addEventListener("abort", leave);
  if (signal?.aborted) leave();

  return {
    signal: ending.signal,
    async race(step) {
      const idle = idleMs === undefined ? undefined : setTimeout(late, idleMs);
      try {
        return await raceAbort(step, ending.signal);
      } finally {
        clearTimeout(idle);
      }
    },
    clear() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    },
  };
}

/** The step's outcome, or a throw of the signal's reason, whichever comes first. */
export function raceAbort<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave);
    // a step that ends because of the abort fails in its own words: the reason came first
    step.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
