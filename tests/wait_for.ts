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
