import { deepStrictEqual as equal, match, ok, rejects } from "node:assert";
import { startCron } from "../../../local/extensions/cron.ts";
import { startProjectServer } from "../../project_cluster.ts";
import { stack } from "../../stack.ts";
import { asPostgres } from "../../database.ts";
import { waitFor } from "../../wait_for.ts";

const server = await stack();

/** A table to write to and a job's name, both deleted at the end of the scope, and the extension. */
async function workshop() {
  const sql = asPostgres(server);
  const name = "sv_" + crypto.randomUUID().replaceAll("-", "").slice(0, 12);
  await sql.unsafe(`create extension if not exists pg_cron;
    create table ${name} (at timestamptz not null default clock_timestamp(), message text)`).simple();
  return {
    sql,
    name,
    messages: async () => (await sql`select message from ${sql(name)} order by at`).map((row) => row.message as string),
    runs: () => sql`select d.* from cron.job_run_details d where command like ${`%${name}%`} order by runid`,
    async [Symbol.asyncDispose]() {
      await sql`select cron.unschedule(jobid) from cron.job where jobname like ${name + "%"}`;
      await sql.unsafe(`drop table if exists ${name}`);
      await sql[Symbol.asyncDispose]();
    },
  };
}

// Scheduled first and checked last: its minute passes while the other tests run
const byTheMinute = await workshop();
await byTheMinute
  .sql`select cron.schedule(${byTheMinute.name}, '* * * * *', ${`insert into ${byTheMinute.name} (message) values ('on time')`})`;

Deno.test("an interval job runs as its user, and its runs are recorded", async () => {
  await using work = await workshop();
  const { sql, name } = work;
  await sql`select cron.schedule(${name}, '1 second', ${`insert into ${name} (message) values (current_user)`})`;
  await waitFor("two runs", async () => (await work.messages()).length >= 2);
  const run = await waitFor("the record", async () => (await work.runs()).find((run) => run.status === "succeeded"));
  equal([run.username, run.database, run.return_message], ["postgres", "postgres", "INSERT 0 1"]);
  ok(run.job_pid > 0 && run.end_time >= run.start_time);
  equal(new Set(await work.messages()), new Set(["postgres"]));
});

Deno.test("schedules match the minutes of Vixie cron", async () => {
  await using work = await workshop();
  const due = async (schedule: string, at: string) =>
    (await work.sql`select cron._due(${schedule}, ${at}::timestamptz) as due`)[0].due;
  for (
    const [schedule, yes, no] of [
      ["30 4 * * *", "2026-11-21 04:30Z", "2026-11-21 04:31Z"],
      ["*/15 * * * *", "2026-11-21 04:45Z", "2026-11-21 04:50Z"],
      ["10-20/5 * * * *", "2026-11-21 04:15Z", "2026-11-21 04:25Z"],
      ["0 0 1 jan,Jul *", "2026-07-01 00:00Z", "2026-06-01 00:00Z"],
      ["0 0 $ * *", "2028-02-29 00:00Z", "2028-02-28 00:00Z"],
      ["0 0 13 * fri", "2026-11-20 00:00Z", "2026-11-21 00:00Z"],
      ["0 0 13 * 5", "2026-11-13 00:00Z", "2026-11-14 00:00Z"],
      ["0 0 */2 * fri", "2026-11-27 00:00Z", "2026-11-20 00:00Z"],
      ["0 0 * * 7", "2026-11-22 00:00Z", "2026-11-21 00:00Z"],
      ["@hourly", "2026-11-21 07:00Z", "2026-11-21 07:01Z"],
      ["@weekly", "2026-11-22 00:00Z", "2026-11-21 00:00Z"],
      ["@monthly", "2026-12-01 00:00Z", "2026-11-21 00:00Z"],
      ["@yearly", "2027-01-01 00:00Z", "2027-02-01 00:00Z"],
    ]
  ) {
    equal([schedule, yes, await due(schedule, yes)], [schedule, yes, true]);
    equal([schedule, no, await due(schedule, no)], [schedule, no, false]);
  }
});

Deno.test("an invalid schedule fails with pg_cron's message", async () => {
  await using work = await workshop();
  for (
    const schedule of [
      "",
      "x",
      "* * * *",
      "60 * * * *",
      "1/20 * * * *",
      "0 0 0 * *",
      "60 seconds",
      "0 seconds",
      "@every",
    ]
  ) {
    const error = await work.sql`select cron.schedule(${work.name}, ${schedule}, 'select 1')`.then(
      () => undefined,
      (error) => error,
    );
    equal([schedule, error?.message, error?.code, error?.hint], [
      schedule,
      `invalid schedule: ${schedule}`,
      "22023",
      "Use cron format (e.g. 5 4 * * *), or interval format '[1-59] seconds'",
    ]);
  }
});

Deno.test("scheduling a name again changes the job and keeps its id and state", async () => {
  await using work = await workshop();
  const { sql, name } = work;
  const [{ schedule: id }] = await sql`select cron.schedule(${name}, '@yearly', 'select 1')`;
  await sql`select cron.alter_job(${id}, active := false)`;
  equal((await sql`select cron.schedule(${name}, '@monthly', 'select 2')`)[0].schedule, id);
  equal([...await sql`select jobid, schedule, command, active, username from cron.job where jobname = ${name}`], [
    { jobid: id, schedule: "@monthly", command: "select 2", active: false, username: "postgres" },
  ]);
  equal((await sql`select cron.unschedule(${name})`)[0].unschedule, true);
  await rejects(sql`select cron.unschedule(${name})`, { message: `could not find valid entry for job '${name}'` });
  await rejects(sql`select cron.unschedule(0)`, { message: "could not find valid entry for job 0" });
  await rejects(sql`select cron.alter_job(0, active := true)`, { message: "Job 0 does not exist or you don't own it" });
  await rejects(sql`select cron.schedule(null, '@daily', 'select 1')`, { message: "job_name can not be NULL" });
});

Deno.test("a cron job changes only through the functions of pg_cron and by its owner", async () => {
  await using work = await workshop();
  await using admin = asPostgres(server, { username: "supabase_admin" });
  const { sql, name } = work;
  await rejects(sql`update cron.job set active = false`, { code: "42501" });
  await rejects(sql`select cron.schedule_in_database(${name}, '@daily', 'select 1', 'postgres', 'supabase_admin')`, {
    message: "must be superuser to create a job for another role",
  });
  const [{ id }] = await admin`select cron.schedule(${name}, '@yearly', 'select 1') as id`;
  try {
    await rejects(sql`select cron.unschedule(${name})`, { message: `could not find valid entry for job '${name}'` });
    await rejects(sql`select cron.unschedule(${id}::bigint)`, {
      code: "42501",
      message: "permission denied for table job",
    });
    await rejects(sql`select cron.alter_job(${id}, active := false)`, {
      message: `Job ${id} does not exist or you don't own it`,
    });
  } finally {
    await admin`select cron.unschedule(${name})`;
  }
});

Deno.test("a change of cron.job has effect at commit and none after a rollback", async () => {
  await using work = await workshop();
  const { sql, name } = work;
  const job = `insert into ${name} (message) values ('first')`;
  await sql.begin(async (own) => {
    await own`select cron.schedule(${name + "_undone"}, '1 second', ${job.replace("first", "undone")})`;
    throw new Error("never mind");
  }).catch(() => {});
  const [{ schedule: id }] = await sql`select cron.schedule(${name}, '1 second', ${job})`;
  await waitFor("the job", async () => (await work.messages()).includes("first"));
  await sql`select cron.alter_job(${id}, command := ${job.replace("first", "second")})`;
  await waitFor("the altered job", async () => (await work.messages()).at(-1) === "second");
  await sql`select cron.unschedule(${name})`;
  await sql`insert into ${sql(name)} (message) values ('removed')`;
  // Another job's two runs are the time in which the removed one would have run
  await sql`select cron.schedule(${name + "_after"}, '1 second', ${job.replace("first", "after")})`;
  await waitFor(
    "two more seconds",
    async () => (await work.messages()).filter((message) => message === "after").length === 2,
  );
  const messages = await work.messages();
  ok(!messages.includes("undone"));
  ok(
    messages.slice(messages.indexOf("removed")).filter((word) => word === "second").length <= 1,
    "at most a run that had begun",
  );
});

Deno.test("a job never overlaps itself", async () => {
  await using work = await workshop();
  const { sql, name } = work;
  await sql`select cron.schedule(${name}, '1 second', ${`insert into ${name} (message) values ('long'); select pg_sleep(1.7)`})`;
  await waitFor(
    "three runs",
    async () => (await work.runs()).filter((run) => run.status === "succeeded").length >= 3,
  );
  const [{ overlapping }] = await sql`
    select count(*)::int as overlapping from cron.job_run_details a join cron.job_run_details b
      on a.jobid = b.jobid and a.runid < b.runid and a.end_time > b.start_time
    where a.command like ${`%${name}%`}`;
  equal(overlapping, 0);
});

Deno.test("a failed job is recorded and runs again; a deleted job is canceled", async () => {
  await using work = await workshop();
  const { sql, name } = work;
  await sql`select cron.schedule(${name}, '1 second', ${`select 1 / 0 as ${name}`})`;
  await waitFor(
    "two failures",
    async () => (await work.runs()).filter((run) => run.status === "failed").length >= 2,
  );
  match((await work.runs())[0].return_message, /^ERROR: {2}division by zero/);
  await sql`select cron.schedule(${name}, '1 second', ${`select pg_sleep(60) as ${name}`})`;
  await waitFor("the sleeper", async () => {
    const { status, command } = (await work.runs()).at(-1)!;
    return status === "running" && command.includes("pg_sleep");
  });
  await sql`select cron.unschedule(${name})`;
  await waitFor("the end of the sleeper", async () => (await work.runs()).at(-1)!.status === "failed");
  equal((await work.runs()).at(-1)!.return_message, "job canceled");
});

Deno.test("jobs of other databases in the cluster are never run", async () => {
  await using work = await workshop();
  const { sql, name } = work;
  await sql.unsafe(`create database ${name}_other`);
  try {
    {
      await using other = asPostgres(server, { database: `${name}_other` });
      await other.unsafe(
        `create extension if not exists pg_cron; create table ${name} (at timestamptz default clock_timestamp(), message text)`,
      ).simple();
      await other`select cron.schedule(${name}, '1 second', ${`insert into ${name} (message) values ('other')`})`;
      await sql`select cron.schedule(${name}, '1 second', ${`insert into ${name} (message) values ('main')`})`;
      await waitFor("two runs in the main database", async () => (await work.messages()).length >= 2);
      equal((await other`select from ${other(name)}`).length, 0);
      equal((await other`select from cron.job_run_details`).length, 0);
    }
    ok(!(await work.messages()).includes("other"));
  } finally {
    await sql.unsafe(`drop database ${name}_other with (force)`);
  }
});

Deno.test("pg_cron can be dropped and recreated, and jobs continue after a restart", async () => {
  await using database = await startProjectServer();
  await using sql = asPostgres({ dbUrl: database.url });
  const urlOf = (username: string) => Object.assign(new URL(database.url), { username }).href;
  const start = () => startCron({ adminUrl: urlOf("supabase_admin"), userUrl: urlOf });
  const first = await start();
  await sql.unsafe(`create extension if not exists pg_cron; drop extension pg_cron; create extension pg_cron;
      create table sv_lasting (message text)`).simple();
  await sql`select cron.schedule('sv_lasting', '1 second', 'insert into sv_lasting values (1)')`;
  await sql`select cron.schedule('sv_reboot', '@reboot', 'insert into sv_lasting values (''reboot'')')`;
  await sql`select cron.schedule('sv_sleeper', '1 second', 'select pg_sleep(60)')`;
  await waitFor("a run", async () => (await sql`select from sv_lasting`).length);
  await waitFor(
    "the sleeper",
    async () =>
      (await sql`select from cron.job_run_details where command like '%sleep%' and status = 'running'`).length,
  );
  await first.close();
  const second = await start();
  await waitFor(
    "the job of the start",
    async () => (await sql`select from sv_lasting where message = 'reboot'`).length,
  );
  await sql`delete from sv_lasting`;
  await waitFor("a run after the restart", async () => (await sql`select from sv_lasting`).length);
  const [interrupted] =
    await sql`select status from cron.job_run_details where command like '%sleep%' order by runid limit 1`;
  equal(interrupted.status, "failed");
  await second.close();
});

Deno.test({
  name: "a job by the minute runs in its minute",
  sanitizeOps: false, // its connection is as old as the file
  sanitizeResources: false,
  async fn() {
    await using work = byTheMinute;
    await waitFor("the minute", async () => (await work.messages()).length, 75);
    equal((await work.messages())[0], "on time");
  },
});
