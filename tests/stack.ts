// Stacks for tests, each in a process of its own, on free ports, with a temporary data folder.
import { join } from "node:path";
import type { AuthSettings } from "../local/auth/settings.ts";
import type { RunningStack } from "../local/host/data_folder.ts";
import { demandParts } from "./parity/target.ts";

/** URLs and keys of a running stack. */
export interface StackInfo extends RunningStack {
  /** The pooler that its functions use, and those that tests start. */
  poolerUrl?: string;
}

export interface TestStack extends StackInfo, AsyncDisposable {
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<Deno.CommandStatus>;
}

export interface TestStackOptions {
  /** The test's own data folder, which is kept. By default a temporary folder, removed at the end. */
  dataDir?: string;
  /** The folder with supabase/ and functions/; this repository by default. */
  project?: string;
  /** The folder for the built server and cluster; the repository's .cache/ by default. */
  cache?: string;
  /** Overrides of the auth settings of config.toml. */
  auth?: Partial<AuthSettings>;
  /** Further environment variables of the edge functions. */
  functionsEnv?: Record<string, string>;
  functionsEnvFile?: string;
  /** Use the ports of config.toml: only for the test's own project. */
  fixedPorts?: boolean;
  /** The database's, by default 100. */
  maxConnections?: number;
  /** As `npm start`: durable commits, and functions that reload with their source. */
  durable?: boolean;
  watch?: boolean;
}

const OPEN = { create: true, append: true };
const entry = join(import.meta.dirname!, "stack_process.ts");

/** Starts a stack; `await using` stops it at the end of the scope. Its stderr goes to `log`, a file or a stream, if given. */
export async function startTestStack(
  options: TestStackOptions = {},
  log?: string | WritableStream<Uint8Array>,
): Promise<TestStack> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", entry, JSON.stringify(options)],
    stdin: "piped", // the stack stops when this pipe closes: it never outlives the test that started it
    stdout: "piped",
    stderr: log ? "piped" : "inherit",
  }).spawn();
  if (log) child.stderr.pipeTo(typeof log === "string" ? (await Deno.open(log, OPEN)).writable : log);
  const slow = setTimeout(() => child.kill(), 120_000);
  const info = await readFirstLine(child.stdout).finally(() => clearTimeout(slow));
  child.unref(); // a finished script ends, and its stack with it
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
 * The stack that tests share: the test command's (CASTBASE_TEST_STACK), else one that ends with this process. Call it
 * at the top of the module, not inside a test.
 */
export async function stack(): Promise<StackInfo> {
  const shared = Deno.env.get("CASTBASE_TEST_STACK");
  return shared ? demandParts(JSON.parse(shared)) : await (ownStack ??= startTestStack());
}
