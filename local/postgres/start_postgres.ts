// PostgreSQL from npm on a data folder, which starts as a new Supabase project.
import { dirname, join } from "node:path";
import { StartupError } from "../host/startup_error.ts";
import { readOptionalText, undefinedIfMissing } from "../host/optional_file.ts";
import { run } from "./run.ts";
import { startServer } from "./server.ts";
import { serverFolder } from "./server_folder.ts";
import { templateFolder } from "./template.ts";
import { unprivileged } from "./unprivileged.ts";
import { freePort } from "../host/ports.ts";

export { freePort } from "../host/ports.ts";

interface Postgres {
  port: number;
  pid: number;
  /** The URL for a user and a database. */
  url(user?: string, database?: string): string;
  /** Resolves when the server has ended: with the reason as a message, unless `stop` ended it. */
  ended: Promise<string | undefined>;
  stop(): Promise<void>;
}

interface PostgresOptions {
  /** Holds the server and the cluster that data folders are copied from. */
  cache: string;
  /** Created if it does not exist. */
  dataDir: string;
  /** By default a free port. */
  port?: number;
  /** Commits survive a crash of the machine. */
  durable?: boolean;
  /** By default 100. */
  maxConnections?: number;
}

/** The major version of the npm package and of hosted projects. */
const VERSION = "17";

export async function startPostgres(
  { cache, dataDir, port = freePort(), durable = false, maxConnections = 100 }: PostgresOptions,
) {
  const folder = await serverFolder(cache);
  const version = await versionIn(dataDir);
  if (version === undefined) await copyTemplate(await templateFolder(cache, folder));
  else if (version !== VERSION) {
    throw new StartupError(
      `${dataDir} was created by PostgreSQL ${version}, and this stack runs ${VERSION}. Move it away, or run npm run db:reset.`,
    );
  }
  const { pid, ended, stop } = await startServer({ folder, dataDir, port, durable, maxConnections });
  const url = (user = "postgres", database = "postgres") =>
    `postgresql://${user}:postgres@127.0.0.1:${port}/${database}`;
  return { port, pid, url, ended, stop } satisfies Postgres;

  async function copyTemplate(template: string) {
    await Deno.mkdir(dirname(dataDir), { recursive: true });
    const unfinished = `${dataDir}.unfinished`;
    await run("rm", ["-rf", unfinished]);
    await run("cp", ["-a", template, unfinished]);
    if (durable) await syncToDisk(unfinished);
    await Deno.rename(unfinished, dataDir);
  }

  async function syncToDisk(copy: string) {
    const initdb = join(folder, "bin/initdb");
    const { program, args, ...as } = await unprivileged(initdb, ["--sync-only", "-D", copy], { paths: [folder, copy] });
    await run(program, args, { ...as, cwd: "/" });
  }
}

export interface LastingPostgres extends Omit<Postgres, "pid"> {
  /** Resolves as `ended`, when the server has ended for the first time. */
  hasEndedOnce: Promise<string | undefined>;
}

/** Starts the server of a stack, and once more if it ends by itself; `ended` is the second end. */
export async function startLastingPostgres(options: PostgresOptions): Promise<LastingPostgres> {
  const first = await startPostgres(options);
  let server: Promise<Postgres> = Promise.resolve(first);
  return {
    ...first,
    hasEndedOnce: first.ended,
    ended: restartOnce(),
    stop: async () => await (await server.catch(() => undefined))?.stop(),
  };

  async function restartOnce(): Promise<string | undefined> {
    const reason = await first.ended;
    if (reason === undefined) return;
    const log = `${options.dataDir}.log`;
    await Deno.rename(log, `${log}.1`).catch(undefinedIfMissing);
    console.error(`${reason} It restarts once; its last log is ${log}.1.`);
    server = startPostgres({ ...options, port: first.port });
    try {
      return await (await server).ended;
    } catch (error) {
      if (error instanceof StartupError) return error.message;
      throw error;
    }
  }
}

/** The version of the server that created the data folder; undefined if the folder does not exist. */
async function versionIn(dataDir: string): Promise<string | undefined> {
  const found = await readOptionalText(join(dataDir, "PG_VERSION"));
  if (found !== undefined) return found.trim();
  const entries = await Array.fromAsync(Deno.readDir(dataDir)).catch(undefinedIfMissing);
  if (entries?.length) {
    throw new StartupError(
      `${dataDir} is not a folder of PostgreSQL. Move it away, then start again.`,
    );
  }
}
