// Workers that a test starts and stops: the standalone process, and functions whose worker it wakes.
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { startFunctions } from "../functions.ts";
import type { StackInfo } from "../stack.ts";

export interface Worker extends AsyncDisposable {
  pid: number;
  /** Resolves when the process has ended. */
  ended: Promise<unknown>;
  /** Kills the process. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves when the process has ended, killed after a minute if necessary. */
  end(): Promise<Deno.CommandStatus>;
}

/** Starts the standalone worker for these queues. */
export async function startWorker(
  at: StackInfo,
  queues = ["import_items"],
  changes: Record<string, string> = {},
): Promise<Worker> {
  return startWorkerWith({ ...await environmentOf(at), ...changes }, queues);
}

/** Starts the standalone worker in this environment. */
export function startWorkerWith(env: Record<string, string>, queues: string[]): Worker {
  const child = command("functions/worker/standalone.ts", queues, { env }).spawn();
  const send = async (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch {
      // already ended
    }
    return await child.status;
  };
  const kill = async () => void await send("SIGKILL");
  const end = async () => {
    const late = setTimeout(kill, 60_000);
    return await send("SIGTERM").finally(() => clearTimeout(late));
  };
  return { pid: child.pid, ended: child.status, kill, end, [Symbol.asyncDispose]: kill };
}

/** Drains import_items once in a new process, whose time is up at the end of `time`. */
export async function drainOnce(at: StackInfo, time?: Promise<unknown>): Promise<void> {
  const env = await environmentOf(at), signal = AbortSignal.timeout(90_000);
  const child = command("tests/worker/drain_once.ts", [], { env, signal, stdin: "piped" }).spawn();
  const end = () => child.stdin.close().catch(() => {});
  const timeUp = time?.finally(end);
  const { success } = await child.status.finally(end);
  await timeUp;
  if (!success) throw new Error("The worker failed, or went on when its time was up");
}

/** Starts a worker that drains queues once, in this environment, and ends. */
export const startDrain = (env: Record<string, string>, ...queues: string[]): Deno.ChildProcess =>
  command("tests/worker/drain_queues.ts", queues, { env }).spawn();

/** Drains queues once in a new process, as an isolate with another environment does. */
export async function drainIn(env: Record<string, string>, ...queues: string[]): Promise<void> {
  const { success } = await startDrain(env, ...queues).status;
  if (!success) throw new Error("The worker failed");
}

async function environmentOf(at: StackInfo): Promise<Record<string, string>> {
  return {
    SUPABASE_URL: at.url,
    SUPABASE_DB_URL: at.dbUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: at.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: at.secretKey }),
    SUPABASE_JWKS: await (await fetch(`${at.url}/auth/v1/.well-known/jwks.json`)).text(),
    WORKER_SECRET: crypto.randomUUID(),
  };
}

function command(script: string, args: string[], { signal, env, stdin = "null" }: Deno.CommandOptions) {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", join(repository, script), ...args],
    env,
    signal,
    stdin,
    stdout: "null",
    stderr: Deno.env.get("CASTBASE_TEST_WORKER_LOG") ? "inherit" : "null",
  });
}

/** Starts functions as on the platform, whose worker drains these queues at each `wake`. */
export async function startEdgeWorker(at: StackInfo) {
  const secret = crypto.randomUUID();
  const functions = await startFunctions(at, { WORKER_SECRET: secret });
  return {
    ...functions,
    async wake(queue = "import_items") {
      const response = await fetch(`${functions.url}/worker`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ queue }),
      });
      await response.body?.cancel();
      if (response.status !== 202) throw new Error(`The worker answered ${response.status}`);
    },
  };
}
