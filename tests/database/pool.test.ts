// A pool whose server stops responding: callers get an error in time, and lost connections are replaced.
import assert from "node:assert/strict";
import { waitFor } from "../wait_for.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { type PausedDatabase, startPausedDatabase } from "../local/paused_database.ts";
import type postgres from "postgres";
import type { Pool } from "../../functions/database/pool.ts";

interface PgError {
  code?: string;
  status?: number;
  message?: string;
}

const failure = (work: Promise<unknown>): Promise<PgError> => work.then(() => ({}), (error: PgError) => error);

interface Limits {
  statementMs?: number;
  callerMs?: number;
}

/** Statements that must succeed have ample time. */
const AMPLE: Limits = { statementMs: 120_000 };
const HASTY: Limits = { statementMs: 300, callerMs: 50 };
const run = <T>(pool: Pool, work: (sql: postgres.Sql) => PromiseLike<T>, limits: Limits = AMPLE) =>
  pool.run(work, { statementMs: 120_000, ...limits });

const pid = (pool: Pool) => run(pool, (sql) => sql`select pg_backend_pid() as pid`).then(([{ pid }]) => pid as number);

const sleep = (pool: Pool, seconds: number, limits?: Limits) =>
  run(pool, (sql) => sql`select pg_sleep(${seconds})`, limits);

/** Backend processes of the pool's two connections, once both respond in time. */
const pids = (pool: Pool) =>
  waitFor("two connections", async () => {
    const [one, two] = await Promise.all([pid(pool), pid(pool)]).catch((): number[] => []);
    return one !== two ? [one, two] : undefined;
  });

Deno.test("a pool of database connections", { sanitizeOps: false, sanitizeResources: false }, async (t) => {
  let paused!: PausedDatabase;
  await using scratch = await createFeedDatabase((url) => (paused = startPausedDatabase(url)).url);
  const { openPool } = await import("../../functions/database/pool.ts");
  // In `hasty`, the server counts as hung soon after the caller's limit
  const pool = openPool({ size: 2, connectTimeoutSeconds: 60 });
  const hasty = openPool({ size: 2, connectTimeoutSeconds: 60 });
  /** Cancels sleeping statements once there are this many. */
  const wake = (sleepers: number) =>
    waitFor("sleeping statements", async () => {
      const sleeping = await scratch.sql`
        select pid from pg_stat_activity where datname = current_database() and application_name = 'functions' and wait_event = 'PgSleep'`;
      if (sleeping.length !== sleepers) return false;
      for (const { pid } of sleeping) await scratch.sql`select pg_cancel_backend(${pid})`;
      return true;
    });

  await t.step("a statement that the server ends at its limit is 503, and its connection is replaced", async () => {
    const before = await pids(pool);
    const limited = run(
      pool,
      (sql) => sql`select q.* from (select pg_sleep(60)) q where (select private.limit_statement(300))`,
      { statementMs: 300 },
    );
    const { status, message } = await failure(limited);
    assert.deepEqual([status, message], [503, "The database timed out"]);
    assert.equal((await pids(pool)).filter((one) => before.includes(one)).length, 1);
    const [{ limit }] = await run(pool, (sql) => sql`select current_setting('transaction_timeout') as limit`);
    assert.equal(limit, "0", "the limit is of one statement");
  });

  await t.step(
    "the pool returns 503 to a caller at its limit, and gets the connection back when the server ends the statement",
    async () => {
      const before = await pid(pool);
      assert.equal((await failure(sleep(pool, 60, { callerMs: 100 }))).status, 503);
      await wake(1);
      assert.ok((await pids(pool)).includes(before));
    },
  );

  await t.step("the pool limits the wait for a connection and drops work that timed out", async () => {
    const [one, two] = [failure(sleep(pool, 60)), failure(sleep(pool, 60))];
    let ran = false;
    const waited = failure(run(pool, (sql) => (ran = true, sql`select`), { callerMs: 50 }));
    assert.equal((await waited).status, 503);
    await wake(2);
    assert.deepEqual([(await one).code, (await two).code], ["57014", "57014"]);
    await pid(pool);
    assert.equal(ran, false);
  });

  await t.step("the pool replaces connections while their server does not respond", async () => {
    const before = await pids(hasty);
    const stuck = paused.pause("functions");
    for (const each of [1, 2].map(() => failure(sleep(hasty, 0, HASTY)))) assert.equal((await each).status, 503);
    assert.equal((await failure(sleep(hasty, 0, HASTY))).status, 503, "both connections are taken");
    paused.pause("functions").release(); // lets new connections pass, and none that is stuck
    const after = await pids(hasty);
    assert.deepEqual(after.filter((pid) => before.includes(pid)), []);
    stuck.release();
  });

  await t.step("the pool replaces a connection that the server ends and keeps the other", async () => {
    const [one, two] = await pids(pool);
    await scratch.sql`select pg_terminate_backend(${one})`;
    await waitFor("only the ended connection is closed", async () => {
      const now = await pids(pool);
      return !now.includes(one) && now.includes(two);
    });
  });

  await t.step("the pool reuses the connection of work that throws", async () => {
    for (let times = 0; times < 3; times++) {
      const thrown = failure(run(pool, () => {
        throw Object.assign(new Error("no"), { status: 400 });
      }));
      assert.equal((await thrown).status, 400);
    }
    assert.equal(typeof await pid(pool), "number");
  });
  await t.step("the pool closes a connection that has been idle for a while, and opens another", async () => {
    const brief = openPool({ size: 2, connectTimeoutSeconds: 60, idleMs: 50 });
    const before = await pids(brief);
    await waitFor("both connections are closed", async () => {
      const [{ count }] = await scratch.sql`select count(*)::int from pg_stat_activity where pid = any (${before})`;
      return count === 0;
    });
    assert.ok(!before.includes(await pid(brief)));
    await brief.close();
  });

  await Promise.all([pool.close(), hasty.close()]);
  await paused[Symbol.asyncDispose]();
});
