// The data of a stack thrown away and made again from the migrations and the seed. A running stack does it itself, for
// its services hold what they read; db:reset asks it to by a signal.
import { runningStack, type StackState } from "../data_folder.ts";
import { commandLine } from "../processes.ts";
import { type Stack, type StackOptions, startStack } from "../stack.ts";

const SIGNAL = "SIGUSR1";

/** Starts a stack that starts anew, without its data, each time db:reset asks; `told` hears where it then runs. */
export async function startResettableStack(options: StackOptions, told: (stack: Stack) => void): Promise<Stack> {
  let stack = await startStack(options);
  let resetting = Promise.resolve();
  const failure = Promise.withResolvers<never>();
  const reset = () => {
    resetting = resetting.then(async () => {
      await stack.stop();
      stack = await startStack({ ...options, fresh: true });
      told(stack);
    }).catch(failure.reject);
  };
  Deno.addSignalListener(SIGNAL, reset);
  return {
    ...stack,
    ended: Promise.race([failure.promise, ended()]),
    async stop() {
      Deno.removeSignalListener(SIGNAL, reset);
      await resetting;
      await stack.stop();
    },
  };

  /** When the database has ended, and not for a new one. */
  async function ended() {
    for (;;) {
      const last = stack;
      const reason = await last.ended;
      await resetting;
      if (last === stack) return reason;
    }
  }
}

/** Makes the data of the stack on this folder anew. Answers where it runs; undefined when it did not and does not. */
export async function resetStack(options: StackOptions): Promise<StackState | undefined> {
  const { dataDir } = options;
  const running = await runningStack(dataDir);
  if (!running) {
    await (await startStack({ ...options, fresh: true })).stop();
    return undefined;
  }
  Deno.kill(running.pid, SIGNAL);
  return await anew(running, dataDir);
}

async function anew({ pid, since }: StackState, dataDir: string): Promise<StackState> {
  for (;;) {
    const stack = await runningStack(dataDir).catch(() => undefined); // caught in the middle of being written
    if (stack?.url && stack.since !== since) return stack;
    if (!await commandLine(pid)) {
      throw new Error("The running stack ended instead of starting anew; its own output says why.");
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
