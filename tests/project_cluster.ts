// Clusters with the project's schema: the test command replays the migrations once, and its tests copy the result.
import { dirname, join } from "node:path";
import { replayMigrations } from "../local/database/load.ts";
import { makeScratchFolder } from "../local/database/scratch.ts";
import { buildOnce, exists } from "../local/postgres/build_once.ts";
import { run } from "../local/postgres/run.ts";
import { startPostgres } from "../local/postgres/start_postgres.ts";
import { projectPaths } from "../local/host/project.ts";

export interface ProjectDatabase extends AsyncDisposable {
  url: string;
  /** The postmaster's process. */
  pid: number;
}

const { cache, migrations } = projectPaths();
/** The environment variable with the folder of the cluster that tests copy. */
const SHARED = "CASTBASE_TEST_CLUSTER";

/** Lets all tests of a command copy one cluster, which the first of them builds. */
export async function shareProjectCluster(): Promise<AsyncDisposable> {
  const folder = await makeScratchFolder();
  Deno.env.set(SHARED, folder);
  return { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

/** Copies the shared cluster to a data folder of Postgres, unless there is one, or none is shared. */
export async function copyProjectCluster(dataDir: string): Promise<void> {
  const shared = Deno.env.get(SHARED);
  if (!shared || await exists(dataDir)) return;
  const cluster = await buildOnce(shared, "cluster", async (folder) => {
    const pg = await startPostgres({ cache, dataDir: join(folder, "data") });
    await replayMigrations(pg.url(), migrations).finally(pg.stop);
  });
  await Deno.mkdir(dirname(dataDir), { recursive: true });
  await run("cp", ["-a", join(cluster, "data"), dataDir]);
}

/** Starts a server whose database has the schema that the migrations create. */
export async function startProjectDatabase(): Promise<ProjectDatabase> {
  const folder = await makeScratchFolder();
  const dataDir = join(folder, "pg");
  await copyProjectCluster(dataDir);
  const { url, pid, stop } = await startPostgres({ cache, dataDir });
  await replayMigrations(url(), migrations); // none is missing in a copy
  return {
    url: url(),
    pid,
    async [Symbol.asyncDispose]() {
      await stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
