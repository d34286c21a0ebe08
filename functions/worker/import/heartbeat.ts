/** Keeps a job's message while it is worked on, however long that takes. */
import { LeaseLost, type RunContext } from "../job.ts";

/** Its disposal ends when nothing is asked any more. */
export interface Lease extends AsyncDisposable {
  /** Aborts, with LeaseLost as its reason, when the message has become someone else's. */
  signal: AbortSignal;
}

/** Asks for `seconds` more long before they are over; a question that failed is asked again. */
export function keepLease({ extend }: RunContext, seconds: number): Lease {
  const lost = new AbortController();
  let last: Promise<void> = Promise.resolve();
  const ask = async () => {
    const isKept = await extend(seconds).catch(() => true);
    if (!isKept) lost.abort(new LeaseLost());
  };
  const beat = setInterval(() => last = Promise.all([last, ask()]).then(() => {}), seconds * 1000 / 4);
  return {
    signal: lost.signal,
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      await last;
    },
  };
}
