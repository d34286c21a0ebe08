// Databases with the project's schema: the test command replays the migrations once. Its tests copy the database of one
// shared server, or the cluster for a server of their own.
import { dirname, join } from "node:path";
import { migrate } from "../local/database/migrations.ts";
import { makeScratchFolder } from "../local/host/scratch_folder.ts";
import { buildOnce, exists } from "../local/postgres/build_once.ts";
import type postgres from "postgres";
import { connected } from "../local/postgres/client.ts";
import { run } from "../local/postgres/run.ts";
import { startPostgres } from "../local/postgres/start_postgres.ts";
import { projectPaths } from "../local/host/project.ts";

export interface ProjectDatabase extends AsyncDisposable {
  url: string;
}

export interface ProjectServer extends ProjectDatabase {
  /** The postmaster's process. */
  pid: number;
}

/** A database that tests copy: the project's, filled once more. */
export interface Template {
  name: string;
  fill(url: string): Promise<void>;
}

const paths = projectPaths(), { cache } = paths;
/** The environment variable with the folder of the cluster that tests copy. */
const SHARED = "CASTBASE_TEST_CLUSTER";
/** That with the port of the server whose database they copy. */
const PORT = "CASTBASE_TEST_POSTGRES";
/** Four test files run at once, with up to 50 connections each. */
const MAX_CONNECTIONS = 400;

/** Lets the tests of a command copy one cluster, `folder`/cluster, which the first of them builds if it is missing. */
export async function shareProjectCluster(): Promise<AsyncDisposable & { folder: string }> {
  const folder = await makeScratchFolder();
  Deno.env.set(SHARED, folder);
  return { folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

/** Starts the server on which tests create databases. */
export async function shareProjectServer(): Promise<AsyncDisposable> {
  const server = await startProjectServer(MAX_CONNECTIONS);
  Deno.env.set(PORT, new URL(server.url).port);
  return server;
}

/** Copies the shared cluster to a data folder of Postgres, unless there is one, or none is shared. */
export async function copyProjectCluster(dataDir: string): Promise<void> {
  const shared = Deno.env.get(SHARED);
  if (!shared || await exists(dataDir)) return;
  const cluster = await buildOnce(shared, "cluster", async (folder) => {
    const pg = await startPostgres({ cache, dataDir: join(folder, "data") });
    await migrate(pg.url(), paths).finally(pg.stop);
  });
  await Deno.mkdir(dirname(dataDir), { recursive: true });
  await run("cp", ["-a", join(cluster, "data"), dataDir]);
}

/**
 * Creates a database with the schema that the migrations create, or a copy of `template`, on the shared server; without
 * one, on a server of its own. Roles and pg_stat_activity are the server's: filter by `current_database()`.
 */
export async function createProjectDatabase(template?: Template): Promise<ProjectDatabase> {
  const port = Deno.env.get(PORT);
  if (!port) {
    const server = await startProjectServer();
    await template?.fill(server.url);
    return server;
  }
  const urlOf = (user: string, database: string) => `postgresql://${user}:postgres@127.0.0.1:${port}/${database}`;
  // template1, because a database with connections cannot be copied; supabase_admin owns what it copies
  const maintain = <T>(work: (sql: postgres.Sql) => Promise<T>) =>
    connected(urlOf("supabase_admin", "template1"), work);
  const name = `test_${crypto.randomUUID()}`;
  await maintain(async (sql) => {
    const copy = async (from: string, to: string) => {
      await sql`create database ${sql(to)} template ${sql(from)} strategy file_copy`; // half as long
      await sql`grant all on database ${sql(to)} to postgres`; // as in a new project
    };
    if (template) {
      await sql`select pg_advisory_lock(hashtextextended(${template.name}, 0))`; // ends with the connection
      const [filled] = await sql`select from pg_database where datname = ${template.name}`;
      if (!filled) {
        const unfinished = `${template.name}_unfinished`;
        await sql`drop database if exists ${sql(unfinished)} with (force)`;
        await copy("postgres", unfinished);
        await template.fill(urlOf("postgres", unfinished));
        await sql`alter database ${sql(unfinished)} rename to ${sql(template.name)}`;
      }
      await sql`select pg_advisory_unlock_all()`;
    }
    await copy(template?.name ?? "postgres", name);
  });
  return {
    url: urlOf("postgres", name),
    [Symbol.asyncDispose]: () => maintain(async (sql) => void await sql`drop database ${sql(name)} with (force)`),
  };
}

/** Starts a server whose database has that schema, for tests that stop the server or change it as a whole. */
export async function startProjectServer(maxConnections?: number): Promise<ProjectServer> {
  const folder = await makeScratchFolder(), dataDir = join(folder, "pg");
  const removeFolder = () => Deno.remove(folder, { recursive: true });
  try {
    await copyProjectCluster(dataDir);
    const { url, pid, stop } = await startPostgres({ cache, dataDir, maxConnections });
    await migrate(url(), paths).catch(async (error) => { // none is missing in a copy
      await stop();
      throw error;
    });
    return {
      url: url(),
      pid,
      async [Symbol.asyncDispose]() {
        await stop();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}
