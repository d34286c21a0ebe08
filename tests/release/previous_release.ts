// The previous release in a folder of its own, with the migrations that came after it: its functions and its tests must
// work with the new schema, because a deployment applies migrations before it replaces functions.
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";

const MIGRATIONS = "supabase/migrations";

/** They compare every column of a table with a list, so each new column fails them. */
const LISTS = ["tests/sql/90_feeds/public_changes.test.sql"];

/**
 * What tells whether callers of a release still get what they got: its routes and pages, the tables and functions that
 * front ends reach, and the rules of its public functions. Not its lists of the whole catalog (_shape), which grow.
 */
export function testsOf(folder: string): string[] {
  const namesIn = (path: string) =>
    [...Deno.readDirSync(join(folder, path))].map(({ name }) => `${path}/${name}`).sort();
  const domains = namesIn("tests/sql").filter((path) => /\/[1-9]\d_\w+$/.test(path));
  const rules = domains.flatMap(namesIn).filter((path) => !LISTS.includes(path));
  return ["tests/http/api", "tests/http/public", "tests/http/tables", ...rules];
}

/** Writes the files of a commit into an empty folder. */
export async function exportCommit(commit: string, folder: string, from = repository) {
  const archive = join(folder, "release.tar");
  await run(from, "git", "archive", "--output", archive, commit);
  await run(folder, "tar", "-xf", archive);
  await Deno.remove(archive);
}

/** Adds migrations to the files of a release, and installs its packages. */
export async function prepareRelease(folder: string, migrations: string[]) {
  for (const file of migrations) await Deno.copyFile(file, join(folder, MIGRATIONS, file.split("/").at(-1)!));
  const lock = (folder: string) => Deno.readTextFile(join(folder, "package-lock.json"));
  if (await lock(folder) === await lock(repository)) {
    await Deno.symlink(join(repository, "node_modules"), join(folder, "node_modules"));
    await run(folder, "npm", "run", "-s", "build");
  } else {
    await run(folder, "npm", "ci", "--no-audit", "--no-fund"); // builds too
  }
  await Deno.mkdir(join(folder, ".cache"));
  for await (const { name, isDirectory } of Deno.readDir(join(repository, ".cache"))) {
    if (!isDirectory || name.startsWith("cluster-")) continue; // the programs; a cluster has what config.toml says
    await Deno.symlink(join(repository, ".cache", name), join(folder, ".cache", name));
  }
}

/** Runs tests of the release in its folder, on servers of its own. Returns whether they pass, and what they print. */
export async function runItsTests(folder: string, tests: string[]): Promise<{ passes: boolean; output: string }> {
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("CASTBASE_"));
  const { success, stdout, stderr } = await new Deno.Command("node", {
    args: ["local/deno.mjs", "tests/run.ts", ...tests],
    cwd: folder,
    clearEnv: true,
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1" },
    stdin: "null",
  }).output();
  return { passes: success, output: [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("") };
}

async function run(cwd: string, command: string, ...args: string[]) {
  const { success, stderr } = await new Deno.Command(command, { args, cwd, stdin: "null" }).output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed: ${new TextDecoder().decode(stderr).trim()}`);
}
