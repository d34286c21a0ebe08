// The worker's loop on a queue with max_concurrency: concurrency, and outcomes besides success and failure.
import assert from "node:assert/strict";
import { z } from "zod";
import { JobLostError, PermanentError, RequeueJob, RetryAfterError } from "../../functions/runtime/job_run.ts";
import type { Job } from "../../functions/worker/job.ts";
import { oneBatch, timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { assertDelay, waitFor, within } from "../wait_for.ts";
import { runUntil } from "./run_until.ts";

const queue = "import_items";

function raise(error: Error): never {
  throw error;
}

/** The lines that `work` logs. */
async function logLinesOf(work: () => Promise<void>): Promise<Record<string, unknown>[]> {
  const { log, warn, error } = console, lines: Record<string, unknown>[] = [];
  console.log = console.warn = console.error = (text: string) => void lines.push(JSON.parse(text));
  try {
    await work();
    return lines;
  } finally {
    Object.assign(console, { log, warn, error });
  }
}

Deno.test({ name: "draining a limited queue", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  const { drain } = await import("../../functions/worker/loop.ts");
  const job = (run: Job<{ n: number }>["run"]) =>
    ({
      queue,
      schema: z.object({ n: z.number() }),
      batchSize: 1,
      visibilityTimeoutSeconds: 30,
      concurrency: 4,
      run,
    }) as Job;
  const send = async (...numbers: number[]) => {
    for (const n of numbers) await sql`select private.enqueue(${queue}, ${sql.json({ n })})`;
  };
  const waiting = async () =>
    (await sql<{ n: number; reads: number; wait: number }[]>`
      select (message ->> 'n')::int as n, read_ct as reads, extract(epoch from vt - now())::float as wait
      from pgmq.q_import_items order by msg_id`).map((row) => ({ ...row }));
  const step = (name: string, work: () => Promise<void>) =>
    t.step(name, async () => {
      await sql`select pgmq.purge_queue(${queue}), pgmq.purge_queue(${`${queue}_dlq`})`;
      await work();
    });

  await step("a paced queue's next message is awaited, and no message of another queue", async () => {
    const done: number[] = [];
    const run = job(([{ n }]: { n: number }[]) => Promise.resolve(void done.push(n)));
    await sql`select private.enqueue(${queue}, '{"n": 1}', 60), private.enqueue(${queue}, '{"n": 2}', 60)`;
    await drain(run, timeBudget(60_000));
    assert.deepEqual(done, []);
    await sql`update pgmq.q_import_items set vt = clock_timestamp() + interval '1 second' where message ->> 'n' = '1'`;
    await drain({ ...run, isPaced: true }, timeBudget(60_000));
    assert.deepEqual(done, [1]);
    assert.deepEqual((await waiting()).map(({ n }) => n), [2]);
  });

  await step("one long run blocks no other, and a wake-up starts a consumer for later messages", async () => {
    const release = Promise.withResolvers<void>(), full = Promise.withResolvers<void>(), done: number[] = [];
    let running = 0, maxRunning = 0;
    const long = job(async ([{ n }]: { n: number }[]) => {
      maxRunning = Math.max(maxRunning, ++running);
      if (running === 4) full.resolve();
      if (n === 0) await release.promise;
      else await full.promise.then(() => new Promise((resolve) => setTimeout(resolve, 5)));
      running--;
      done.push(n);
    });
    await send(...Array.from({ length: 20 }, (_, n) => n));
    const draining = drain(long, timeBudget(60_000));
    await waitFor("the others are done", () => done.length === 19);
    assert.equal(maxRunning, 4);
    await send(20);
    await drain(long, timeBudget(60_000));
    await waitFor("what came later is done", async () => done.at(-1) === 20 && (await waiting()).length === 1);
    assert.deepEqual((await waiting()).map(({ n }) => n), [0]);
    release.resolve();
    await draining;
    assert.deepEqual(await waiting(), []);
  });

  await step("a claim waits for another one and keeps max_concurrency", async () => {
    const done: number[] = [];
    const one = job(([{ n }]: { n: number }[]) => Promise.resolve(void done.push(n)));
    await sql`update private.queues set max_concurrency = 1 where name = ${queue}`;
    try {
      await send(1, 2);
      let draining: Promise<void> | undefined;
      await sql.begin(async (other) => {
        assert.equal((await other`select from private.claim_jobs(${queue}, 1, 30)`).length, 1);
        draining = drain({ ...one, concurrency: 1 }, timeBudget(60_000));
        await waitFor(
          "the claim waits",
          async () =>
            (await sql`select from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`).length === 1,
        );
      });
      await draining;
    } finally {
      await sql`update private.queues set max_concurrency = 4 where name = ${queue}`;
    }
    assert.deepEqual([done, (await waiting()).map(({ n, reads }) => [n, reads])], [[], [[1, 1], [2, 0]]]);
  });

  await step("a consumer whose batches are larger than max_concurrency claims again", async () => {
    await sql`update private.queues set max_concurrency = 1 where name = ${queue}`;
    await send(1, 2, 3);
    const done: number[] = [];
    const batch = job(([{ n }]: { n: number }[]) => Promise.resolve(void done.push(n)));
    await drain({ ...batch, batchSize: 2, concurrency: 2 }, timeBudget(30_000));
    await sql`update private.queues set max_concurrency = 4 where name = ${queue}`;
    assert.deepEqual([done, await waiting()], [[1, 2, 3], []]);
  });

  await step("the other runs of a batch complete when the failure of one cannot be stored", async () => {
    await send(1, 2);
    await sql.unsafe(`
      create function public.refuse_update() returns trigger language plpgsql as $$
      begin raise 'not stored'; end $$;
      create trigger refuse_update before update on pgmq.q_import_items for each row
        when (old.read_ct = new.read_ct) execute function public.refuse_update()`).simple();
    const batch = job(([{ n }]: { n: number }[]) => n === 1 ? Promise.reject(new Error("failed")) : Promise.resolve());
    try {
      await assert.rejects(drain({ ...batch, batchSize: 2, concurrency: 1 }, timeBudget(60_000)), {
        message: "not stored",
      });
    } finally {
      await sql.unsafe(`drop function public.refuse_update() cascade`).simple();
    }
    assert.deepEqual((await waiting()).map(({ n }) => n), [1]);
  });

  await step("a job that ends its run does one batch, and wakes the worker for the next", async () => {
    await sql`select vault.create_secret('a secret', 'worker_secret')`;
    await send(1, 2);
    await sql`delete from net.http_request_queue`;
    const done: number[] = [];
    const heavy = { ...job(([{ n }]: { n: number }[]) => Promise.resolve(void done.push(n))), concurrency: 1 };
    const wakes = async () =>
      (await sql`select convert_from(body, 'UTF8')::json ->> 'queue' as queue from net.http_request_queue`).map((row) =>
        row.queue
      );
    await drain(heavy, oneBatch(timeBudget(60_000)));
    assert.deepEqual([done, (await waiting()).map(({ n }) => n), await wakes()], [[1], [2], [queue]]);
    await drain(heavy, oneBatch(timeBudget(60_000)));
    await drain(heavy, oneBatch(timeBudget(60_000))); // finds nothing, and wakes none
    assert.deepEqual([done, await waiting(), await wakes()], [[1, 2], [], [queue, queue]]);
  });

  await step("a requeued run is neither an attempt nor a failure", async () => {
    await send(1);
    const attempts: number[] = [];
    await drain(
      job((_, { attempt }) => {
        attempts.push(attempt);
        return attempts.length < 9 ? Promise.reject(new RequeueJob()) : Promise.resolve();
      }),
      timeBudget(30_000),
    );
    assert.deepEqual(attempts, Array(9).fill(1));
    assert.deepEqual(await waiting(), []);
  });

  await step("RetryAfterError delays the retry up to the queue's maximum", async () => {
    await send(1, 2);
    const began = Date.now();
    await drain(
      job(([{ n }]) => Promise.reject(new RetryAfterError("busy", n === 1 ? 300 : 1_000_000))),
      timeBudget(30_000),
    );
    const [one, two] = await waiting();
    assertDelay(one.wait, 300, began);
    assertDelay(two.wait, 900, began);
    assert.deepEqual([one.reads, two.reads], [1, 1]);
  });

  await step("extend returns false in a run that lost its message, and its result is ignored", async () => {
    await send(1);
    let kept: boolean[] = [];
    await drain(
      job(async (_, { extend, messageIds: [id] }) => {
        kept = [await extend()];
        await sql.begin(async (other) => { // like another worker; the other consumers may still claim
          await other`select pgmq.set_vt(${queue}, ${id}::bigint, 0)`;
          await other`select pgmq.read(${queue}, 500, 1)`;
        });
        kept.push(await extend());
        throw new JobLostError();
      }),
      timeBudget(30_000),
    );
    assert.deepEqual(kept, [true, false]);
    const [{ reads, wait }] = await waiting();
    assert.equal(reads, 2);
    assert.ok(wait > 0, "it is the other's");
    assert.equal((await sql`select from pgmq.q_import_items_dlq`).length, 0);
  });

  for (
    const [how, end] of [
      ["done", () => Promise.resolve()],
      ["failed", () => Promise.reject(new Error("late"))],
      ["requeued", () => Promise.reject(new RequeueJob())],
    ] as const
  ) {
    await step(`a message of another worker is unaffected when the former run ends as ${how}`, async () => {
      await send(1);
      await drain(
        job(async (_, { messageIds: [id] }) => {
          await sql`
            update pgmq.q_import_items set read_ct = read_ct + 1, vt = clock_timestamp() + interval '500 seconds'
            where msg_id = ${id}`;
          await end();
        }),
        timeBudget(30_000),
      );
      const [{ n, reads, wait }] = await waiting();
      assert.deepEqual([n, reads], [1, 2]);
      assert.ok(wait > 400, `${wait} s`);
    });
  }

  await step("each run has one log line, with its outcome and the request that caused its message", async () => {
    await sql`
      select private.enqueue(${queue}, jsonb_build_object('n', n), _request_id => 'req-' || n)
      from generate_series(1, 5) n`;
    await sql`select private.enqueue(${queue}, '{"n": "six"}')`;
    const ends: Record<number, () => void> = {
      2: () => raise(new Error("peer said no", { cause: "reset" })),
      3: () => raise(new PermanentError("never")),
      4: () => raise(new RequeueJob(60)),
      5: () => raise(new JobLostError()),
    };
    const lines = await logLinesOf(() =>
      drain({ ...job(([{ n }]) => Promise.resolve(ends[n]?.())), concurrency: 1 }, timeBudget(30_000))
    );
    const short = lines.map(({ level, request_id, attempt, outcome, error }) => [
      level,
      request_id,
      attempt,
      outcome,
      error,
    ]);
    assert.deepEqual(short.sort((a, b) => String(a[1]).localeCompare(String(b[1]))), [
      ["info", "req-1", 1, "completed", undefined],
      ["warn", "req-2", 1, "retry_scheduled", "peer said no (reset)"],
      ["error", "req-3", 1, "dead_lettered", "never"],
      ["info", "req-4", 1, "requeued", undefined],
      ["warn", "req-5", 1, "lost", "Job lost to another worker"],
      ["error", undefined, 1, "dead_lettered", "Invalid payload: n: Invalid input: expected number, received string"],
    ]);
    for (const line of lines) {
      assert.equal(line.queue, queue);
      assert.match(String(line.message_ids), /^\d+$/);
      assert.ok(Number(line.ms) >= 0);
    }
  });

  await step("what a run enqueues names the request that caused its message", async () => {
    await sql`select pgmq.purge_queue('storage_gc')`;
    await sql`select private.enqueue(${queue}, '{"n": 1}', _request_id => 'req-1')`;
    await send(2);
    const { serviceSql } = await import("../../functions/database/db.ts");
    await drain(
      job(async ([{ n }]) => {
        await serviceSql`select private.enqueue(_queue => 'storage_gc', message => ${`{"n": ${n}}`}::text::jsonb)`;
      }),
      timeBudget(30_000),
    );
    const enqueued = await sql`
      select message ->> 'n' as n, headers ->> 'request_id' as request from pgmq.q_storage_gc order by 1`;
    assert.deepEqual(enqueued.map(({ n, request }) => [n, request]), [["1", "req-1"], ["2", null]]);
  });

  await t.step("a disposed heartbeat sends no further extension", async () => {
    const { startHeartbeat } = await import("../../functions/worker/heartbeat.ts");
    const extending = Promise.withResolvers<void>(),
      extended = Promise.withResolvers<boolean>(),
      order: string[] = [];
    const extend = () => {
      extending.resolve();
      return extended.promise;
    };
    const heartbeat = startHeartbeat({ ...runUntil(0), visibilityTimeoutSeconds: 0.04, extend });
    await within("the extension", extending.promise);
    const back = heartbeat[Symbol.asyncDispose]().then(() => order.push("given back"));
    await new Promise((resolve) => setTimeout(resolve));
    order.push("answered");
    extended.resolve(true);
    await back;
    assert.deepEqual(order, ["answered", "given back"]);
  });
});
