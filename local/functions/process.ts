// A process of edge functions: Deno with the platform's permissions and none of this process's environment.
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Child, spawnChild } from "../host/child_process.ts";
import type { EdgeFunction } from "../host/project.ts";

interface FunctionsProcess {
  /** The port, once the process listens; undefined if it has ended before. */
  port: Promise<number | undefined>;
  pid: Promise<number | undefined>;
  ended: Promise<unknown>;
  /** Lets requests in flight complete for a few seconds. */
  stop(): Promise<void>;
}

/** No subprocesses, no writing outside the temporary folder, 256 MB. */
const PERMISSIONS = [
  "--no-prompt",
  "--allow-net",
  "--allow-env",
  "--allow-sys",
  "--allow-read",
  `--allow-write=${tmpdir()}`,
  "--v8-flags=--max-old-space-size=256",
];
/** Variables of the developer's shell: Deno's cache, proxies and certificates. */
const INHERITED = ["HOME", "DENO_DIR", "XDG_CACHE_HOME", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"];

interface ProcessOptions {
  /** A file with further variables, which replace none of `env`; it may be missing. */
  envFile?: string;
  delayMs?: number;
}

/** Starts a process after a delay. All functions have the same import map. */
export function startProcess(
  functions: EdgeFunction[],
  env: Record<string, string>,
  { envFile, delayMs = 0 }: ProcessOptions = {},
): FunctionsProcess {
  const stopping = Promise.withResolvers<void>();
  let stopped = false;
  const child = pause(delayMs, stopping.promise).then(() => stopped ? undefined : spawn(functions, env, envFile));
  const output = child.then((child) => child && readOutput(child.stdout));
  return {
    port: output.then((output) => output?.port),
    pid: child.then((child) => child?.pid),
    ended: child.then((child) => child?.ended),
    async stop() {
      stopped = true;
      stopping.resolve();
      await (await child)?.stop();
      await (await output)?.printed;
    },
  };
}

function spawn(functions: EdgeFunction[], env: Record<string, string>, envFile?: string): Child {
  const inherited = INHERITED.flatMap((name) => Deno.env.has(name) ? [[name, Deno.env.get(name)!]] : []);
  const file = envFile && existsSync(envFile) ? [`--env-file=${envFile}`] : [];
  const host = [join(import.meta.dirname!, "host.ts"), JSON.stringify(functions)];
  const args = ["run", "--no-check", ...PERMISSIONS, ...file, ...importMapOption(functions[0]?.importMap), ...host];
  return spawnChild(Deno.execPath(), args, {
    clearEnv: true,
    env: {
      ...Object.fromEntries(inherited),
      DENO_TLS_CA_STORE: "system",
      DENO_NO_UPDATE_CHECK: "1",
      TZ: "UTC",
      ...env,
    },
    stdout: "piped",
    stderr: "inherit",
  }, { signal: "SIGTERM", seconds: 7, lastSignal: "SIGKILL" }); // a function may block the event loop
}

/** Without one, Deno finds the deno.json above this file. */
function importMapOption(path: string | undefined): string[] {
  if (!path) return [];
  return [/^deno\.jsonc?$/.test(basename(path)) ? `--config=${path}` : `--import-map=${path}`];
}

interface Output {
  /** Undefined if the process has ended before it listened. */
  port?: number;
  /** Resolves at the end of the output. */
  printed?: Promise<void>;
}

/** Reads the port from a line of output. Other lines go to the terminal. */
async function readOutput(stdout: ReadableStream<Uint8Array>): Promise<Output> {
  const text = stdout.pipeThrough(new TextDecoderStream());
  const reader = text.getReader();
  let output = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return {};
    output += value;
    const [line, port] = /^listening on (\d+)\n/m.exec(output) ?? [];
    if (!line) continue;
    reader.releaseLock();
    const rest = text.pipeThrough(new TextEncoderStream());
    Deno.stderr.writeSync(new TextEncoder().encode(output.replace(line, "")));
    const printed = rest.pipeTo(Deno.stderr.writable, { preventClose: true }).catch(() => {});
    return { port: Number(port), printed };
  }
}

async function pause(milliseconds: number, interrupt: Promise<void>) {
  let timer;
  await Promise.race([interrupt, new Promise((resolve) => timer = setTimeout(resolve, milliseconds))]);
  clearTimeout(timer);
}
