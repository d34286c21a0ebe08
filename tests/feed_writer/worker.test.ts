// The worker's loop on a real database: no message is lost or blocks others, and other workers take over.
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import type postgres from "postgres";
import { z } from "zod";
import type { Job } from "../../functions/worker/job.ts";
import { type RunLimits, timeBudget } from "../../functions/worker/run_limits.ts";
import { waitFor } from "../wait_for.ts";
import { childrenNamed, parseXml } from "./fixture.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "./feed_database.ts";

let sql: postgres.Sql;
let drain: (job: Job, limits: RunLimits) => Promise<void>;
let renderFeedJob: Job;

const queue = "feed_invalidation";

/** Limits of a worker that ends only when its queue is empty, however slow the machine is. */
const untilEmpty: RunLimits = { mayClaim: () => true, deadline: () => Infinity };

function job(run: Job<{ n: number }>["run"], more: Partial<Job<{ n: number }>> = {}): Job {
  return {
    queue,
    schema: z.object({ n: z.number() }),
    batchSize: 10,
    visibilityTimeoutSeconds: 30,
    concurrency: 3,
    run,
    ...more,
  } as Job;
}

async function send(...messages: unknown[]) {
  for (const message of messages) {
    await sql`select private.enqueue(${queue}, ${sql.json(message as postgres.JSONValue)})`;
  }
}

async function waiting(name = queue) {
  return (await sql`select msg_id, read_ct, message, vt > now() as hidden from pgmq.${
    sql(`q_${name}`)
  } order by msg_id`);
}

async function reset() {
  await sql`select pgmq.purge_queue(${queue}), pgmq.purge_queue(${`${queue}_dlq`})`;
  await sql`delete from net.http_request_queue`;
}

const wakes = async () => Number((await sql`select count(*) from net.http_request_queue`)[0].count);

Deno.test({ name: "draining a queue", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using scratch = await createFeedDatabase();
  sql = scratch.sql;
  ({ drain } = await import("../../functions/worker/loop.ts"));
  ({ renderFeedJob } = await import("../../functions/worker/jobs/render_feed.ts") as unknown as { renderFeedJob: Job });
  await sql`select vault.create_secret('a secret of sixteen characters', 'worker_secret')`;
  await sql`update private.queues set backoff_base = '1 minute' where name = ${queue}`; // no retry is due by itself
  const step = (name: string, work: () => Promise<void>) => t.step(name, async () => (await reset(), await work()));

  await step(
    "every message is processed once across batches, within the concurrency limit",
    async () => {
      await send(...Array.from({ length: 35 }, (_, n) => ({ n })));
      const done: number[] = [];
      let running = 0;
      let maxRunning = 0;
      await drain(
        job(async ([{ n }]) => {
          maxRunning = Math.max(maxRunning, ++running);
          await new Promise((resolve) => setTimeout(resolve, 2));
          running--;
          done.push(n);
        }),
        untilEmpty,
      );
      assert.deepEqual(done.toSorted((a, b) => a - b), Array.from({ length: 35 }, (_, n) => n));
      assert.equal(maxRunning, 3);
      assert.deepEqual([...await waiting()], []);
    },
  );

  await step("one run handles all messages with the same key", async () => {
    await send(...Array.from({ length: 9 }, (_, n) => ({ n: n % 3 })));
    const runs: number[] = [];
    await drain(
      job((payloads) => Promise.resolve(void runs.push(payloads.length)), { groupBy: ({ n }) => `${n}` }),
      untilEmpty,
    );
    assert.deepEqual(runs, [3, 3, 3]);
  });

  await step(
    "a run that returns errors fails their messages, each with its own, and completes the others",
    async () => {
      await send({ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 });
      const [odd, second] = [new Error("odd"), new Error("second")];
      await drain(
        job(() => Promise.resolve([odd, second, odd, undefined]), { groupBy: () => "all" }),
        untilEmpty,
      );
      const left = await sql`select message -> 'n' as n, headers ->> 'last_error' as error, read_ct
      from pgmq.${sql(`q_${queue}`)} order by msg_id`;
      assert.deepEqual(left.map(({ n, error, read_ct }) => [n, error, read_ct]), [
        [1, "odd", 1],
        [2, "second", 1],
        [3, "odd", 1],
      ]);
    },
  );

  await step("a failing message is retried later, and the others are processed", async () => {
    await send({ n: 1 }, { n: 2 }, { n: 3 });
    const done: number[] = [];
    await drain(
      job(([{ n }]) => n === 2 ? Promise.reject(new Error("no")) : Promise.resolve(void done.push(n))),
      untilEmpty,
    );
    assert.deepEqual(done, [1, 3]);
    const [left] = await waiting();
    assert.deepEqual([left.message, left.read_ct, left.hidden], [{ n: 2 }, 1, true]);
  });

  await step("a message that keeps failing ends in the dead-letter queue with its reason", async () => {
    await send({ n: 1 });
    const [{ max_attempts }] = await sql`select max_attempts from private.queues where name = ${queue}`;
    for (let attempt = 0; attempt < max_attempts; attempt++) {
      await sql`update pgmq.${sql(`q_${queue}`)} set vt = now()`;
      await drain(job(() => Promise.reject(new Error("no", { cause: new Error("no disk") }))), untilEmpty);
    }
    assert.deepEqual([...await waiting()], []);
    const [{ message: dead }] = await waiting(`${queue}_dlq`);
    assert.deepEqual([dead.message, dead.error, dead.attempts], [{ n: 1 }, "no (no disk)", max_attempts]);
  });

  await step("an invalid message becomes a dead letter immediately and blocks no other", async () => {
    await send({ n: "one" }, { n: 2 }, ["what"]);
    const done: number[] = [];
    await drain(job(([{ n }]) => Promise.resolve(void done.push(n))), untilEmpty);
    assert.deepEqual(done, [2]);
    assert.deepEqual([...await waiting()], []);
    const reasons = (await waiting(`${queue}_dlq`)).map(({ message }) => message.error);
    assert.match(reasons[0], /^Invalid payload: n: .*number/);
    assert.match(reasons[1], /^Invalid payload: .*object/);
  });

  await step("a worker at its time limit wakes the next one, and one that emptied the queue does not", async () => {
    await send(...Array.from({ length: 25 }, (_, n) => ({ n })));
    await sql`delete from net.http_request_queue`;
    await drain(job(() => Promise.resolve()), timeBudget(0));
    assert.equal((await waiting()).length, 15);
    assert.equal(await wakes(), 1);
    await sql`delete from net.http_request_queue`;
    await drain(job(() => Promise.resolve()), untilEmpty);
    assert.equal((await waiting()).length, 0);
    assert.equal(await wakes(), 0);
  });

  await step("a message that arrives during the last batch is processed by the same worker", async () => {
    await send({ n: 1 });
    const done: number[] = [];
    const late = job(async ([{ n }]) => {
      done.push(n);
      if (n > 1) return;
      await send({ n: 2 });
      await drain(late, untilEmpty); // like the wake-up for that message
    });
    await drain(late, untilEmpty);
    assert.deepEqual(done, [1, 2]);
  });

  await step("many messages of a podcast render it once and are acknowledged", async () => {
    const id = await makePodcast(sql);
    await makeEpisodes(sql, id, 20);
    assert.ok((await waiting()).length > 20);
    await drain(renderFeedJob, untilEmpty);
    assert.deepEqual([...await waiting()], []);
    const [{ gzip }] = await sql`select gzip from private.get_feed_gzip(${id})`;
    assert.equal(childrenNamed(parseXml(gunzipSync(gzip).toString()).children[0], "item").length, 20);
  });

  await step(
    "a worker killed during a rendering leaves the served document, and the next worker completes it",
    async () => {
      const id = await makePodcast(sql);
      await drain(renderFeedJob, untilEmpty);
      const document = async () =>
        (await sql`select etag from private.feed_documents where podcast_id = ${id}`)[0].etag;
      const before = await document();
      await makeEpisodes(sql, id, 1200, "n".repeat(5000));

      const stored = async () =>
        Number((await sql`select count(*) from private.feed_items where podcast_id = ${id}`)[0].count);
      // The second batch waits until the worker is dead and dies with it
      await sql.unsafe(`
        create function public.hold_second_batch() returns trigger language plpgsql as $$
        begin
          if exists (select from private.feed_items where podcast_id = '${id}') then
            perform pg_advisory_xact_lock(4);
            raise 'the worker is dead';
          end if;
          return null;
        end $$;
        create trigger hold_second_batch before insert on private.feed_items
          for each statement execute function public.hold_second_batch()`).simple();
      await sql.begin(async (held) => {
        await held`select pg_advisory_xact_lock(4)`;
        const child = new Deno.Command(Deno.execPath(), {
          args: ["run", "--allow-all", "--no-check", new URL("./feed_worker_process.ts", import.meta.url).pathname],
          env: scratch.env,
          stdout: "null",
          stderr: "inherit",
        }).spawn();
        try {
          await waitFor("the first batch", async () => await stored() > 0, 60);
        } finally {
          child.kill("SIGKILL");
          await child.status;
        }
      });
      await sql.unsafe("drop function public.hold_second_batch cascade");
      const found = await stored();
      assert.ok(found > 0 && found < 1200, `${found} items were stored`);
      assert.equal(await document(), before);

      await sql`update pgmq.${sql(`q_${queue}`)} set vt = now()`; // expires the dead worker's lease
      await drain(renderFeedJob, untilEmpty);
      assert.equal(await stored(), 1200);
      assert.notEqual(await document(), before);
      assert.deepEqual([...await waiting()], []);
    },
  );
});
