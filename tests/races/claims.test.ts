// Claims at the same time: they do not wait for each other, and grant no lease twice.
import { deepStrictEqual as equal } from "node:assert";
import type postgres from "postgres";
import { createRaceDatabase } from "./race_database.ts";

Deno.test({ name: "claims at the same time", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using database = await createRaceDatabase(12);
  const { sql } = database;
  const claim = async (by: postgres.Sql | postgres.TransactionSql, at = "now") =>
    (await by`select msg_id from private.claim_jobs('storage_gc', 1, 60, clock_timestamp() + ${
      at === "now" ? "0 s" : "2 min"
    }::interval)`).length;
  const leases = async () => (await sql`select from private.leases where msg_id is not null`).length;
  const step = (title: string, run: () => Promise<void>) =>
    t.step(title, async () => {
      await sql`select pgmq.purge_queue('storage_gc')`;
      await sql`delete from private.leases`;
      await sql`update private.queues set max_concurrency = 2 where name = 'storage_gc'`;
      await run();
    });
  const send = (count: number) =>
    sql`select private.enqueue('storage_gc', to_jsonb(n)) from generate_series(1, ${count}::int) n`;

  await step("a claim skips the lease of another that has not been committed", async () => {
    await send(5);
    await claim(sql); // adds the rows
    await sql.begin(async (claiming) => {
      equal(await claim(claiming), 1);
      equal(await claim(sql), 0);
    });
    equal([await claim(sql), await leases()], [0, 2]);
  });

  await step("a claim that finds no message takes no lease from another", async () => {
    await sql`update private.queues set max_concurrency = 1 where name = 'storage_gc'`;
    await send(1);
    await sql`select private.acknowledge_jobs('storage_gc', array(select msg_id from private.claim_jobs('storage_gc', 1, 60)))`;
    await sql.begin(async (claiming) => {
      equal(await claim(claiming), 0);
      await send(1);
      equal(await claim(sql), 1);
    });
  });

  await step("ten first claims at once keep max_concurrency", async () => {
    await send(20);
    const claimed = await Promise.all(Array.from({ length: 10 }, () => claim(sql)));
    equal([claimed.filter(Boolean).length, await leases()], [2, 2]);
  });

  await step("first claims at once, as many as max_concurrency, all get a lease", async () => {
    for (let round = 0; round < 50; round++) {
      await sql`delete from private.leases`;
      await send(2);
      equal(await Promise.all([claim(sql), claim(sql)]), [1, 1]);
    }
  });

  await step("a message that is claimed again has one lease, although another claim locked its old one", async () => {
    await send(1);
    await claim(sql);
    await sql.begin(async (locking) => {
      await locking`select from private.leases where queue = 'storage_gc' and slot = 1 for update`;
      equal(await claim(sql, "later"), 1);
    });
    await send(1);
    await claim(sql, "later"); // locks and frees the old one
    equal((await sql`select msg_id from private.leases where msg_id is not null`).length, 2);
    equal((await sql`select distinct msg_id from private.leases where msg_id is not null`).length, 2);
  });

  await step("claims at the same time give each key of a fair queue its turn", async () => {
    await sql`update private.queues set max_concurrency = 12, fair_key = 'podcast_id' where name = 'storage_gc'`;
    const sendOf = (key: string, count: number) =>
      sql`select private.enqueue('storage_gc', jsonb_build_object('podcast_id', ${key}::text, 'n', n))
        from generate_series(1, ${count}::int) n`;
    try {
      for (let round = 0; round < 20; round++) {
        await sql`select pgmq.purge_queue('storage_gc')`;
        await sql`update private.leases set msg_id = null, expires_at = null`;
        await sendOf("many", 30);
        equal(await Promise.all(Array.from({ length: 4 }, () => claim(sql))), [1, 1, 1, 1]);
        await sendOf("few", 4);
        equal(await Promise.all(Array.from({ length: 4 }, () => claim(sql))), [1, 1, 1, 1]);
        const rows = await sql`select distinct msg_id, fair_key from private.leases where msg_id is not null`;
        equal(rows.map((row) => row.fair_key).sort(), [...Array(4).fill("few"), ...Array(4).fill("many")]);
      }
    } finally {
      await sql`update private.queues set fair_key = null where name = 'storage_gc'`;
    }
  });
});
