import { CannotStart } from "./cannot_start.ts";
import { startResettableStack } from "./database/reset.ts";
import type { Stack, StackOptions } from "./stack.ts";

/**
 * Runs a stack until a signal or the end of the process that started this one (local/deno.mjs, which watches npm) asks
 * it to stop, also while it starts. Throws when its database ends by itself.
 */
export async function runStack(options: StackOptions, tell: (stack: Stack, isReset: boolean) => Promise<void>) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const asked = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) Deno.addSignalListener(name, () => stopping.abort());
  const parent = Deno.ppid;
  Deno.unrefTimer(setInterval(() => Deno.ppid !== parent && stopping.abort(), 500));

  const stack = await startResettableStack({ ...options, signal }, (stack) => tell(stack, true)).catch((error) => {
    if (!signal.aborted) throw error;
  });
  if (!stack) return;
  await tell(stack, false);
  const reason = await Promise.race([asked, stack.ended]);
  await stack.stop();
  if (reason) throw new CannotStart(reason);
}
