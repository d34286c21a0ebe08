// Deletes the data of a stack and recreates it from the migrations and the seed. db:reset sends a signal to a running
// stack, which resets itself, because its services keep what they have read.
import { runningStack, type StackState } from "../host/data_folder.ts";
import { commandLine } from "../host/processes.ts";
import { type Stack, type StackOptions, startStack } from "./stack.ts";

const SIGNAL = "SIGUSR1";

/** Starts a stack that restarts without its data at each signal of db:reset. Calls `onReady` after each restart. */
export async function startResettableStack(options: StackOptions, onReady: (stack: Stack) => void): Promise<Stack> {
  let stack = await startStack(options);
  let resetting = Promise.resolve();
  const failure = Promise.withResolvers<never>();
  const reset = () => {
    resetting = resetting.then(async () => {
      await stack.stop();
      stack = await startStack({ ...options, fresh: true });
      onReady(stack);
    }).catch(failure.reject);
  };
  Deno.addSignalListener(SIGNAL, reset);
  return {
    ...stack,
    ended: Promise.race([failure.promise, waitForEnd()]),
    async stop() {
      Deno.removeSignalListener(SIGNAL, reset);
      await resetting;
      await stack.stop();
    },
  };

  /** Resolves when the database ends, except for a reset. */
  async function waitForEnd() {
    for (;;) {
      const last = stack;
      const reason = await last.ended;
      await resetting;
      if (last === stack) return reason;
    }
  }
}

/** Resets the data of the stack on this folder. Returns the running stack; undefined if none was running. */
export async function resetStack(options: StackOptions): Promise<StackState | undefined> {
  const { dataDir } = options;
  const running = await runningStack(dataDir);
  if (!running) {
    await (await startStack({ ...options, fresh: true })).stop();
    return undefined;
  }
  Deno.kill(running.pid, SIGNAL);
  return await waitForRestart(running, dataDir);
}

async function waitForRestart({ pid, since }: StackState, dataDir: string): Promise<StackState> {
  for (;;) {
    const stack = await runningStack(dataDir).catch(() => undefined); // the file may be half written
    if (stack?.url && stack.since !== since) return stack;
    if (!await commandLine(pid)) throw new Error("The running stack stopped instead of restarting; see its output.");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
