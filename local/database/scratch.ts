// A temporary Postgres server for one command. Each database in it starts as a fresh Supabase project.
import { join } from "node:path";
import { connect } from "../postgres/client.ts";
import { startPostgres } from "../postgres/start_postgres.ts";
import { projectPaths } from "../host/project.ts";
import { makeScratchFolder } from "../host/scratch_folder.ts";

export interface Scratch extends AsyncDisposable {
  /** Creates a database as a fresh project, or as a copy of `template`. Returns its URL. */
  create(database: string, template?: string): Promise<string>;
  /** Removes a database, and ends its connections. */
  drop(database: string): Promise<void>;
  /** The postmaster's process. */
  pid: number;
}

/** `cache` holds the server; by default the project's. */
export async function startScratch(cache = projectPaths().cache): Promise<Scratch> {
  const folder = await makeScratchFolder();
  const pg = await startPostgres({ cache, dataDir: join(folder, "pg") });
  await stopAutovacuum(pg.url("supabase_admin"));
  const maintenance = connect(pg.url());
  return {
    pid: pg.pid,
    async create(database, template = "template1") {
      await maintenance.unsafe(`create database "${database}" template "${template}"`);
      return pg.url("postgres", database);
    },
    async drop(database) {
      await maintenance.unsafe(`drop database if exists "${database}" with (force)`);
    },
    async [Symbol.asyncDispose]() {
      await maintenance.end({ timeout: 1 });
      await pg.stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** A plan would depend on whether autovacuum has seen a table that tests write to and roll back. */
async function stopAutovacuum(url: string) {
  const admin = connect(url);
  await admin`alter system set autovacuum = off`;
  await admin`select pg_reload_conf()`;
  await admin.end();
}
