// The statements of pg_cron that run the frequent jobs, as pg_cron sends them.
import { deepStrictEqual as deepEqual, rejects } from "node:assert";
import { connectTo } from "../database.ts";
import { createProjectDatabase } from "../project_cluster.ts";

Deno.test("a tick runs each frequent job in a transaction of its own, also beside one that fails", async () => {
  await using database = await createProjectDatabase();
  const sql = connectTo(database.url, 1);
  const tick = async (job: string) => {
    const [{ command }] = await sql`select command from cron.job where jobname = ${job}`;
    await sql.unsafe(command).simple();
  };
  const outcomes = () =>
    sql`select name, last_run_at as at, last_error as error from private.frequent_jobs order by name`;
  for (const job of ["run_jobs_of_seconds", "run_jobs_of_minutes"]) await tick(job);
  const first = await outcomes();
  deepEqual(first.filter(({ at, error }) => at === null || error !== null), []);

  await sql`
    create or replace function private.enqueue_due_deliveries(
      at timestamptz default clock_timestamp(), max_deliveries int default null) returns int
    language sql set search_path = '' as 'select 1 / 0'`;
  await sql`update private.frequent_jobs set last_run_at = last_run_at - interval '1 minute'`;
  await rejects(tick("run_jobs_of_seconds"), { code: "PT500", message: "enqueue_due_deliveries: division by zero" });
  const second = await outcomes();
  deepEqual(
    second.filter(({ error }) => error).map(({ name }) => name),
    ["enqueue_due_deliveries"],
  );
  const periods = await sql`select name from private.frequent_jobs where period < interval '1 minute' order by name`;
  const later = second.filter(({ at }, n) => at > first[n].at).map(({ name }) => name);
  deepEqual(later, periods.map(({ name }) => name), "the jobs after the failed one have run");
  await sql.end({ timeout: 1 });
});
