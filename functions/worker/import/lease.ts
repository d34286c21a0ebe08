/** Keeps a job's message while it is worked on, however long that takes. */
import { LeaseLost, type RunContext } from "../job.ts";

export interface Lease extends Disposable {
  /** Aborts, with LeaseLost as its reason, when the message has become someone else's. */
  signal: AbortSignal;
}

/** Asks for `seconds` more long before they are over; a question that failed is asked again. */
export function keepLease({ extend }: RunContext, seconds: number): Lease {
  const lost = new AbortController();
  const beat = setInterval(async () => {
    const isKept = await extend(seconds).catch(() => true);
    if (!isKept) lost.abort(new LeaseLost());
  }, seconds * 1000 / 4);
  return { signal: lost.signal, [Symbol.dispose]: () => clearInterval(beat) };
}
