// A clock whose timers the test fires.

/** Replaces the timers of this test file until the end of the scope, except those without a delay. */
export function stoppedClock() {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Map<number, { due: number; work: () => void }>();
  let now = 0, latest = 0;
  globalThis.setTimeout = ((work: () => void, milliseconds = 0) => {
    if (milliseconds <= 0) return setTimeout(work); // the database's driver connects in one
    timers.set(--latest, { due: now + milliseconds, work }); // real timers have positive ids
    return latest;
  }) as typeof setTimeout;
  globalThis.clearTimeout = (id) => void (timers.delete(id!) || clearTimeout(id));
  return {
    advance(milliseconds: number) {
      now += milliseconds;
      for (const [id, { due, work }] of timers) if (due <= now && timers.delete(id)) work();
    },
    [Symbol.dispose]: () => void Object.assign(globalThis, { setTimeout, clearTimeout }),
  };
}
