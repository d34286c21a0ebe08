/** Keeps a job's message while it is worked on, however long that takes. */
import { LeaseLostError, type RunContext } from "../job.ts";

/** Its disposal ends when nothing is asked any more. */
export interface Heartbeat extends AsyncDisposable {
  /** Aborts, with LeaseLostError as its reason, when the message has become someone else's. */
  signal: AbortSignal;
}

/** Asks for `seconds` more long before they are over; a question that failed is asked again. */
export function startHeartbeat({ extend }: RunContext, seconds: number): Heartbeat {
  const lost = new AbortController();
  let last: Promise<void> = Promise.resolve();
  const extendLease = async () => {
    const isKept = await extend(seconds).catch(() => true);
    if (!isKept) lost.abort(new LeaseLostError());
  };
  const interval = setInterval(() => last = Promise.all([last, extendLease()]).then(() => {}), seconds * 1000 / 4);
  return {
    signal: lost.signal,
    async [Symbol.asyncDispose]() {
      clearInterval(interval);
      await last;
    },
  };
}
