// PostgreSQL from npm, on a data folder that starts as a new Supabase project.
import { dirname, join } from "node:path";
import { StartupError } from "./startup_error.ts";
import { readOptionalText, undefinedIfMissing } from "./optional_file.ts";
import { run } from "./postgres/run.ts";
import { startServer } from "./postgres/server.ts";
import { serverFolder } from "./postgres/server_folder.ts";
import { templateFolder } from "./postgres/template.ts";
import { unprivileged } from "./postgres/unprivileged.ts";
import { freePort } from "./ports.ts";

export { freePort } from "./ports.ts";

export interface Postgres {
  port: number;
  pid: number;
  /** How `user` connects to `database`. */
  url(user?: string, database?: string): string;
  /** Resolves when the server has ended; with the reason as a sentence, unless it was asked to and had no trouble. */
  ended: Promise<string | undefined>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Holds what is built once: the server and the cluster that fresh data folders are copies of. */
  cache: string;
  /** Made when it is not there. */
  dataDir: string;
  /** A free one without it. */
  port?: number;
  /** What is committed survives a crash of the machine; false for what is thrown away anyway. */
  durable?: boolean;
}

/** Of the npm package, and of hosted projects. */
const VERSION = "17";

export async function startPostgres({ cache, dataDir, port = freePort(), durable = false }: PostgresOptions) {
  const folder = await serverFolder(cache);
  const version = await versionIn(dataDir);
  if (version === undefined) await copyTemplate(await templateFolder(cache, folder));
  else if (version !== VERSION) {
    throw new StartupError(
      `${dataDir} was made by PostgreSQL ${version}, and this stack runs ${VERSION}: move it away, or npm run db:reset starts over.`,
    );
  }
  const { pid, ended, stop } = await startServer({ folder, dataDir, port, durable });
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

/** Of the server that made the data folder; undefined when there is none yet. */
async function versionIn(dataDir: string): Promise<string | undefined> {
  const found = await readOptionalText(join(dataDir, "PG_VERSION"));
  if (found !== undefined) return found.trim();
  const entries = await Array.fromAsync(Deno.readDir(dataDir)).catch(undefinedIfMissing);
  if (entries?.length) {
    throw new StartupError(
      `${dataDir} holds files that are not PostgreSQL's: move that folder away, then start again.`,
    );
  }
}
