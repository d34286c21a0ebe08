/**
 * Outages of the database, as the public reads of a process meet them: the first read waits for its whole time, the
 * following ones fail at once, so that copies are served without a wait, while one statement of our own probes.
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

/** How long reads fail at once after the last failure, and how long the next probe waits after a failed one. */
const FAILING_MS = 5000, PROBE_PAUSE_MS = 1000;

interface OutageGuard {
  /** Runs a read, or throws 503 at once during an outage. */
  run<T>(read: () => Promise<T>): Promise<T>;
  /** Tells of a read that failed. */
  report(error: unknown): void;
}

/**
 * The probe is a statement of our own: a read that is slow for one podcast must not keep the others from their reads, and
 * no caller waits for the probe. It runs once at a time, and any answer ends the outage.
 */
export function createOutageGuard(probe: () => Promise<unknown>, now = () => performance.now()): OutageGuard {
  let failsUntil = -Infinity, nextProbeAt = -Infinity, isProbing = false;
  let cause: unknown;

  function startProbe() {
    if (isProbing || now() < nextProbeAt) return;
    isProbing = true;
    probe().then(() => undefined, (error) => error).then((error) => {
      isProbing = false;
      if (!isOutage(error)) return void (failsUntil = nextProbeAt = -Infinity);
      cause = error;
      failsUntil = now() + FAILING_MS;
      nextProbeAt = now() + PROBE_PAUSE_MS;
    });
  }
  return {
    run(read) {
      if (now() >= failsUntil) return read();
      startProbe();
      return Promise.reject(new ApiError(503, "The database is unavailable", { cause }));
    },
    report(error) {
      if (!isOutage(error)) return;
      cause = error;
      failsUntil = now() + FAILING_MS;
      startProbe();
    },
  };
}
