// The functions through PgBouncer in transaction mode: all routes, and time limits that hold on the server.
import { deepStrictEqual as deepEqual, match, ok, strictEqual as equal } from "node:assert";
import { freePort } from "../../local/host/ports.ts";
import { repository } from "../../local/host/project.ts";
import { connectTo } from "../database.ts";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { startFunctions } from "../functions.ts";
import { createProjectDatabase } from "../project_cluster.ts";
import { startTestStack } from "../stack.ts";
import { waitFor } from "../wait_for.ts";
import { pgbouncer, startPgBouncer } from "./pgbouncer.ts";

const options = { ignore: pgbouncer.ignore, sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: `${pgbouncer.title}: Postgres ends statements of reads after 2 s, of the API after 8 s, of jobs after 60 s`,
  ...options,
  async fn() {
    await using database = await createProjectDatabase();
    await using pooler = await startPgBouncer(freePort(), database.url);
    const env = { ...UNREACHABLE_ENV, DATABASE_POOLER_URL: pooler.url };
    const { routeSql, serviceSql, startPublicReads } = await withEnvironment(
      env,
      () => import("../../functions/database/db.ts"),
    );
    const { closePool } = await import("../../functions/database/pool.ts");
    const sql = connectTo(database.url, 1);
    const isSleeping = async (name: string) => {
      const [{ count }] = await sql`
        select count(*)::int from pg_stat_activity
        where datname = current_database() and state = 'active' and query like ${`%pg_sleep(90) as ${name}%`}
          and pid <> pg_backend_pid()`;
      return count > 0;
    };
    const outcome = async (name: string, work: Promise<unknown>) => {
      const start = performance.now();
      const { message, status } = await work.then(() => ({ message: "", status: 200 }), (error) => error);
      const seconds = (performance.now() - start) / 1000;
      // the caller of a read and its statement have the same time
      await waitFor("Postgres has ended the statement", async () => !await isSleeping(name), 5);
      return { message, status, seconds };
    };
    const results = await Promise.all([
      outcome("read", startPublicReads().serviceSql`select pg_sleep(90) as read`),
      outcome("route", routeSql`select pg_sleep(90) as route`),
      outcome("job", serviceSql`select pg_sleep(90) as job`),
    ]);
    for (const { message, status } of results) deepEqual([message, status], ["The database timed out", 503]);
    [2, 8, 60].forEach((limit, n) => ok(results[n].seconds > limit - 0.1 && results[n].seconds < limit + 10));

    const [limits] = await serviceSql<{ time: string }[]>`select current_setting('transaction_timeout') as time`;
    deepEqual(limits.time, "1min", "the pool works after the timeouts");
    await closePool();
    await sql.end({ timeout: 1 });
  },
});

Deno.test({
  name: `${pgbouncer.title}: connections are encrypted where the pooler demands it, and its certificate is verified`,
  ...options,
  async fn() {
    await using at = await startTestStack();
    await using pooler = await startPgBouncer(freePort(), at.dbUrl, { tls: "require" });
    const pages = async (changes: Record<string, string>) => {
      await using functions = await startFunctions(at, { DATABASE_POOLER_URL: pooler.url, ...changes });
      const statuses = await Promise.all(Array.from({ length: 40 }, async (_, n) => {
        const response = await fetch(`${functions.url}/${n % 2 ? "api/health/ready" : "public/v1/podcasts/none"}`);
        await response.body?.cancel();
        return response.status;
      }));
      return [...new Set(statuses)].sort();
    };
    deepEqual(await pages({ DATABASE_CA: pooler.certificate }), [200, 404]);
    deepEqual(await pages({}), [503], "without TLS");
    const { stdout } = await new Deno.Command("openssl", {
      args: ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Other", "-keyout", "/dev/null"],
      stderr: "null",
    }).output();
    deepEqual(await pages({ DATABASE_CA: new TextDecoder().decode(stdout) }), [503], "of another authority");
  },
});

Deno.test({
  name: `${pgbouncer.title}: a change of the password interrupts nothing while the functions know both`,
  ...options,
  async fn() {
    await using at = await startTestStack();
    const port = freePort(), url = (password: string) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    await using functions = await startFunctions(at, {
      DATABASE_POOLER_URL: url("postgres"),
      DATABASE_FALLBACK_URL: url("new"),
    });
    const isReady = async () => {
      const response = await fetch(`${functions.url}/api/health/ready`);
      await response.body?.cancel();
      return response.status;
    };
    {
      await using _before = await startPgBouncer(port, at.dbUrl);
      equal(await isReady(), 200);
    }
    await using _after = await startPgBouncer(port, at.dbUrl, { password: "new" });
    for (let times = 0; times < 3; times++) equal(await isReady(), 200);
  },
});

Deno.test({
  name: `${pgbouncer.title}: the tests of all routes, pages and tables pass`,
  ...options,
  async fn() {
    const port = freePort(), poolerUrl = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
    await using stack = await startTestStack({ functionsEnv: { DATABASE_POOLER_URL: poolerUrl } });
    await using _pooler = await startPgBouncer(port, stack.dbUrl);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "--allow-all", "--no-check", "--parallel", "tests/http"],
      cwd: repository,
      env: { CASTBASE_TEST_STACK: JSON.stringify({ ...stack, poolerUrl }), DENO_JOBS: "4", NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).output();
    const report = new TextDecoder().decode(stdout);
    match(report.slice(-200), /^ok \| \d+ passed/m, report.slice(report.indexOf("\n ERRORS")).slice(0, 20_000));
  },
});
