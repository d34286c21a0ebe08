// A cluster with the state of a new Supabase project, built once and copied into every fresh data folder.
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import postgres from "./client.ts";
import { freePort } from "../host/ports.ts";
import { buildOnce } from "./build_once.ts";
import { run } from "./run.ts";
import { startServer } from "./server.ts";
import { ownExtensionFiles } from "./server_folder.ts";
import { serverUser, unprivileged } from "./unprivileged.ts";

const bootstrap = join(import.meta.dirname!, "bootstrap");
const DAY = 24 * 60 * 60 * 1000;

interface SqlFile {
  name: string;
  text: string;
}

/** Returns the data folder to copy. It is rebuilt if the bootstrap, an extension or the server changes. */
export async function templateFolder(cache: string, server: string): Promise<string> {
  const files = await bootstrapFiles();
  const key = createHash("sha256").update(JSON.stringify([basename(server), files, await ownExtensionFiles()])).digest(
    "hex",
  );
  // The server must own its data, so that users cannot share a folder
  const owner = serverUser?.uid ?? Deno.uid();
  const folder = await buildOnce(cache, `cluster-${key.slice(0, 16)}-${owner}`, async (unfinished) => {
    await deleteOldClusters(cache);
    const dataDir = join(unfinished, "data");
    await initialize(server, dataDir);
    const port = freePort();
    const running = await startServer({ folder: server, dataDir, port, durable: false, maxConnections: 100 });
    try {
      await createProject(port, files);
    } finally {
      await running.stop();
    }
  });
  return join(folder, "data");
}

async function initialize(server: string, dataDir: string) {
  await Deno.mkdir(dataDir, { mode: 0o700 });
  if (serverUser) await Deno.chown(dataDir, serverUser.uid, serverUser.gid);
  const options = ["-U", "supabase_admin", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"];
  const { program, args, ...as } = await unprivileged(join(server, "bin/initdb"), ["-D", dataDir, ...options], {
    paths: [server, dataDir],
  });
  await run(program, args, { ...as, cwd: "/" });
}

/** Makes template1 a new project, so that `create database` creates projects. */
async function createProject(port: number, files: SqlFile[]) {
  const sql = postgres(`postgresql://supabase_admin@127.0.0.1:${port}/template1`, {
    max: 1,
    onnotice: () => {},
    fetch_types: false,
  });
  try {
    for (const { name, text } of files) {
      await sql.unsafe(text).simple().catch((error) => {
        throw new Error(`local/postgres/bootstrap/${name}: ${error.message}`, { cause: error });
      });
    }
    await sql`drop database postgres`;
    await sql`create database postgres`;
    await sql`grant all on database postgres to postgres`;
  } finally {
    await sql.end();
  }
}

async function bootstrapFiles(): Promise<SqlFile[]> {
  const names = [...Deno.readDirSync(bootstrap)].map((entry) => entry.name).sort();
  return await Promise.all(names.map(async (name) => ({ name, text: await Deno.readTextFile(join(bootstrap, name)) })));
}

/** Deletes clusters of 50 MB each after a day without use. */
async function deleteOldClusters(cache: string) {
  for await (const { name } of Deno.readDir(cache)) {
    if (!name.startsWith("cluster-") || name.endsWith(".unfinished")) continue;
    const { mtime } = await Deno.stat(join(cache, name));
    if (Date.now() - Number(mtime) > DAY) await Deno.remove(join(cache, name), { recursive: true });
  }
}
