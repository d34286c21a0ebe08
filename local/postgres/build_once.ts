import { join } from "node:path";

/**
 * `folder/name`, filled by `build` when it is not there yet. One process builds while others that want the same wait;
 * a build that is cut short leaves nothing under that name.
 */
export async function buildOnce(folder: string, name: string, build: (folder: string) => Promise<void>) {
  const built = join(folder, name);
  if (await exists(built)) return built;
  await Deno.mkdir(folder, { recursive: true });
  using lock = await Deno.open(join(folder, "building.lock"), { create: true, write: true });
  await lock.lock(true); // let go by the kernel when this process ends, however it ends
  if (await exists(built)) return built;
  const unfinished = join(folder, `${name}.unfinished`);
  await Deno.remove(unfinished, { recursive: true }).catch(ignoreMissing);
  await Deno.mkdir(unfinished);
  await build(unfinished);
  await Deno.rename(unfinished, built);
  return built;
}

export async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, ignoreMissing) === true;
}

function ignoreMissing(error: unknown) {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
