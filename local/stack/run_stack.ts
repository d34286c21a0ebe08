import { startResettableStack } from "./reset.ts";
import type { Stack, StackOptions } from "./stack.ts";
import { StartupError } from "../host/startup_error.ts";

/**
 * Runs a stack until a signal, or the end of the process that started this one (local/deno.mjs, which watches npm),
 * stops it, also while it starts. Calls `onReady` after each start. Throws StartupError when its database has
 * ended by itself twice.
 */
export async function runStack(options: StackOptions, onReady: (stack: Stack, isReset: boolean) => Promise<void>) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopRequest = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) Deno.addSignalListener(name, () => stopping.abort());
  const parent = Deno.ppid;
  Deno.unrefTimer(setInterval(() => Deno.ppid !== parent && stopping.abort(), 500));

  const stack = await startResettableStack({ ...options, signal }, (stack) => onReady(stack, true)).catch((error) => {
    if (!signal.aborted) throw error;
  });
  if (!stack) return;
  await onReady(stack, false);
  const reason = await Promise.race([stopRequest, stack.ended]);
  await stack.stop();
  if (reason) throw new StartupError(reason);
}
