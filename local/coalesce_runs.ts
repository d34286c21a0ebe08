/**
 * A version of `work` that never runs twice at once: asked while it runs, it runs once more afterwards. The promise
 * resolves when a run that began after the call has ended; it never rejects, `failed` hears of errors.
 */
export function coalesceRuns(work: () => Promise<void>, failed: (error: unknown) => void): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = () => running = work().catch(failed).finally(() => running = undefined);
  return () => {
    if (!running) return start();
    return next ??= running.then(() => {
      next = undefined;
      return start();
    });
  };
}
