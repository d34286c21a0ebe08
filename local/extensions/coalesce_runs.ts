/**
 * Returns a version of `work` that never runs concurrently: calls during a run share one more run after it. The promise
 * resolves when a run that started after the call has ended. Errors go to `onError`; the promise never rejects.
 */
export function coalesceRuns(work: () => Promise<void>, onError: (error: unknown) => void): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = () => running = work().catch(onError).finally(() => running = undefined);
  return () => {
    if (!running) return start();
    return next ??= running.then(() => {
      next = undefined;
      return start();
    });
  };
}
