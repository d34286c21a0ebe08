// Whether the migrations since the last release can be deployed while it serves: the release works with them until its
// functions are replaced, and none blocks a large table.
import { basename, join } from "node:path";
import { lastRelease, newMigrations, NO_RELEASE } from "../../local/database/release.ts";
import { migrate } from "../../local/database/migrations.ts";
import { startScratch } from "../../local/database/scratch.ts";
import { type ProjectPaths, projectPaths } from "../../local/host/project.ts";
import { makeScratchFolder } from "../../local/host/scratch_folder.ts";
import { fillDatabase, LARGE, type Size } from "./large_database.ts";
import { describeLock, type HeldLock, MAX_MS, measureLocks } from "./measure_locks.ts";
import { exportCommit, prepareRelease, runItsTests, testsOf } from "./previous_release.ts";

interface Options {
  project?: ProjectPaths;
  /** The tests of the last release that must pass. */
  tests?: string[];
  size?: Size;
  report?: (line: string) => void;
}

/** Returns what prevents a deployment. */
export async function checkRelease(
  { project = projectPaths(), tests, size = LARGE, report = console.log }: Options = {},
): Promise<string[]> {
  const release = await lastRelease(project);
  if (!release) {
    report(NO_RELEASE);
    return [];
  }
  const files = (await newMigrations(project, release)).map((file) => join(project.migrations, file));
  report(`${release.tag} and ${files.length} newer migrations${files.map((file) => `\n  ${basename(file)}`).join("")}`);
  if (!files.length) return [];
  const folder = await makeScratchFolder("castbase-release-");
  try {
    await exportCommit(release.tag, folder, project.folder);
    const locks = await measureOnLargeTables(projectPaths(folder), files, size);
    for (const { file, table, mode, ms } of locks) report(`${file}: ${mode} on ${table} for ${ms} ms`);
    await prepareRelease(folder, files);
    const { passes, output } = await runItsTests(folder, tests ?? testsOf(folder));
    report(output.trim().split("\n").at(-1)!);
    return [
      ...locks.filter(({ ms }) => ms > MAX_MS).map(describeLock),
      ...passes
        ? []
        : [`${release.tag} fails with the new migrations; keep what it uses for one release:\n${output.trim()}`],
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs the new migrations on a database with the schema of the release and many rows. */
async function measureOnLargeTables(release: ProjectPaths, files: string[], size: Size): Promise<HeldLock[]> {
  await using scratch = await startScratch();
  const url = await scratch.create("large");
  await migrate(url, release);
  await fillDatabase(url.replace("//postgres:", "//supabase_admin:"), size);
  return await measureLocks(url, files);
}
