// Changes of feeds while workers claim their pings: no change is lost to a ping that was sent before it.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { byScale } from "../scale.ts";
import { createRaceDatabase } from "./race_database.ts";

Deno.test({ name: "feed pings at the same time", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using database = await createRaceDatabase(20);
  const { sql } = database;
  await sql`select private.set_setting('feed_ping_delay_seconds', '0')`;
  const enqueue = (by: postgres.Sql | postgres.TransactionSql, podcastId: string) =>
    by`select private.enqueue_feed_ping('websub', ${podcastId})`;
  const claim = async (by: postgres.Sql | postgres.TransactionSql, max = 1) =>
    await by<{ msg_id: string; podcast_id: string }[]>`
      select msg_id, message ->> 'podcast_id' as podcast_id from private.claim_jobs('feed_pings', ${max}, 60)`;
  const attempts = async () =>
    (await sql<{ read_ct: number }[]>`select read_ct from pgmq.q_feed_pings order by msg_id`)
      .map(({ read_ct }) => read_ct);
  const step = (title: string, run: () => Promise<void>) =>
    t.step(title, async () => {
      await sql`select pgmq.purge_queue('feed_pings')`;
      await run();
    });

  await step("a ping that a change joins is not claimed before the change is committed", async () => {
    const show = crypto.randomUUID();
    await enqueue(sql, show);
    await sql.begin(async (change) => {
      await enqueue(change, show);
      assert.deepEqual([...await claim(sql)], []);
    });
    assert.equal((await claim(sql)).length, 1);
    assert.deepEqual(await attempts(), [1]);
  });

  await step("a change joins no ping that is being claimed, and does not wait for the claim", async () => {
    const show = crypto.randomUUID();
    await enqueue(sql, show);
    await sql.begin(async (claiming) => {
      assert.equal((await claim(claiming)).length, 1);
      await enqueue(sql, show);
    });
    assert.deepEqual(await attempts(), [1, 0]);
  });

  await step("the last ping of each feed is claimed after its last change", async () => {
    const shows = Array.from({ length: 6 }, () => crypto.randomUUID()), changes = byScale(40, 1000);
    await sql`create table public.changes (podcast_id uuid primary key, n int not null)`;
    await sql`insert into public.changes select unnest(${shows}::text[]::uuid[]), 0`;
    const seen = new Map<string, number>();
    let isBusy = true;
    const workers = Array.from({ length: 4 }, async () => {
      for (let claimed; (claimed = await claim(sql, 2)).length > 0 || isBusy;) {
        for (const { msg_id, podcast_id } of claimed) {
          const [{ n }] = await sql<{ n: number }[]>`select n from public.changes where podcast_id = ${podcast_id}`;
          seen.set(podcast_id, Math.max(n, seen.get(podcast_id) ?? 0));
          await sql`select private.acknowledge_jobs('feed_pings', array[${msg_id}]::bigint[])`;
        }
      }
    });
    await Promise.all(shows.map(async (show) => {
      for (let n = 1; n <= changes; n++) {
        await sql.begin(async (change) => {
          await change`update public.changes set n = ${n} where podcast_id = ${show}`;
          await enqueue(change, show);
        });
      }
    }));
    isBusy = false;
    await Promise.all(workers);
    assert.deepEqual(shows.map((show) => seen.get(show)), shows.map(() => changes));
    assert.deepEqual(await attempts(), []);
  });
});
