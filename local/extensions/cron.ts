/**
 * Stands in for pg_cron's launcher: starts the jobs of `cron.job` on time, as their users, and records the runs. It runs
 * only the jobs of the database that it is connected to.
 */
import postgres from "../postgres/client.ts";
import { coalesceRuns } from "./coalesce_runs.ts";

/** The state of a job between two reads of `cron.job`. */
interface Job {
  id: string;
  seconds: number | null;
  /** The start of its last run. A new interval job waits one interval. */
  started: number;
  /** The number of due runs: more than one only for jobs by the minute, as in pg_cron. */
  pending: number;
  /** Cancels the current run. */
  cancel?: () => Promise<void>;
}

const MINUTE = 60_000;
const MAX_RUNNING = 8;
/** After a longer pause, such as a sleeping laptop, missed runs are skipped, as in Vixie cron. */
const MAX_CATCH_UP_MS = 180 * MINUTE;

/** `userUrl` is the URL for a job's user. */
export async function startCron(options: { adminUrl: string; userUrl: (user: string) => string }) {
  const sql = postgres(options.adminUrl, {
    max: 3,
    onnotice: () => {},
    connection: { application_name: "pg_cron scheduler" },
  });
  const jobs = new Map<string, Job>();
  const runs = new Set<Promise<void>>();
  let minute = Math.floor(Date.now() / MINUTE);
  let timer: number | undefined;
  let closing = false;

  /** Updates `jobs` from the table. Cancels jobs that were deleted or deactivated. */
  async function readJobs() {
    const rows = await sql<{ id: string; seconds: number | null; reboot: boolean }[]>`
      select jobid as id, (s ->> 'seconds')::int as seconds, s ? 'reboot' as reboot
      from (select jobid, cron._schedule(schedule) as s from cron.job where active) as active_job`.catch(
      emptyIfUndefined,
    );
    for (const job of [...jobs.values()].filter((job) => !rows.some((row) => row.id === job.id))) {
      jobs.delete(job.id);
      await job.cancel?.();
    }
    for (const { id, seconds } of rows) {
      const known = jobs.get(id);
      if (known) known.seconds = seconds;
      else jobs.set(id, { id, seconds, started: Date.now(), pending: 0 });
    }
    return rows;
  }

  /** Counts due runs, starts them within the limit, and sets the timer for the next event. */
  async function tick() {
    clearTimeout(timer);
    if (closing) return;
    const now = Date.now();
    for (const job of jobs.values()) {
      if (job.seconds && !job.pending && now - job.started >= job.seconds * 1000) job.pending = 1;
    }
    const since = Math.max(minute, Math.floor((now - MAX_CATCH_UP_MS) / MINUTE));
    minute = Math.floor(now / MINUTE);
    if (minute > since) await countDue(since, minute);
    for (const job of jobs.values()) {
      if (job.pending && !job.cancel && runs.size < MAX_RUNNING) start(job);
    }
    const waits = [...jobs.values()].filter((job) => job.seconds && !job.cancel && !job.pending)
      .map((job) => job.started + job.seconds! * 1000);
    clearTimeout(timer);
    timer = setTimeout(scheduleTick, Math.max(0, Math.min((minute + 1) * MINUTE, ...waits) - Date.now()));
  }

  async function countDue(after: number, until: number) {
    const rows = await sql<{ id: string; times: number }[]>`
      select jobid as id, count(*)::int as times
      from cron.job, generate_series(${after + 1}::bigint, ${until}::bigint) as due_minute
      where active and cron._due(schedule, to_timestamp(due_minute * 60)) group by jobid`.catch(emptyIfUndefined);
    for (const { id, times } of rows) {
      const job = jobs.get(id);
      if (job) job.pending += times;
    }
  }

  const onError = (error: unknown) => {
    if (closing) return;
    console.error("cron:", error);
    clearTimeout(timer);
    timer = setTimeout(scheduleTick, 1000);
  };
  const scheduleTick = coalesceRuns(tick, onError);
  const onChange = coalesceRuns(async () => {
    await readJobs();
    await scheduleTick();
  }, onError);

  function start(job: Job) {
    job.pending--;
    job.started = Date.now();
    const run = runJob(job).catch(onError).finally(() => {
      job.cancel = undefined;
      runs.delete(run);
      scheduleTick();
    });
    runs.add(run);
  }

  async function runJob(job: Job) {
    let canceled = false, isDone = false;
    job.cancel = () => Promise.resolve(void (canceled = true));
    const [run] = await sql`
      insert into cron.job_run_details (jobid, database, username, command, status)
      select jobid, database, username, command, 'starting' from cron.job where jobid = ${job.id} and active
      returning runid, database, username, command`.catch(emptyIfUndefined);
    if (!run) return;
    // A session per run, as in pg_cron, so that no setting outlives the run
    const own = postgres(options.userUrl(run.username), {
      database: run.database,
      max: 1,
      fetch_types: false,
      connect_timeout: 10,
      onnotice: () => {},
      connection: { application_name: "pg_cron" },
    });
    let outcome: { status: string; message: string };
    try {
      const [{ pid }] = await own`select pg_backend_pid() as pid`.simple().catch(() => [{ pid: null }]);
      if (pid === null) throw new Error("connection failed");
      job.cancel = async () => {
        canceled = true;
        while (!isDone) { // a cancel has no effect before the backend has received the statement
          await sql`select pg_cancel_backend(${pid})`.catch(() => {});
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      await sql`update cron.job_run_details set status = 'running', job_pid = ${pid}, start_time = clock_timestamp()
        where runid = ${run.runid}`;
      if (canceled) throw new Error();
      outcome = { status: "succeeded", message: commandTag(await own.unsafe(run.command).simple()) };
    } catch (error) {
      outcome = { status: "failed", message: canceled ? "job canceled" : errorText(error) };
    } finally {
      isDone = true;
      own.end({ timeout: 1 }).catch(() => {});
    }
    await sql`update cron.job_run_details set status = ${outcome.status}, return_message = ${outcome.message},
      end_time = clock_timestamp() where runid = ${run.runid}`.catch(emptyIfUndefined);
  }

  await sql`update cron.job_run_details set status = 'failed', return_message = 'server restarted'
    where status in ('starting', 'running')`.catch(emptyIfUndefined);
  for (const { id, reboot } of await readJobs()) if (reboot) jobs.get(id)!.pending = 1;
  const listening = await sql.listen("pg_cron", onChange, onChange);
  await scheduleTick();

  return {
    /** Stops starting jobs, cancels the running ones and waits until they are recorded. */
    async close() {
      closing = true;
      clearTimeout(timer);
      await listening.unlisten().catch(() => {});
      await Promise.all([...jobs.values()].map((job) => job.cancel?.()));
      await Promise.all(runs);
      await sql.end({ timeout: 1 });
    },
  };
}

/** For `catch`: a database without the extension has no rows. Rethrows other errors. */
function emptyIfUndefined(error: { code?: string }): [] {
  if (error.code === "42P01" || error.code === "3F000" || error.code === "42883") return [];
  throw error;
}

type Result = { command?: string; count?: number | null; columns?: unknown };

/** The tag of the last statement: "3 rows", "INSERT 0 1", "DO". */
function commandTag(result: unknown): string {
  const last = (Array.isArray(result) && Array.isArray(result.at(-1)) ? result.at(-1) : result) as Result;
  if (last.command === "SELECT") return `${last.count} ${last.count === 1 ? "row" : "rows"}`;
  return [last.command, last.command === "INSERT" ? 0 : null, last.count].filter((part) => part != null).join(" ");
}

function errorText(error: unknown): string {
  const { severity, message, detail, hint, where } = error as Record<string, string | undefined>;
  if (!severity) return message ?? String(error);
  return `${severity}:  ${message}` + (detail ? `\nDETAIL:  ${detail}` : "") + (hint ? `\nHINT:  ${hint}` : "") +
    (where ? `\nCONTEXT:  ${where}` : "");
}
