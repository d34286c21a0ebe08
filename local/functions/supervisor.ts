// Keeps a process of edge functions running: started again when it dies, replaced when the source changes.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Project } from "../project.ts";
import { startProcess } from "./process.ts";

export interface FunctionsSupervisor {
  /** Where the functions listen; waits while they start. Undefined when they do not come up. */
  port(): Promise<number | undefined>;
  /** Waits until the process at this port has ended and the next one starts; half a second at most, as it may live on. */
  waitForEnd(port: number): Promise<void>;
  close(): Promise<void>;
}

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5000;
const LONGEST_END = 500;

export function superviseFunctions(
  project: Project,
  env: Record<string, string>,
  { watch = false } = {},
): FunctionsSupervisor {
  let current = startProcess(project.functions, env);
  let closing = false;
  const watcher = watch ? watchSource() : undefined;
  keep();

  return {
    port: () => current.port,
    async waitForEnd(port) {
      const broken = current;
      if (await broken.port !== port) return;
      let timer;
      await Promise.race([broken.ended, new Promise((resolve) => timer = setTimeout(resolve, LONGEST_END))]);
      clearTimeout(timer);
    },
    async close() {
      closing = true;
      watcher?.close();
      await current.stop();
    },
  };

  /** The more often it dies, the longer the pause before it starts again. */
  async function keep() {
    for (let deaths = 0; !closing;) {
      const kept = current;
      const since = Date.now();
      await kept.ended;
      if (closing || kept !== current) continue;
      deaths = Date.now() - since > 2 * LONGEST_PAUSE ? 0 : deaths + 1;
      console.error("The process of the edge functions ended; starting it again.");
      current = startProcess(project.functions, env, Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (deaths - 1)));
    }
  }

  /** The old process ends its requests while the new one already answers. */
  async function replace() {
    const before = current;
    const after = startProcess(project.functions, env);
    if (await after.port === undefined) return; // it has said why on the terminal; the old one goes on
    current = after;
    await before.stop();
    if (closing) await after.stop();
  }

  function watchSource(): Deno.FsWatcher {
    const watcher = Deno.watchFs(sourceFolders(project));
    let timer: number | undefined;
    (async () => {
      for await (const { kind } of watcher) {
        if (kind === "access") continue;
        clearTimeout(timer); // an editor's save is several events
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
