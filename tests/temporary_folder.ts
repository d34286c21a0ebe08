// Temporary folders of test files and of processes.
import { join } from "node:path";
import { makeScratchFolder } from "../local/host/scratch_folder.ts";
import { commandLine } from "../local/host/processes.ts";

/**
 * A new folder, removed at the end of the test file. If that fails, because a process of a failed test still writes to
 * it, the folder stays: Deno would report this error, without a message, instead of the test's.
 */
export async function folderOfFile(prefix: string): Promise<string> {
  const folder = await makeScratchFolder(prefix);
  globalThis.addEventListener("unload", () => {
    try {
      Deno.removeSync(folder, { recursive: true });
    } catch {
      // see above
    }
  });
  return folder;
}

/** How the name of a folder begins that this process removes at its end. */
export const prefixOfProcess = (prefix: string) => `${prefix}${Deno.pid}-`;

/** Removes the folders of killed processes. The name says whose a folder is, before anything is in it. */
export async function removeAbandonedFolders(parent: string, prefix: string) {
  for (const { name } of await Array.fromAsync(Deno.readDir(parent)).catch(() => [])) {
    const pid = name.startsWith(prefix) && /^(\d+)-/.exec(name.slice(prefix.length))?.[1];
    if (!pid || await commandLine(Number(pid))) continue;
    await Deno.remove(join(parent, name), { recursive: true }).catch(() => {}); // another process removes it
  }
}
