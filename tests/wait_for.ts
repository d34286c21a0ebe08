const { setTimeout, clearTimeout } = globalThis; // a test may stop the clock

/** Waits until `look` returns a truthy value and returns it; throws after `seconds`. */
export async function waitFor<T>(what: string, look: () => T | Promise<T>, seconds = 20): Promise<NonNullable<T>> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > until) throw new Error(`Timed out waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Asserts again and again for some seconds: an absence has no condition to wait for. */
export async function assertThroughout(seconds: number, assertOnce: () => void | Promise<void>): Promise<void> {
  for (const until = Date.now() + seconds * 1000; Date.now() < until;) {
    await assertOnce();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits for a promise that a failing subject never resolves; throws after `seconds`. */
export async function within<T>(what: string, promise: Promise<T>, seconds = 20): Promise<T> {
  using limit = timeLimit(seconds);
  return await Promise.race([
    promise,
    limit.passed.then(() => {
      throw new Error(`Timed out waiting for ${what}`);
    }),
  ]);
}

/** Waits for a promise for at most `seconds`: a test that failed may never resolve it, and its error is the one to see. */
export async function atMost(seconds: number, promise: Promise<unknown>): Promise<void> {
  using limit = timeLimit(seconds);
  await Promise.race([promise, limit.passed]);
}

/**
 * Asserts that a delay of so many seconds has begun since `began`, as Date.now(), of which `left` were left before this
 * call. It holds however long the test itself takes.
 */
export function assertDelay(left: number, seconds: number, began: number): void {
  const passed = (Date.now() - began) / 1000;
  if (left > seconds || left + passed < seconds) {
    throw new Error(`${left} seconds are left of a delay of ${seconds}, ${passed} after the test began`);
  }
}

function timeLimit(seconds: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, seconds * 1000);
  return { passed: promise, [Symbol.dispose]: () => clearTimeout(timer) };
}
