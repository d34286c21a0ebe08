// Concurrent fan-out and schedulers: no deadlock, no second notification, no second message.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent fan-out and schedulers", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, id } = there, random = seededRandom(7);
  const names = Array.from({ length: 40 }, (_, n) => `reader${n}`);
  await sql`select tests.person(name) from unnest(${names}::text[]) name`;
  const readers = await Promise.all(names.map(id));
  const clear = async () => {
    await sql`delete from public.notifications`;
    await sql`delete from public.notification_deliveries`;
    await sql`delete from private.events`;
    await sql`select pgmq.purge_queue('email_deliveries')`;
  };
  /** Some users in random order, as recipients. */
  const recipients = () => {
    const chosen = readers.filter(() => random.chance(0.6)).map((user_id) => ({ user_id, order: random.next() }));
    return sql.json(chosen.sort((a, b) => a.order - b.order).map(({ user_id }) => ({ user_id })));
  };
  const waiting = async () =>
    (await sql`select count(*)::int as n from private.events where processed_at is null`)[0].n as number;
  const count = async (table: string) => (await sql`select count(*)::int as n from ${sql(table)}`)[0].n as number;

  await t.step("events with one dedupe key notify each recipient once, without a deadlock", async () => {
    const rounds = byScale(4, 40);
    for (let round = 0; round < rounds; round++) {
      const ended = await runConcurrently(16, () =>
        outcome(sql`
          select private.notify('import.completed', ${recipients()}, '{}', _dedupe_key => ${`key ${round}`})`));
      deepEqual(ended, { ok: 16 });
    }
    const [{ notified, deduped, rows, recipients: keys }] = await sql`
      select sum(notified_count)::int as notified, sum(deduped_count)::int as deduped,
        (select count(*)::int from public.notifications) as rows,
        (select count(distinct (dedupe_key, recipient_id))::int from private.notification_keys) as recipients
      from private.events`;
    deepEqual([notified, keys], [rows, rows]);
    ok(deduped > rows);
    equal(await count("notification_deliveries"), rows); // an email each
  });

  await t.step(
    "messages of one chat collapse into one email per recipient while the scheduler takes emails",
    async () => {
      await clear();
      const sent = byScale(40, 400);
      let number = 0, isSending = true;
      const enqueued: number[] = [];
      const scheduling = Promise.all([1, 2].map(async () => {
        while (isSending) {
          const [{ n }] = await sql`select private.enqueue_due_deliveries('infinity', 10) as n`;
          enqueued.push(n);
        }
      }));
      const ended = await runConcurrently(8, async () => {
        while (number < sent) {
          const n = number++;
          // two events of one transaction, as a message that mentions some of its recipients
          const notified = await outcome(sql.begin(async (tx) => {
            await tx`select private.notify('chat.mention', ${recipients()}, '{}', ${`message:${n}`}, 'episode:e:chat')`;
            await tx`select private.notify('chat.message', ${recipients()}, '{}', ${`message:${n}`}, 'episode:e:chat')`;
          }));
          if (notified !== "ok") return notified;
        }
        return "ok";
      });
      isSending = false;
      await scheduling;
      deepEqual(ended, { ok: 8 });
      await sql`select private.enqueue_due_deliveries('infinity', 1000000)`;
      const [{ unlisted, messages, queued, emails }] = await sql`
      select (select count(*)::int from public.notifications n
          where n.id not in (select c.notification_id from private.collapsed_notifications c)) as unlisted,
        (select count(*)::int from pgmq.q_email_deliveries) as messages,
        (select count(distinct message ->> 'delivery_id')::int from pgmq.q_email_deliveries) as queued,
        (select count(*)::int from public.notification_deliveries) as emails`;
      deepEqual([unlisted, messages, queued], [0, emails, emails]);
      const rows = await count("notifications");
      ok(emails < rows, `${emails} emails list ${rows} notifications`);
      console.log(`${rows} notifications in ${emails} emails; ${enqueued.length} runs of two schedulers meanwhile`);
    },
  );

  await t.step("schedulers that run at once enqueue each delivery once", async () => {
    await clear();
    const deliveries = byScale(1000, 20_000);
    await sql`
      insert into public.notification_deliveries (user_id, type, channel, priority, due_at)
      select ${readers[0]}, 'import.completed', 'email', (enum_range(null::public.notification_priority))[1 + n % 3],
        now() - n * interval '1 second' from generate_series(1, ${deliveries}::int) n`;
    let total = 0;
    const ended = await runConcurrently(10, async () => {
      for (let n = -1; n !== 0 || total < deliveries;) {
        [{ n }] = await sql`select private.enqueue_due_deliveries(now(), 30) as n`;
        total += n;
      }
      return "ok";
    });
    deepEqual([ended, total], [{ ok: 10 }, deliveries]);
    const [{ messages, distinct }] = await sql`
      select count(*)::int as messages, count(distinct message ->> 'delivery_id')::int as distinct from pgmq.q_email_deliveries`;
    deepEqual([messages, distinct], [deliveries, deliveries]);
  });

  await t.step("a change that is rolled back leaves no event, notification, delivery or message", async () => {
    await clear();
    class RolledBack extends Error {}
    const rolledBack = sql.begin(async (tx) => {
      await tx`select private.notify('import.completed', ${recipients()}, '{}', 'k', 'g')`;
      await tx`select private.enqueue_due_deliveries('infinity')`;
      ok((await tx`select from public.notifications`).length > 0);
      throw new RolledBack();
    });
    ok(await rolledBack.then(() => false, (error) => error instanceof RolledBack));
    const tables = ["private.events", "notifications", "notification_deliveries", "pgmq.q_email_deliveries"];
    deepEqual(await Promise.all(tables.map(count)), [0, 0, 0, 0]);
  });

  await t.step("a user whose account is being deleted is skipped, and neither transaction waits", async () => {
    const leaving = readers.at(-1)!, both = sql.json([{ user_id: leaving }, { user_id: readers[0] }]);
    await sql.begin(async (deleting) => {
      await deleting`delete from auth.users where id = ${leaving}`;
      await sql`select private.notify('import.completed', ${both}, '{}')`; // would wait for the deletion
    });
    deepEqual((await sql`select user_id from public.notifications`).map(({ user_id }) => user_id), [readers[0]]);
    equal(await outcome(sql`select private.notify('import.completed', ${both}, '{}')`), "ok");
    equal(await count("notifications"), 2);
    equal((await sql`select private.fan_out_waiting_events() as n`)[0].n, 1);
    deepEqual([await count("notifications"), await waiting()], [2, 0]);
  });

  await t.step("a user and a guest whose deletion is rolled back are notified once, like the others", async () => {
    await clear();
    await sql`select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.guest('gus', 'pilot')`;
    await sql`delete from private.events`;
    const [{ guest }] = await sql`select id as guest from public.episode_guests`;
    const staying = readers[1],
      asked = sql.json([{ user_id: staying }, { user_id: readers[0] }, {
        episode_guest_id: guest,
      }]);
    class RolledBack extends Error {}
    await sql.begin(async (deleting) => {
      await deleting`delete from auth.users where id = ${staying}`;
      await deleting`delete from public.episodes`;
      await sql`select private.notify('chat.mention', ${asked}, '{}', 'k', 'episode:e:chat')`;
      equal((await sql`select private.fan_out_waiting_events() as n`)[0].n, 1); // neither waits nor forgets
      deepEqual([await count("notifications"), await waiting()], [1, 1]);
      throw new RolledBack();
    }).catch((error) => ok(error instanceof RolledBack));
    const ended = await runConcurrently(8, () => outcome(sql`select private.fan_out_waiting_events()`));
    deepEqual([ended, await waiting()], [{ ok: 8 }, 0]);
    const notified = await sql`select coalesce(user_id, episode_guest_id) as id from public.notifications`;
    deepEqual(notified.map((row) => row.id).sort(), [staying, readers[0], guest].sort());
    deepEqual(
      { ...(await sql`select notified_count, deduped_count, recipients from private.events`)[0] },
      { notified_count: 3, deduped_count: 0, recipients: null },
    );
    equal(await count("notification_deliveries"), 3);
  });

  await t.step("a waiting event about a message that was deleted meanwhile notifies no user", async () => {
    await clear();
    const payload = sql.json({ message_id: crypto.randomUUID() }), asked = sql.json([{ user_id: readers[0] }]);
    await sql.begin(async (locking) => {
      await locking`select from public.profiles where id = ${readers[0]} for update`;
      await sql`select private.notify('chat.mention', ${asked}, ${payload}, 'k', 'episode:e:chat')`;
      equal(await waiting(), 1);
    });
    await sql`select private.fan_out_waiting_events()`;
    deepEqual([await count("notifications"), await waiting()], [0, 0]);
  });

  await t.step(
    "callers who may not remove a guest, and owners who may not delete their account, lock no row",
    async () => {
      await sql`select tests.person('stranger')`;
      const [{ guest }] = await sql`select id as guest from public.episode_guests`;
      await sql.begin(async (locking) => {
        await locking`select from public.episode_guests for key share`;
        await locking`select from public.profiles for key share`;
        for (
          const [person, operation, args, status] of [
            ["stranger", "remove_episode_guest", { episodeGuestId: guest }, "PT403"],
            ["ola", "delete_account", {}, "PT409"],
          ] as const
        ) {
          let ended: string | undefined;
          const call = there.as(person, operation, args).then((status) => ended = status);
          await assertBlocks(there, call);
          equal(ended, status);
        }
      });
    },
  );

  await t.step("a deletion of an account that waits for a fan-out deletes what it wrote", async () => {
    await clear();
    const leaving = readers.at(-2)!;
    let deleting: Promise<string> | undefined;
    await sql.begin(async (tx) => {
      await tx`select private.notify('import.completed', ${sql.json([{ user_id: leaving }])}, '{}')`;
      deleting = outcome(sql`delete from auth.users where id = ${leaving}`);
      for (let waiting = 0; waiting === 0;) {
        [{ waiting }] =
          await sql`select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      }
    });
    equal(await deleting, "ok");
    deepEqual([await count("notifications"), await count("notification_deliveries")], [0, 0]);
  });
});
