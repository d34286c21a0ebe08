// Large statements about notifications on a connection whose plans Postgres has kept from small ones.
import { ok } from "node:assert/strict";
import type postgres from "postgres";
import { createRaceDatabase } from "../races/race_database.ts";

Deno.test("plans that were kept for single notifications are not quadratic for many", async (t) => {
  await using there = await createRaceDatabase();
  const { sql } = there;
  await sql`select tests.podcast('show', 'ola')`;

  /** Writes the notifications of messages, each with a push that waits, and returns the messages. */
  async function write(messages: number, perMessage: number): Promise<string[]> {
    const [{ ids }] = await sql`
      with message as (select gen_random_uuid() as id from generate_series(1, ${messages})), written as (
        insert into public.notifications (user_id, type, category, priority, title, dedupe_key)
        select p.id, 'chat.message', 'collaboration', 'normal', 'N', 'message:' || m.id
        from message m cross join (select id from public.profiles order by id limit ${perMessage}) p
        returning id, user_id
      ), delivery as (
        insert into public.notification_deliveries (notification_id, user_id, type, channel, priority)
        select w.id, w.user_id, 'chat.message', 'push', 'normal' from written w)
      select array_agg(id) as ids from message`;
    return ids;
  }

  /** Compares `many` on a connection that ran `single` eight times with `many` on a new one. */
  async function compare(
    single: (on: postgres.ReservedSql) => Promise<unknown>,
    many: (on: postgres.ReservedSql) => Promise<unknown>,
  ) {
    const used = await sql.reserve(), fresh = await sql.reserve();
    try {
      const seconds: number[] = [];
      for (let i = 0; i < 8; i++) await single(used);
      for (const on of [fresh, used]) {
        const start = performance.now();
        await many(on);
        seconds.push((performance.now() - start) / 1000);
      }
      ok(seconds[1] < 5 * seconds[0], `${seconds[1]} s after single statements, ${seconds[0]} s on a new connection`);
    } finally {
      used.release();
      fresh.release();
    }
  }

  await t.step("deleting the notifications of thousands of messages", async () => {
    await sql`select tests.person('p' || n) from generate_series(1, 19) n`;
    await compare(
      async (on) => on`select private.delete_message_notifications(${await write(1, 20)})`,
      async (on) => on`select private.delete_message_notifications(${await write(600, 20)})`,
    );
  });
});
