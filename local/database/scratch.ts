// A Postgres of its own for the length of one command: every database in it starts as a fresh Supabase project, and
// nothing of it is left afterwards.
import { join, resolve } from "node:path";
import postgres from "postgres";
import { startPg } from "../postgres.ts";

/** The project's folder. */
export const root = resolve(import.meta.dirname!, "../..");

export interface Scratch extends AsyncDisposable {
  /** Makes a database that `postgres` owns, as a fresh project or as a copy of another one; answers its URL. */
  create(database: string, template?: string): Promise<string>;
}

export async function startScratch(): Promise<Scratch> {
  const folder = await Deno.makeTempDir({ prefix: "castbase-scratch-" });
  await Deno.chmod(folder, 0o755); // as root, the server runs as another user and must get in
  const pg = await startPg({ cache: join(root, ".cache"), dataDir: join(folder, "pg") });
  const url = (database: string, user: string) => pg.url(user).replace(/\/postgres$/, `/${database}`);
  await bootstrap(url("template1", "supabase_admin"));
  const maintenance = connect(url("postgres", "postgres"));
  return {
    async create(database, template = "template1") {
      await maintenance.unsafe(`create database "${database}" template "${template}"`);
      return url(database, "postgres");
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

/** template1 becomes what a new Supabase project is, so that each `create database` is one. */
async function bootstrap(url: string) {
  await connected(url, async (sql) => {
    if ((await sql`select from pg_namespace where nspname = 'storage'`).length) return;
    const folder = join(root, "local/bootstrap");
    for (const file of [...Deno.readDirSync(folder)].map((entry) => entry.name).sort()) {
      await sql.unsafe(await Deno.readTextFile(join(folder, file))).simple();
    }
  });
}
