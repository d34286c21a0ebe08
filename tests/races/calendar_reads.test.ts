// Concurrent readers of calendars, with users who select and remove them.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent readings of calendars", async (t) => {
  await using there = await createRaceDatabase();
  const { sql } = there;
  await sql`select tests.podcast('Pilot', 'ola'), tests.booking_link('link', 'Pilot')`;
  await sql`select tests.connection('work', 'ola'), tests.connection('home', 'ola', 'ics')`;
  await sql`
    select tests.connected_calendar(n || ' ' || c, c) from generate_series(1, 5) n, unnest(array['work', 'home']) c`;

  interface Read {
    lease: string;
    window_start: Date;
    window_end: Date;
    calendars: { id: string }[];
  }
  const claim = () => sql<Read[]>`select * from private.claim_calendar_reads(tests.id('link'))`;
  /** As the worker. */
  const claimConnection = (name: string) =>
    sql<Read[]>`select * from private.claim_calendar_reads(_connection_id => tests.id(${name}), lease_seconds => 32)`;
  const makeStale = () =>
    sql`update private.calendar_busy set stale_at = '-infinity', lease = null, lease_expires_at = null`;

  await t.step("each of twenty page views at once claims other calendars", async () => {
    for (let round = 0; round < 10; round++) {
      await makeStale();
      const reads = (await Promise.all(Array.from({ length: 20 }, claim))).flat();
      const ids = reads.flatMap(({ calendars }) => calendars.map(({ id }) => id));
      deepEqual([ids.length, new Set(ids).size], [10, 10]);
    }
  });

  await t.step(
    "of page views and workers at once, one reads each connection, and the rest is enqueued once",
    async () => {
      await sql`
      select tests.connected_calendar('more ' || n, 'home') from generate_series(1, 10) n`; // more than one claim takes
      for (let round = 0; round < 10; round++) {
        await makeStale();
        await sql`select tests.empty_queue('calendar_reads')`;
        const reads = await Promise.all(
          Array.from({ length: 20 }, (_, i) => i % 2 ? claim() : claimConnection(i % 4 ? "work" : "home")),
        );
        deepEqual(reads.flat().map(({ calendars }) => calendars.length).sort(), [10, 5]);
        const leases = await sql`
        select c.connection_id from private.calendar_busy b join public.connected_calendars c on c.id = b.calendar_id
        where b.lease is not null group by c.connection_id having count(distinct b.lease) > 1`;
        equal(leases.length, 0);
      }
      await sql`delete from public.connected_calendars where name like 'more %'`;
      await sql`select tests.empty_queue('calendar_reads')`;
    },
  );

  await t.step("workers that claim all connections of a user at once get three", async () => {
    const names = Array.from({ length: 8 }, (_, i) => `url ${i}`);
    await sql`select tests.connection(n, 'ola', 'ics') from unnest(${names}::text[]) n`;
    await sql`select tests.connected_calendar('of ' || n, n) from unnest(${names}::text[]) n`;
    for (let round = 0; round < 10; round++) {
      await makeStale();
      deepEqual((await Promise.all(names.map(claimConnection))).flat().length, 3);
    }
    await sql`delete from public.calendar_connections where id in (select tests.id(n) from unnest(${names}::text[]) n)`;
    await sql`select tests.empty_queue('calendar_reads')`;
  });

  await t.step("a reading that a renewal overtakes can be neither stored nor given back", async () => {
    await sql`select tests.connect_account('overtaken', 'ola')`;
    const [{ lease, calendars, window_start, window_end }] = await claimConnection("overtaken");
    const ids = calendars.map(({ id }) => id);
    const ends = await runConcurrently(4, async (i) => {
      if (i === 0) return await outcome(sql`select tests.connect_account('overtaken', 'ola')`);
      await sql`select tests.connect_account('overtaken', 'ola')`;
      const [{ isStored }] = i === 1
        ? await sql`select bool_or(private.return_calendar_read(id, ${lease})) as "isStored" from unnest(${ids}::uuid[]) id`
        : i === 2
        ? await sql`
          select bool_or(private.fail_calendar_read(id, ${lease}, 'Late')) as "isStored" from unnest(${ids}::uuid[]) id`
        : await sql`
          select bool_or(private.record_calendar_busy(id, ${lease}, ${window_start}, ${window_end}, '{}')) as "isStored"
          from unnest(${ids}::uuid[]) id`;
      return String(isStored);
    });
    deepEqual(ends, { ok: 1, false: 3 });
    await sql`delete from public.calendar_connections where id = tests.id('overtaken')`;
  });

  await t.step("of two readers of a calendar, only the one with the lease stores its result", async () => {
    await makeStale();
    const [first] = await claim();
    await sql`update private.calendar_busy set lease_expires_at = now()`; // it takes longer than its lease
    const [second] = await claim();
    const { id } = first.calendars[0];
    const ended = await runConcurrently(20, async (i) => {
      const { lease, window_start, window_end } = i % 2 ? first : second;
      const [{ isStored }] = await sql`
        select private.record_calendar_busy(${id}, ${lease}, ${window_start}, ${window_end},
          tstzmultirange(tstzrange(now() + ${i} * interval '1 hour', now() + ${
        i + 1
      } * interval '1 hour'))) as "isStored"`;
      return `${lease === second.lease ? "second" : "first"} ${isStored}`;
    });
    deepEqual(ended, { "first false": 10, "second true": 1, "second false": 9 });
    const [{ count }] = await sql`
      select count(*)::int from private.calendar_busy_intervals where calendar_id = ${id}`;
    equal(count, 1);
  });

  await t.step("readings, selections, renewals and the job run at once without a deadlock", async () => {
    await makeStale();
    const all = await sql<{ id: string }[]>`select id from public.connected_calendars order by id`;
    const ids = all.map(({ id }) => id);
    const read = async (kind: number) => {
      await sql`
        update private.calendar_busy set stale_at = '-infinity' where calendar_id in (
          select calendar_id from private.calendar_busy where lease is null for update skip locked)`;
      const reads = kind === 2 ? await claimConnection("home") : await claim();
      for (const { lease, window_start, window_end, calendars } of reads) {
        const leased = calendars.map(({ id }) => id);
        if (kind === 1) {
          await sql`select private.return_calendar_read(id, ${lease}) from unnest(${leased}::uuid[]) id`;
        } else if (kind === 0) {
          await sql`select private.fail_calendar_read(id, ${lease}, 'Broken') from unnest(${leased}::uuid[]) id`;
        } else {
          await sql`
            select private.record_calendar_busy(id, ${lease}, ${window_start}, ${window_end},
              tstzmultirange(tstzrange(now(), now() + interval '1 hour'))) from unnest(${leased}::uuid[]) id`;
        }
      }
    };
    const select = (i: number) =>
      there.as("ola", "select_calendars", { selectedIds: ids.filter((_, n) => (n + i) % 3 > 0), receivingId: null });
    const renew = () => sql`select tests.connect_account('account', 'ola')`;
    const enqueue = () => sql`select private.enqueue_due_calendar_reads(now() + interval '1 day')`;
    const ended = await runConcurrently(300, (i) => {
      if (i % 6 === 0) return select(i);
      if (i % 30 === 1) return outcome(renew());
      if (i % 10 === 3) return outcome(enqueue());
      return outcome(read(i % 4));
    });
    deepEqual(ended, { ok: 300 });
    await makeStale();
    await read(3);
    const rows = await sql`
      select n.status, exists (select from public.connected_calendars c
        where c.connection_id = n.id and c.is_selected and c.last_error is not null) as "hasError"
      from public.calendar_connections n`;
    deepEqual([...rows], Array(3).fill({ status: "active", hasError: false }));
    // a reader that claims a calendar while it is deselected leaves its lease, which the next selection ends
    const wrong = await sql`
      select c.name, b.lease, b.due_at, b.fetched_at
      from private.calendar_busy b join public.connected_calendars c on c.id = b.calendar_id
      where c.is_selected and (b.lease is not null or b.due_at is null or b.fetched_at is null)`;
    deepEqual([...wrong], []);
  });

  await t.step(
    "selections, renewals and revocations wait for a reader before they lock calendars and tokens",
    async () => {
      await sql`select tests.connect_account('account', 'ola')`;
      const [{ connectionId, calendarId }] = await sql<{ connectionId: string; calendarId: string }[]>`
      select tests.id('account') as "connectionId", tests.id('account/mine') as "calendarId"`;
      const [{ claim }] = await sql<{ claim: { leaseId: string } }[]>`
      select private.claim_calendar_token(${connectionId}, 'ACCESS') as claim`;
      const writers = {
        fail_calendar_token: () =>
          outcome(sql`select private.fail_calendar_token(${connectionId}, ${claim.leaseId}, 'It ended')`),
        finish_calendar_connection: () => outcome(sql`select tests.connect_account('account', 'ola')`),
        select_calendars: () => there.as("ola", "select_calendars", { selectedIds: [], receivingId: null }),
      };
      for (const [name, write] of Object.entries(writers)) {
        const reader = await sql.reserve();
        try {
          await sql`update public.calendar_connections set status = 'failing', last_error = 'Broken'
          where id = ${connectionId} and status = 'active'`;
          await reader`begin`;
          await reader`select from public.calendar_connections where id = ${connectionId} for no key update`;
          const writing = write();
          await assertBlocks(there, writing);
          await reader`select from public.connected_calendars where id = ${calendarId} for no key update`;
          await reader`select from private.calendar_credentials where connection_id = ${connectionId} for update`;
          await reader`commit`;
          equal(await writing, "ok", name);
        } finally {
          reader.release();
        }
      }
    },
  );
});
