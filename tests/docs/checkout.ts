// What tests of documents share: a checkout in which their commands run.
import { join } from "node:path";
import { makeScratchFolder } from "../../local/host/scratch_folder.ts";
import { repository } from "../../local/host/project.ts";
import { copySource } from "../source_files.ts";

/** A checkout beside this one: npm run finds its own .data/ there, and the commands write nothing into this one. */
export async function checkout() {
  const folder = await makeScratchFolder("castbase-checkout-");
  for (const name of ["functions", "node_modules", "package.json", "scripts", "supabase", "types"]) {
    await Deno.symlink(join(repository, name), join(folder, name));
  }
  await Deno.copyFile(join(repository, "deno.json"), join(folder, "deno.json"));
  await copySource("local", join(folder, "local")); // Node resolves links of its entry point
  return { folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

/** Whether the machine has curl, with which documents call the stack. */
export const hasCurl = await new Deno.Command("curl", { args: ["--version"], stdout: "null" }).output()
  .then(({ success }) => success, () => false);
if (!hasCurl) console.error("Documented calls are not run: curl is not installed.");
