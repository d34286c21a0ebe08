/** Keeps a job's messages from other workers while it works. */
import { JobLostError, type RunContext } from "../runtime/job_run.ts";

/** Disposal waits for the last extension. */
interface Heartbeat extends AsyncDisposable {
  /** Aborts with JobLostError when another worker has the message. */
  signal: AbortSignal;
}

/** Extends the visibility timeout four times within it. The next extension retries a failed one. */
export function startHeartbeat({ extend, visibilityTimeoutSeconds }: RunContext): Heartbeat {
  const lost = new AbortController();
  let last: Promise<void> = Promise.resolve();
  const keep = async () => {
    const isKept = await extend().catch(() => true);
    if (!isKept) lost.abort(new JobLostError());
  };
  const interval = setInterval(() => last = Promise.all([last, keep()]).then(() => {}), 250 * visibilityTimeoutSeconds);
  return {
    signal: lost.signal,
    async [Symbol.asyncDispose]() {
      clearInterval(interval);
      await last;
    },
  };
}
