// Stacks for tests: real ones, each in a process of its own, on free ports, with a data folder that goes with it.
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuthSettings } from "../local/auth/settings.ts";
import { type RunningStack, runningStack } from "../local/data_folder.ts";
import { exists } from "../local/postgres/build_once.ts";

/** Where a running stack is reached. */
export type StackInfo = RunningStack;

export interface TestStack extends StackInfo, AsyncDisposable {
  /** Resolves when the process has ended, however it ended. */
  readonly ended: Promise<Deno.CommandStatus>;
}

export interface TestStackOptions {
  /** A data folder of the test's own, kept when the stack ends. Without one: a temporary folder, removed at the end. */
  dataDir?: string;
  /** Where supabase/ and functions/ are; this repository without one. */
  project?: string;
  /** Where the server and the cluster to copy are built; the repository's .cache/ without it. */
  cache?: string;
  /** Over what config.toml says of auth. */
  auth?: Partial<AuthSettings>;
  /** Beside what the edge functions get anyway. */
  functionsEnv?: Record<string, string>;
  /** The ports of config.toml instead of free ones: only for a project of the test's own. */
  fixedPorts?: boolean;
  /** As `npm start`: commits are on the disk, and the functions follow their source. */
  durable?: boolean;
  watch?: boolean;
}

const entry = join(import.meta.dirname!, "stack_process.ts");

/** Starts a stack; `await using` stops it at the end of the scope. What it complains about goes to `log`, or to stderr. */
export async function startTestStack(options: TestStackOptions = {}, log?: string): Promise<TestStack> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", entry, JSON.stringify(options)],
    stdin: "piped", // the stack stops when this pipe closes: it never outlives the test that started it
    stdout: "piped",
    stderr: log ? "piped" : "inherit",
  }).spawn();
  if (log) child.stderr.pipeTo((await Deno.open(log, { create: true, append: true })).writable);
  const slow = setTimeout(() => child.kill(), 120_000);
  const info = await readFirstLine(child.stdout).finally(() => clearTimeout(slow));
  child.unref(); // a script that has done its work ends, and the stack with it
  if (!info) throw new Error(`The stack did not start: it ended with code ${(await child.status).code}.`);
  return {
    ...info,
    get ended() {
      child.ref();
      return child.status;
    },
    async [Symbol.asyncDispose]() {
      child.ref();
      await child.stdin.close().catch(() => {});
      await child.status;
    },
  };
}

async function readFirstLine(stdout: ReadableStream<Uint8Array>): Promise<StackInfo | undefined> {
  const reader = stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) return undefined;
    text += value;
  }
  await reader.cancel();
  return JSON.parse(text.split("\n", 1)[0]);
}

let ownStack: Promise<TestStack> | undefined;

/**
 * The stack that tests share when they leave each other alone: the test command's (CASTBASE_TEST_STACK), else one
 * that ends with this process. Call it at the top of the module, not inside a test.
 */
export async function stack(): Promise<StackInfo> {
  const shared = Deno.env.get("CASTBASE_TEST_STACK");
  return shared ? JSON.parse(shared) : await (ownStack ??= startTestStack());
}

/** Of temporary data folders. */
export const DATA_FOLDER_PREFIX = "castbase-test-";

/** A stack that was killed could not remove its data folder; the next one does. */
export async function removeAbandonedFolders() {
  for await (const { name, isDirectory } of Deno.readDir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (
      !isDirectory || !name.startsWith(DATA_FOLDER_PREFIX) || !await exists(join(folder, "stack.json")) ||
      await runningStack(folder)
    ) continue;
    await Deno.remove(folder, { recursive: true }).catch(() => {}); // another one is at it
  }
}
