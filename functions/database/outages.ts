/**
 * Outages of the database, as the public reads of a process meet them: the first read waits for its whole time. If our
 * own statement, the probe, gets no answer either, the following reads fail at once, so that copies need no wait.
 */
import postgres from "postgres";
import { ApiError } from "../runtime/api_error.ts";

const { performance } = globalThis; // see runtime/start_time_limit.ts

/** Whether the database did not respond, or only that it has no time or resources. */
export const isOutage = (error: unknown): boolean =>
  isUnavailable(error) || isTimeout(error) || error instanceof ApiError && error.status === 503;

/** Whether there is no connection to the database, or it ends connections. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return UNAVAILABLE_STATES.test(error.code);
  const { code, syscall } = (error ?? {}) as { code?: string; syscall?: string };
  return CONNECTION_ERRORS.has(code ?? "") || syscall !== undefined; // such as EBADF, of a write to a closed socket
}

/** Whether Postgres ended a statement at its limit. */
export const isTimeout = (error: unknown): boolean => error instanceof postgres.PostgresError && error.code === "57014";

const UNAVAILABLE_STATES = /^(08|53|57P0)/; // no connection, no resources, shutting down
const CONNECTION_ERRORS = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND", "ETIMEDOUT", "CONNECT_TIMEOUT", "TLS_FAILED"],
  ...["CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED"],
]);

/**
 * How long a probe may take before reads fail at once, how long they do so after a probe that failed, and how long the
 * next probe waits after it.
 */
const SILENCE_MS = 250, FAILING_MS = 5000, PROBE_PAUSE_MS = 1000;

interface OutageGuard {
  /** Runs a read, or throws 503 at once during an outage. */
  run<T>(read: () => Promise<T>): Promise<T>;
  /** Tells of a read that failed. */
  report(error: unknown): void;
}

/**
 * A read that fails only starts a probe, a statement of our own: what is slow for one podcast, or for a read that had
 * little time left, must not keep the others from their reads. An outage lasts while a probe gets no answer. No caller
 * waits for probes, which run once at a time. A probe calls `onStart` when it has its turn; without one it tells nothing.
 */
export function createOutageGuard(
  probe: (onStart: () => void) => Promise<unknown>,
  now = () => performance.now(),
): OutageGuard {
  let failsUntil = -Infinity, nextProbeAt = -Infinity, isProbing = false;
  let startedAt: number | undefined; // of the running probe
  let cause: unknown;

  function startProbe() {
    if (isProbing || now() < nextProbeAt) return;
    isProbing = true;
    probe(() => startedAt = now()).then(() => undefined, (error) => error).then((error) => {
      const hadTurn = startedAt !== undefined;
      isProbing = false;
      startedAt = undefined;
      if (!isOutage(error)) return void (failsUntil = nextProbeAt = -Infinity);
      nextProbeAt = now() + PROBE_PAUSE_MS;
      if (!hadTurn) return;
      cause = error;
      failsUntil = now() + FAILING_MS;
    });
  }
  const isSilent = () => startedAt !== undefined && now() - startedAt >= SILENCE_MS;
  return {
    run(read) {
      if (now() >= failsUntil && !isSilent()) return read();
      startProbe();
      return Promise.reject(new ApiError(503, "The database is unavailable", { cause }));
    },
    report(error) {
      if (!isOutage(error)) return;
      cause = error;
      startProbe();
    },
  };
}
