// Python programs that tests use, each in a virtual environment below .cache.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";

async function runs(command: string, ...args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(command, { args, stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false; // not installed
  }
}

interface PythonPackages {
  /** Whether the packages can be imported. */
  isInstalled: boolean;
  /** Why not, for the title of a test. */
  missing: string;
  /** The folder of the programs: python and those of the packages. */
  bin: string;
}

/** Installs packages once, with these modules; an interrupted installation is repeated. */
export async function pythonPackages(name: string, packages: string[], modules: string[]): Promise<PythonPackages> {
  const folder = join(repository, ".cache", name), bin = join(folder, "bin"), python = join(bin, "python");
  const isInstalled = existsSync(python) && await runs(python, "-c", `import ${modules.join(", ")}`) ||
    await runs("python3", "-m", "venv", folder) && await runs(python, "-m", "pip", "install", ...packages);
  const missing = isInstalled
    ? ""
    : " (python3 -m venv and pip do not run: no network, or apt-get install python3-venv)";
  return { isInstalled, missing, bin };
}
