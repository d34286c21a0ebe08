// A folder in memory for the databases of a test command, which write all the time and are deleted at its end.
import { makeScratchFolder } from "../local/host/scratch_folder.ts";
import { prefixOfProcess, removeAbandonedFolders } from "./temporary_folder.ts";

const MEMORY = "/dev/shm", PREFIX = "castbase-tests-", GIB = 1024 ** 3;
/** The databases and stacks of a whole run need less than 2 GiB at a time. */
const MIN_FREE_BYTES = 4 * GIB, MIN_MEMORY_BYTES = 8 * GIB;

/** Lets scratch databases and stacks lie in memory, if there is plenty of it; else they lie on the disk. */
export async function useMemoryFolder(): Promise<AsyncDisposable> {
  await removeAbandonedFolders(MEMORY, PREFIX);
  if (await freeBytes() < MIN_FREE_BYTES || Deno.systemMemoryInfo().available < MIN_MEMORY_BYTES) {
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  Deno.env.set("CASTBASE_SCRATCH", MEMORY);
  const folder = await makeScratchFolder(prefixOfProcess(PREFIX));
  Deno.env.set("CASTBASE_SCRATCH", folder);
  return { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

/** 0 without such a folder, as on macOS. */
async function freeBytes(): Promise<number> {
  const { stdout } = await new Deno.Command("df", { args: ["--output=avail", "--block-size=1", MEMORY] }).output()
    .catch(() => ({ stdout: new Uint8Array() }));
  return Number(new TextDecoder().decode(stdout).split("\n")[1] ?? 0);
}
