// Large statements about notifications on a connection whose plans Postgres has kept from small ones.
import { ok } from "node:assert";
import type postgres from "postgres";
import { createRaceDatabase } from "../races/race_database.ts";

Deno.test("statements about many notifications take no longer after those about single ones", async (t) => {
  await using there = await createRaceDatabase();
  const { sql } = there;
  await sql`select tests.person('p' || n) from generate_series(1, 18) n`;
  const people: string[] = (await sql`select id from public.profiles`).map(({ id }) => id);

  /** Writes messages' notifications, and an email per recipient that lists all of them. */
  const write = async (messages: number, recipients = people): Promise<string[]> => {
    const [{ ids }] = await sql`
      with message as (
        select gen_random_uuid() as id from generate_series(1, ${messages})
      ), email as (
        insert into public.notification_deliveries (user_id, type, channel, priority, collapse_key)
        select id, 'chat.message', 'email', 'normal', gen_random_uuid() from unnest(${recipients}::uuid[]) id
        returning id, user_id
      ), written as (
        insert into private.notification_keys (dedupe_key, recipient_id, notification_id)
        select 'message:' || m.id, e.user_id, gen_random_uuid() from message m cross join email e
        returning notification_id as id, recipient_id as user_id
      ), notification as (
        insert into public.notifications (id, user_id, type, category, priority, title)
        select w.id, w.user_id, 'chat.message', 'collaboration', 'normal', 'N' from written w
      ), listed as (
        insert into private.collapsed_notifications (notification_id, delivery_id)
        select w.id, e.id from written w join email e on e.user_id = w.user_id
      )
      select array_agg(id) as ids from message`;
    return ids;
  };

  /** Compares `many` on a connection that ran `single` eight times with `many` on a new one. */
  const compare = async (
    single: (on: postgres.ReservedSql) => Promise<unknown>,
    many: (on: postgres.ReservedSql) => Promise<() => Promise<unknown>>,
  ) => {
    const used = await sql.reserve(), fresh = await sql.reserve(), seconds: number[] = [];
    try {
      for (let i = 0; i < 8; i++) await single(used);
      for (const on of [fresh, used]) {
        const run = await many(on), start = performance.now();
        await run();
        seconds.push((performance.now() - start) / 1000);
      }
    } finally {
      used.release();
      fresh.release();
    }
    console.log(`${seconds[1].toFixed(1)} s after single statements, ${seconds[0].toFixed(1)} s on a new connection`);
    ok(seconds[1] < 4 * seconds[0]);
  };

  await t.step("deleting the notifications of 2,000 messages to 18 people", async () => {
    const remove = (on: postgres.ReservedSql, ids: string[]) =>
      on`select private.delete_notifications(private.message_notification_ids(${ids}))`;
    await compare(
      async (on) => remove(on, await write(1)),
      async (on) => {
        const ids = await write(2000);
        return () => remove(on, ids);
      },
    );
  });

  await t.step("fanning out a message to 6,000 users, and 600 events to 10", async () => {
    await sql`insert into auth.users (id, email, email_confirmed_at)
      select gen_random_uuid(), 'many' || n || '@test.example', now() from generate_series(1, 6000) n`;
    await sql`analyze public.profiles, public.notification_preferences`;
    const notify = async (type: string, events: number, recipients: number) => {
      const start = performance.now();
      await sql`
        insert into private.events (type, payload, recipients, dedupe_key, group_key)
        select ${type}, '{}', r.list, 'event ' || n, ${type === "chat.message" ? "chat" : null}
        from generate_series(1, ${events}::int) n, (
          select jsonb_agg(jsonb_build_object('user_id', p.id)) as list
          from (select id from public.profiles limit ${recipients}) p) r`;
      return (performance.now() - start) / 1000;
    };
    const plain = await notify("podcast.transfer_offered", 1, 6000);
    const message = await notify("chat.message", 1, 6000), events = await notify("podcast.paused", 600, 10);
    console.log(
      `a message ${message.toFixed(1)} s, 600 events ${events.toFixed(1)} s, one event ${plain.toFixed(1)} s`,
    );
    ok(message < 4 * plain && events < 8 * plain); // each writes as many notifications
  });

  await t.step("reading 10,000 notifications", async () => {
    const read = (on: postgres.ReservedSql, most: number) =>
      on`update public.notifications set read_at = now() where id in (
        select id from public.notifications where user_id = ${people[0]} and read_at is null limit ${most})`;
    await sql`delete from public.notifications`;
    await write(8, [people[0]]);
    await compare(
      (on) => read(on, 1),
      async (on) => {
        await write(10_000, [people[0]]);
        await sql`insert into public.notification_deliveries (notification_id, user_id, type, channel, priority)
          select id, user_id, type, 'push', priority from public.notifications where read_at is null`;
        return () => read(on, 10_000);
      },
    );
  });
});
