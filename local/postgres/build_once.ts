import { join } from "node:path";
import { undefinedIfMissing } from "../host/optional_file.ts";

/**
 * Returns `folder/name`, which `build` fills if it does not exist. Other processes wait for the build. An interrupted build
 * leaves nothing under that name.
 */
export async function buildOnce(folder: string, name: string, build: (folder: string) => Promise<void>) {
  const built = join(folder, name);
  if (await exists(built)) return built;
  await Deno.mkdir(folder, { recursive: true });
  using lock = await Deno.open(join(folder, "building.lock"), { create: true, write: true });
  await lock.lock(true); // the kernel releases it when this process ends
  if (await exists(built)) return built;
  const unfinished = join(folder, `${name}.unfinished`);
  await Deno.remove(unfinished, { recursive: true }).catch(undefinedIfMissing);
  await Deno.mkdir(unfinished);
  await build(unfinished);
  await Deno.rename(unfinished, built);
  return built;
}

export async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, undefinedIfMissing) === true;
}
