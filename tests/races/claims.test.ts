// Claims at the same time keep max_concurrency, and give each key of a fair queue its turn.
import { deepStrictEqual as equal } from "node:assert";
import type postgres from "postgres";
import { assertBlocks, createRaceDatabase } from "./race_database.ts";

Deno.test({ name: "claims at the same time", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using database = await createRaceDatabase(12);
  const { sql } = database;
  const claim = async (by: postgres.Sql | postgres.TransactionSql) =>
    (await by`select msg_id from private.claim_jobs('storage_gc', 1, 60)`).length;
  const inProcess = async () =>
    await sql<{ key: string }[]>`
      select message ->> 'podcast_id' as key from pgmq.q_storage_gc where read_ct > 0 order by 1`;
  const step = (title: string, run: () => Promise<void>) =>
    t.step(title, async () => {
      await sql`select pgmq.purge_queue('storage_gc')`;
      await sql`update private.queues set max_concurrency = 2 where name = 'storage_gc'`;
      await run();
    });
  const send = (count: number) =>
    sql`select private.enqueue('storage_gc', to_jsonb(n)) from generate_series(1, ${count}::int) n`;

  await step("a claim waits for another one that has not been committed, and keeps max_concurrency", async () => {
    await send(5);
    await claim(sql);
    let waiting: Promise<number> | undefined;
    await sql.begin(async (claiming) => {
      equal(await claim(claiming), 1);
      waiting = claim(sql);
      await assertBlocks(database, waiting);
    });
    equal([await waiting, (await inProcess()).length], [0, 2]);
  });

  await step("an acknowledgment does not wait for a claim", async () => {
    await send(2);
    const [{ msg_id }] = await sql`select msg_id from private.claim_jobs('storage_gc', 1, 60)`;
    await sql.begin(async (claiming) => {
      await claim(claiming);
      await sql`select private.acknowledge_jobs('storage_gc', ${[msg_id]}::bigint[])`;
    });
    equal((await inProcess()).length, 1);
  });

  await step("ten claims at once keep max_concurrency", async () => {
    await send(20);
    const claimed = await Promise.all(Array.from({ length: 10 }, () => claim(sql)));
    equal([claimed.filter(Boolean).length, (await inProcess()).length], [2, 2]);
  });

  await step("claims at once, as many as max_concurrency, all get a message", async () => {
    for (let round = 0; round < 50; round++) {
      await sql`select pgmq.purge_queue('storage_gc')`;
      await send(2);
      equal(await Promise.all([claim(sql), claim(sql)]), [1, 1]);
    }
  });

  await step("claims at the same time give each key of a fair queue its turn", async () => {
    await sql`select private.install_queue('storage_gc', 10, '5 seconds', '1 hour', 'A test', _fair_key => 'podcast_id')`;
    const sendOf = (key: string, count: number) =>
      sql`select private.enqueue('storage_gc', jsonb_build_object('podcast_id', ${key}::text, 'n', n))
        from generate_series(1, ${count}::int) n`;
    for (let round = 0; round < 20; round++) {
      await sql`select pgmq.purge_queue('storage_gc')`;
      await sendOf("many", 30);
      equal(await Promise.all(Array.from({ length: 4 }, () => claim(sql))), [1, 1, 1, 1]);
      await sendOf("few", 4);
      equal(await Promise.all(Array.from({ length: 4 }, () => claim(sql))), [1, 1, 1, 1]);
      equal((await inProcess()).map(({ key }) => key), [...Array(4).fill("few"), ...Array(4).fill("many")]);
    }
  });
});
