/** Resolves with what `look` finds, as soon as that is truthy; fails when it never is. */
export async function waitFor<T>(what: string, look: () => T | Promise<T>, seconds = 20): Promise<NonNullable<T>> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > until) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
