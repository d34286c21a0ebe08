// A Postgres of its own for the length of one command: every database in it starts as a fresh Supabase sources, and
// nothing of it is left afterwards.
import { join } from "node:path";
import postgres from "postgres";
import { startPg } from "../postgres.ts";
import { repository } from "../project.ts";

export interface Scratch extends AsyncDisposable {
  /** Makes a database that `postgres` owns, as a fresh project or as a copy of another one; answers its URL. */
  create(database: string, template?: string): Promise<string>;
  /** The server's first process. */
  pid: number;
}

export async function startScratch(): Promise<Scratch> {
  const folder = await Deno.makeTempDir({ prefix: "castbase-scratch-" });
  await Deno.chmod(folder, 0o755); // as repository, the server runs as another user and must get in
  const pg = await startPg({ cache: join(repository, ".cache"), dataDir: join(folder, "pg") });
  const maintenance = connect(pg.url());
  return {
    pid: pg.pid,
    async create(database, template = "template1") {
      await maintenance.unsafe(`create database "${database}" template "${template}"`);
      return pg.url("postgres", database);
    },
    async [Symbol.asyncDispose]() {
      await maintenance.end({ timeout: 1 });
      await pg.stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** One connection that keeps notices to itself and leaves values as the text that Postgres sent. */
export function connect(url: string): postgres.Sql {
  return postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
}

/** Runs `work` on one connection to `url`. */
export async function connected<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = connect(url);
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
