/** Keeps a job's messages, and its lease, from other workers while it works. */
import { LeaseLostError, type RunContext } from "../runtime/job_run.ts";

/** Disposal waits for the last extension. */
interface Heartbeat extends AsyncDisposable {
  /** Aborts with LeaseLostError when another worker has the message. */
  signal: AbortSignal;
}

/** Extends the visibility timeout to `seconds`, four times within it. The next extension retries a failed one. */
export function startHeartbeat({ extend }: RunContext, seconds: number): Heartbeat {
  const lost = new AbortController();
  let last: Promise<void> = Promise.resolve();
  const keep = async () => {
    const isKept = await extend(seconds).catch(() => true);
    if (!isKept) lost.abort(new LeaseLostError());
  };
  const interval = setInterval(() => last = Promise.all([last, keep()]).then(() => {}), seconds * 1000 / 4);
  return {
    signal: lost.signal,
    async [Symbol.asyncDispose]() {
      clearInterval(interval);
      await last;
    },
  };
}
