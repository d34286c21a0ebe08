// Builds what the functions import, and checks that everything they need is there.
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { requireSuccess, run, script } from "../commands.ts";
import type { DeclaredFunctions } from "../configuration.ts";
import type { Deployment } from "../deployment.ts";
import { failureOf } from "../failure.ts";
import { withoutSecrets } from "../secrets.ts";
import { root } from "../target.ts";

/** The CLI would upload a function without a file that is missing, and exit with 0. */
export async function build({ target, report }: Deployment, functions: DeclaredFunctions): Promise<void> {
  const env = withoutSecrets(target.env); // packages run in it
  requireSuccess(await script({ env }, "scripts/build_browser.ts"));
  const problems: string[] = [], files = new Set<string>();
  for (const { name, entrypoint, files: others } of functions) {
    const { stdout } = requireSuccess(await run(Deno.execPath(), ["info", "--json", entrypoint], env));
    const modules = (JSON.parse(stdout).modules as { specifier: string }[])
      .filter(({ specifier }) => specifier.startsWith("file:"))
      .map(({ specifier }) => relative(root, fileURLToPath(specifier)));
    for (const file of [...modules, ...others]) {
      if (file.startsWith("..") || file.startsWith("node_modules")) continue; // a package, through a link
      files.add(file);
      const size = await Deno.stat(join(root, file)).then((found) => found.size, () => undefined);
      if (!size) problems.push(`${file} of the function ${name} ${size === 0 ? "is empty" : "is missing"}.`);
    }
  }
  if (problems.length) throw failureOf("The functions cannot be deployed:", problems);
  report(`${files.size} files of ${functions.length} functions`);
}
