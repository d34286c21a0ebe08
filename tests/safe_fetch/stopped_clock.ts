// A clock whose timers the test fires.

/** Replaces the timers of this test file until the end of the scope. */
export function stoppedClock() {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Map<number, { due: number; work: () => void }>();
  let now = 0, latest = 0;
  globalThis.setTimeout = ((work: () => void, milliseconds = 0) => {
    timers.set(++latest, { due: now + milliseconds, work });
    return latest;
  }) as typeof setTimeout;
  globalThis.clearTimeout = (id) => void timers.delete(id!);
  return {
    advance(milliseconds: number) {
      now += milliseconds;
      for (const [id, { due, work }] of timers) if (due <= now && timers.delete(id)) work();
    },
    [Symbol.dispose]: () => void Object.assign(globalThis, { setTimeout, clearTimeout }),
  };
}
