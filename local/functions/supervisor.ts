// Keeps a process of edge functions running: restarts it when it dies, replaces it when the source changes.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Project } from "../host/project.ts";
import { startProcess } from "./process.ts";

export interface FunctionsSupervisor {
  /** The port of the functions, after their start; undefined if they fail to start. */
  port(): Promise<number | undefined>;
  /** Waits, at most half a second, until the process at this port has ended. Returns whether it has. */
  waitForEnd(port: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Messages after a change of the source. */
export const RELOADED = "The edge functions run with the changed source.";
export const NOT_RELOADED = "The changed edge functions did not start; the previous ones stay.";

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5000;
const END_TIMEOUT_MS = 500;

export function superviseFunctions(
  project: Project,
  env: Record<string, string>,
  { watch = false, envFile }: { watch?: boolean; envFile?: string } = {},
): FunctionsSupervisor {
  let current = startProcess(project.functions, env, { envFile });
  let closing = false;
  const watcher = watch ? watchSource() : undefined;
  watchProcess();

  return {
    port: () => current.port,
    async waitForEnd(port) {
      const process = current;
      if (await process.port !== port) return true;
      let timer;
      const timeout = new Promise<false>((resolve) => timer = setTimeout(() => resolve(false), END_TIMEOUT_MS));
      const hasEnded = await Promise.race([process.ended.then(() => true), timeout]);
      clearTimeout(timer);
      return hasEnded;
    },
    async close() {
      closing = true;
      watcher?.close();
      await current.stop();
    },
  };

  /** Restarts the process when it dies, after a pause that grows with each death. */
  async function watchProcess() {
    for (let deaths = 0; !closing;) {
      const process = current;
      const since = Date.now();
      await process.ended;
      if (closing || process !== current) continue;
      deaths = Date.now() - since > 2 * MAX_PAUSE_MS ? 0 : deaths + 1;
      console.error("The process of the edge functions ended; restarting it.");
      const delayMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (deaths - 1));
      current = startProcess(project.functions, env, { envFile, delayMs });
    }
  }

  /** The old process completes its requests while the new one takes over. */
  async function replace() {
    const before = current;
    const after = startProcess(project.functions, env, { envFile });
    if (await after.port === undefined) return console.error(NOT_RELOADED); // the process has printed why
    current = after;
    console.error(RELOADED);
    await before.stop();
    if (closing) await after.stop();
  }

  function watchSource(): Deno.FsWatcher {
    const watcher = Deno.watchFs(sourceFolders(project));
    let timer: number | undefined;
    (async () => {
      for await (const { kind } of watcher) {
        if (kind === "access") continue;
        clearTimeout(timer); // an editor's save causes several events
        timer = setTimeout(replace, 100);
      }
    })();
    return watcher;
  }
}

/** The folders with the functions' source: those beside a function share its folder, as functions/_shared does. */
function sourceFolders({ functions, types }: Project): string[] {
  const folders = functions.map(({ entrypoint }) => dirname(dirname(entrypoint)));
  return [...new Set([...folders, dirname(types)])].filter((folder) => existsSync(folder));
}
