// Concurrent attempts to write the event of a booking, and deletions meanwhile: no event without a row, one attempt at
// a time, no message lost.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { assertBlocks, createRaceDatabase, outcome } from "./race_database.ts";

Deno.test("concurrent attempts to write calendar events", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, id } = there;
  await sql`select tests.podcast('show', 'ola'), tests.receiving_calendar('ola')`;
  let made = 0;
  async function makeSession() {
    const name = `session${++made}`;
    await sql`select tests.session(${name}, 'show', ${
      sql.json({
        start_time: new Date(Date.UTC(2040, 0, 1, made)).toISOString(),
        end_time: new Date(Date.UTC(2040, 0, 1, made + 1)).toISOString(),
      })
    })`;
    return await id(name);
  }
  const begin = async (bookingId: string): Promise<string> =>
    (await sql`select private.begin_calendar_sync(${bookingId}) ->> 'state' as state`)[0].state;
  const deletions = async (bookingId: string) =>
    (await sql`select from pgmq.q_calendar_sync
      where message @> ${sql.json({ type: "booking.deleted", booking_id: bookingId })}`).length;

  await t.step("one of ten attempts begins, and the others are told to come back", async () => {
    for (let round = 0; round < 5; round++) {
      const bookingId = await makeSession();
      const states = await Promise.all(Array.from({ length: 10 }, () => begin(bookingId)));
      deepEqual(states.sort(), ["begun", ...Array(9).fill("busy")].sort());
    }
  });

  await t.step("a deletion waits for an attempt that begins, and enqueues the removal", async () => {
    const bookingId = await makeSession(), session = await sql.reserve();
    try {
      await session`begin`;
      await session`select private.begin_calendar_sync(${bookingId})`;
      const deleting = outcome(sql`delete from public.bookings where id = ${bookingId}`);
      await assertBlocks(there, deleting);
      await session`commit`;
      equal(await deleting, "ok");
    } finally {
      session.release();
    }
    equal(await deletions(bookingId), 1);
  });

  await t.step("attempts and deletions at once leave no row without a message", async () => {
    for (let round = 0; round < 20; round++) {
      const bookingId = await makeSession();
      const [state] = await Promise.all([begin(bookingId), sql`delete from public.bookings where id = ${bookingId}`]);
      const rows = await sql`select from private.calendar_events where booking_id = ${bookingId}`;
      ok(state === null || state === "begun", `${state}`);
      deepEqual([rows.length, await deletions(bookingId)], state === null ? [0, 0] : [1, 1]);
    }
  });

  await t.step("a rejection waits for the removal of its calendar before it locks the event", async () => {
    const bookingId = await makeSession(), session = await sql.reserve();
    try {
      await begin(bookingId);
      const [{ attemptId, calendarId }] = await sql<{ attemptId: string; calendarId: string }[]>`
        select attempt_id as "attemptId", calendar_id as "calendarId"
        from private.calendar_events where booking_id = ${bookingId}`;
      await session`begin`;
      await session`select from public.connected_calendars where id = ${calendarId} for update`;
      const failing = outcome(sql`select private.fail_calendar_sync(${bookingId}, ${attemptId}, 'Denied')`);
      await assertBlocks(there, failing);
      await session`select from private.calendar_events where booking_id = ${bookingId} for update`;
      await session`commit`;
      equal(await failing, "ok");
      await sql`update public.connected_calendars set events_error = null, receives_events = true
        where id = ${calendarId}`;
    } finally {
      session.release();
    }
  });

  await t.step("attempts and a removal of the connection at once do not block each other", async () => {
    for (let round = 0; round < 5; round++) {
      const name = `admin${round}`;
      await sql`select tests.podcast(${`show/${name}`}, ${name}), tests.receiving_calendar(${name})`;
      const bookings = [];
      for (let i = 0; i < 5; i++) {
        await sql`select tests.session(${`${name}/${i}`}, ${`show/${name}`})`;
        bookings.push(await id(`${name}/${i}`));
      }
      await Promise.all(bookings.map(begin));
      await sql`update private.calendar_events set lease_expires_at = null`;
      const ended = await Promise.all([
        ...bookings.map((bookingId) => outcome(begin(bookingId))),
        outcome(sql`delete from public.calendar_connections where id = ${await id(`${name}/connection`)}`),
      ]);
      deepEqual(ended, Array(6).fill("ok"));
    }
  });
});
