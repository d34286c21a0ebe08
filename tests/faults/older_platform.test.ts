// The product in a database as older projects have it: the default privileges of its schema public grant everything to
// the API roles, and pgmq is the platform's version.
import { deepStrictEqual as deepEqual, match, ok } from "node:assert";
import { join } from "node:path";
import { startScratch } from "../../local/database/scratch.ts";
import { projectPaths } from "../../local/host/project.ts";
import { serverFolder } from "../../local/postgres/server_folder.ts";
import { connectTo } from "../database.ts";
import { runPgtap } from "../pgtap.ts";
import { folderOfFile } from "../temporary_folder.ts";

const VERSION = "1.5.1";
/** pgmq-extension/sql/pgmq.sql of https://github.com/pgmq/pgmq at this version's tag, which no package has. */
const pgmqSql = Deno.env.get("PGMQ_SQL");

/** For the databases that the server creates from now on. */
async function grantByDefault(url: string) {
  const sql = connectTo(url, 1, { username: "supabase_admin", database: "template1" });
  for (const kind of ["tables", "functions", "sequences"]) {
    await sql.unsafe(`alter default privileges for role postgres in schema public
      grant all on ${kind} to anon, authenticated, service_role`);
  }
  await sql.end();
}

const options = { sanitizeOps: false, sanitizeResources: false };

/** Runs all pgTAP files on a server with this cache. */
async function assertPasses(cache: string | undefined, version: RegExp) {
  await using scratch = await startScratch(cache);
  await grantByDefault(await scratch.create("first"));
  const { passed, failures } = await runPgtap({ scratch });
  deepEqual(failures, []);
  ok(passed > 5000);
  const sql = connectTo(await scratch.create("migrated", "tests"), 1);
  const [{ extversion }] = await sql`select extversion from pg_extension where extname = 'pgmq'`;
  match(extversion, version);
  const undeclared = await sql`
    select * from private.api_grants where grantee is not null and name !~ '^tests' except select * from private.declared_grants()`;
  deepEqual([...undeclared], []);
  await sql.end();
}

Deno.test({
  name: "every pgTAP file passes in a database with the platform's earlier default privileges",
  ...options,
  fn: () => assertPasses(undefined, /./),
});

Deno.test({
  name: `every pgTAP file passes there with pgmq ${VERSION}` +
    (pgmqSql ? "" : ` (set PGMQ_SQL to the path of pgmq's own SQL, version ${VERSION})`),
  ignore: !pgmqSql,
  ...options,
  async fn() {
    const cache = await folderOfFile("castbase-older-");
    const server = await serverFolder(projectPaths().cache), copy = join(cache, server.split("/").at(-1)!);
    await new Deno.Command("cp", { args: ["-a", server, copy] }).output();
    const extensions = join(copy, "share/postgresql/extension"), control = join(extensions, "pgmq.control");
    await Deno.copyFile(pgmqSql!, join(extensions, `pgmq--${VERSION}.sql`));
    const text = await Deno.readTextFile(control);
    await Deno.writeTextFile(control, text.replace(/default_version.*/, `default_version = '${VERSION}'`));
    await assertPasses(cache, /^1\.5\.1$/);
  },
});
