// A folder in memory for the databases of a test command, which write all the time and are deleted at its end.
import { makeScratchFolder } from "../local/database/scratch.ts";

const MEMORY = "/dev/shm", PREFIX = "castbase-tests-", GIB = 1024 ** 3;
/** The databases and stacks of a whole run need less than 2 GiB at a time. */
const MIN_FREE_BYTES = 4 * GIB, MIN_MEMORY_BYTES = 8 * GIB;

/** Lets scratch databases and stacks lie in memory, if there is plenty of it; else they lie on the disk. */
export async function useMemoryFolder(): Promise<AsyncDisposable> {
  await removeAbandonedFolders();
  if (await freeBytes() < MIN_FREE_BYTES || Deno.systemMemoryInfo().available < MIN_MEMORY_BYTES) {
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  Deno.env.set("CASTBASE_SCRATCH", MEMORY);
  const folder = await makeScratchFolder(`${PREFIX}${Deno.pid}-`);
  Deno.env.set("CASTBASE_SCRATCH", folder);
  return { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

/** 0 without such a folder, as on macOS. */
async function freeBytes(): Promise<number> {
  const { stdout } = await new Deno.Command("df", { args: ["--output=avail", "--block-size=1", MEMORY] }).output()
    .catch(() => ({ stdout: new Uint8Array() }));
  return Number(new TextDecoder().decode(stdout).split("\n")[1] ?? 0);
}

/** Removes the folders of killed commands, which would keep their memory. */
async function removeAbandonedFolders() {
  const entries = await Array.fromAsync(Deno.readDir(MEMORY)).catch(() => []);
  for (const { name } of entries) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    if (!pid || await Deno.stat(`/proc/${pid}`).then(() => true, () => false)) continue;
    await Deno.remove(`${MEMORY}/${name}`, { recursive: true }).catch(() => {}); // another command removes it
  }
}
