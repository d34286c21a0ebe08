/** The queue of this process for the computations of calendars. */
import { setImmediate } from "node:timers/promises";

let lastTurn: Promise<unknown> = Promise.resolve();

/** One computation at a time, with other requests and the ends of time limits in between: each can take a second. */
export async function computeInTurn<T>(compute: () => T, signal?: AbortSignal): Promise<T> {
  const turn = lastTurn.then(async () => {
    await setImmediate();
    signal?.throwIfAborted();
    return compute();
  });
  lastTurn = turn.catch(() => {});
  return await turn;
}
