// One process of edge functions: Deno as on the platform, with the platform's rights and nothing of our environment.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, spawnChild } from "../child_process.ts";
import type { EdgeFunction } from "../project.ts";

export interface FunctionsProcess {
  /** Where it listens, once it does; undefined when it ended before. */
  port: Promise<number | undefined>;
  pid: Promise<number | undefined>;
  ended: Promise<unknown>;
  /** Lets requests in flight end, for a few seconds. */
  stop(): Promise<void>;
}

/** No subprocesses, no writing outside the temporary folder, 256 MB. */
const RIGHTS = [
  "--no-prompt",
  "--allow-net",
  "--allow-env",
  "--allow-sys",
  "--allow-read",
  `--allow-write=${tmpdir()}`,
  "--v8-flags=--max-old-space-size=256",
];
/** From the developer's shell: where Deno keeps its cache, and the way out to the world. */
const INHERITED = ["HOME", "DENO_DIR", "XDG_CACHE_HOME", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"];

/** Starts it after `delay` milliseconds. */
export function startProcess(functions: EdgeFunction[], env: Record<string, string>, delay = 0): FunctionsProcess {
  const stopping = Promise.withResolvers<void>();
  let stopped = false;
  const child = pause(delay, stopping.promise).then(() => stopped ? undefined : spawn(functions, env));
  return {
    port: child.then((child) => child && portIn(child.stdout)),
    pid: child.then((child) => child?.pid),
    ended: child.then((child) => child?.ended),
    async stop() {
      stopped = true;
      stopping.resolve();
      await (await child)?.stop();
    },
  };
}

function spawn(functions: EdgeFunction[], env: Record<string, string>): Child {
  const inherited = INHERITED.flatMap((name) => Deno.env.has(name) ? [[name, Deno.env.get(name)!]] : []);
  const args = ["run", "--no-check", ...RIGHTS, join(import.meta.dirname!, "host.ts"), JSON.stringify(functions)];
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
  }, { signal: "SIGTERM", seconds: 7, lastSignal: "SIGKILL" }); // a function may hold the event loop
}

/** One line says the port; what the functions print belongs to whoever watches the stack. */
async function portIn(stdout: ReadableStream<Uint8Array>): Promise<number | undefined> {
  const text = stdout.pipeThrough(new TextDecoderStream());
  const reader = text.getReader();
  let said = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return undefined;
    said += value;
    const [line, port] = /^listening on (\d+)\n/m.exec(said) ?? [];
    if (!line) continue;
    reader.releaseLock();
    const printed = text.pipeThrough(new TextEncoderStream());
    Deno.stderr.writeSync(new TextEncoder().encode(said.replace(line, "")));
    printed.pipeTo(Deno.stderr.writable, { preventClose: true }).catch(() => {});
    return Number(port);
  }
}

async function pause(milliseconds: number, cut: Promise<void>) {
  let timer;
  await Promise.race([cut, new Promise((resolve) => timer = setTimeout(resolve, milliseconds))]);
  clearTimeout(timer);
}
