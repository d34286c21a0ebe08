// Concurrent calls on the same slot, key, guest or booking.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { callParameters, callStatement, type Operation } from "../../functions/database/operations.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent calls on bookings", async (t) => {
  await using there = await createRaceDatabase(50);
  const { sql, as, id } = there;
  await sql`select tests.podcast('show', 'ola'), tests.open_link('open', 'show'), tests.open_link('keyed', 'show')`;
  for (const limit of ["max_bookings_per_hour", "max_unverified_bookings_per_sender"]) {
    await sql`select private.set_setting(${limit}, '1000000')`;
  }
  await sql`select private.set_plan_limit('free', 'max_new_recipients_per_day', 1000000)`;
  const open = await id("open"), hour = 3_600_000;
  const firstHour = Math.floor(Date.now() / hour) + 1; // stays the same if another hour begins meanwhile
  const slot = (n: number) => new Date((firstHour + n) * hour).toISOString();

  /** Calls as an anonymous caller with this IP address. */
  const call = (operation: Operation, args: Record<string, unknown>, address = "192.0.2.1") => {
    const claims = JSON.stringify({ role: "anon", client_address: address });
    return outcome(sql.unsafe(callStatement(operation), callParameters(claims, args)));
  };
  const request = (n: number, guest: string, more: Record<string, unknown> = {}) =>
    call("request_booking", {
      bookingLinkId: open,
      startTime: slot(n),
      guestName: "Gus",
      guestEmail: `${guest}@guests.test`,
      ...more,
    });
  /** A pending booking; its token is its name. */
  async function booked(name: string, n: number): Promise<string> {
    equal(await request(n, name), "ok");
    const [{ id }] = await sql`select id from public.bookings where guest_email = ${`${name}@guests.test`}`;
    await sql`
      insert into private.access_tokens (digest, kind, subject_id, expires_at)
      values (sha256(${name}::text::bytea), 'booking', ${id}, 'infinity')`;
    return id;
  }
  /** How many emails to an address are due now, and later. */
  const emailsTo = async (email: string) =>
    (await sql`
      select count(*) filter (where d.due_at <= now())::int as now, count(*) filter (where d.due_at > now())::int as later
      from private.delivery_addresses a join public.notification_deliveries d on d.id = a.delivery_id
      where a.email = ${email}`)[0];
  const statusOf = async (id: string) => (await sql`select status from public.bookings where id = ${id}`)[0].status;
  const sequenceOf = async (id: string) =>
    (await sql`select sequence from public.bookings where id = ${id}`)[0].sequence;

  await t.step("of fifty requests for one slot by one IP address, one succeeds", async () => {
    deepEqual(await runConcurrently(50, (i) => request(1, `slot-${i}`)), { ok: 1, PT409: 49 });
  });

  await t.step("of fifty requests for one slot by fifty IP addresses, one succeeds", async () => {
    const fromAddress = (i: number) =>
      call("request_booking", {
        bookingLinkId: open,
        startTime: slot(2),
        guestName: "Gus",
        guestEmail: `address-${i}@guests.test`,
      }, `198.51.100.${i}`);
    deepEqual(await runConcurrently(50, fromAddress), { ok: 1, PT409: 49 });
  });

  await t.step("of fifty requests of one IP address, the limit accepts ten", async () => {
    await sql`select tests.open_link('limited', 'show'), private.set_setting('max_bookings_per_hour', null)`;
    const bookingLinkId = await id("limited");
    const ended = await runConcurrently(50, (i) => request(i, `limited-${i}`, { bookingLinkId }));
    await sql`select private.set_setting('max_bookings_per_hour', '1000000')`;
    deepEqual(ended, { ok: 10, PT429: 40 });
  });

  await t.step("of four bookings that one guest verifies at once, the limit confirms two", async () => {
    await sql`select tests.open_link('instant', 'show', '{"requires_confirmation": false}'),
      private.set_setting('max_instant_bookings_per_guest', '2')`;
    const bookingLinkId = await id("instant"), guestEmail = "instant@guests.test";
    for (let n = 0; n < 4; n++) equal(await request(n, "", { bookingLinkId, guestEmail }), "ok");
    await sql`
      insert into private.access_tokens (digest, kind, subject_id, expires_at)
      select sha256(('instant-' || row_number() over (order by b.start_time))::bytea), 'booking', b.id, 'infinity'
      from public.bookings b where b.guest_email = ${guestEmail}`;
    const verify = (i: number) => call("verify_guest_booking", { accessToken: `instant-${i + 1}` });
    deepEqual(await runConcurrently(4, verify), { ok: 2, PT429: 2 });
    const statuses = await sql`
      select status, count(*)::int as n from public.bookings where guest_email = ${guestEmail} group by 1 order by 1`;
    deepEqual(statuses.map(({ status, n }) => [status, n]), [["pending", 2], ["confirmed", 2]]);
  });

  await t.step("reminders and cancellations at once end in order", async () => {
    await sql`select tests.open_link('reminded', 'show', '{"requires_confirmation": false}')`;
    const bookingLinkId = await id("reminded"), guests = Array.from({ length: 5 }, (_, n) => `reminded-${n}`);
    for (const [n, guest] of guests.entries()) {
      equal(await request(50 + n, guest, { bookingLinkId }), "ok");
      await sql`
        insert into private.access_tokens (digest, kind, subject_id, expires_at)
        select sha256(${guest}::text::bytea), 'booking', b.id, 'infinity' from public.bookings b
        where b.guest_email = ${`${guest}@guests.test`}`;
      equal(await call("verify_guest_booking", { accessToken: guest }), "ok");
    }
    const ended = await runConcurrently(
      10,
      (i) =>
        i < 5
          ? call("cancel_guest_booking", { accessToken: guests[i] })
          : outcome(sql`select private.send_due_reminders(now() + interval '50 hours')`),
    );
    deepEqual(ended, { ok: 10 });
    const [{ open, unended }] = await sql`
      select count(*) filter (where b.status <> 'cancelled' or b.next_reminder_at is not null)::int as open, (
        select count(*)::int from public.notifications n
        where n.type = 'booking.reminder' and n.read_at is null) as unended
      from public.bookings b where b.booking_link_id = ${bookingLinkId}`;
    deepEqual({ open, unended }, { open: 0, unended: 0 });
  });

  await t.step("of twenty requests with one idempotency key, one books and all succeed", async () => {
    const more = { bookingLinkId: await id("keyed"), idempotencyKey: "once" };
    deepEqual(await runConcurrently(20, () => request(5, "keyed", more)), { ok: 20 });
    const [{ n }] = await sql`select count(*)::int as n from public.bookings where guest_email = 'keyed@guests.test'`;
    equal(n, 1);
  });

  await t.step("of twenty different requests with one idempotency key, one succeeds", async () => {
    const more = { bookingLinkId: await id("keyed"), idempotencyKey: "different" };
    deepEqual(await runConcurrently(20, (i) => request(10 + i, `different-${i}`, more)), { ok: 1, PT409: 19 });
  });

  await t.step("of twenty requests of one verified guest over twenty links, five are pending", async () => {
    await sql`select tests.person('busy')`;
    await sql`select tests.open_link('l' || n, 'show') from generate_series(0, 19) n`;
    const links = await Promise.all(Array.from({ length: 20 }, (_, n) => id(`l${n}`)));
    const requestAs = (bookingLinkId: string) =>
      as("busy", "request_booking", {
        bookingLinkId,
        startTime: slot(1),
        guestName: "Busy",
        guestEmail: "busy@test.example",
      });
    const strangers = runConcurrently(20, (i) =>
      call("request_booking", {
        bookingLinkId: links[i],
        startTime: slot(2),
        guestName: "Busy",
        guestEmail: "busy@test.example",
      }, `203.0.113.${i}`));
    deepEqual(await runConcurrently(20, (i) => requestAs(links[i])), { ok: 5, PT429: 15 });
    await strangers;
  });

  await t.step("of twenty requests of one network for one link, ten are pending", async () => {
    await sql`select tests.open_link('network', 'show'), private.set_setting(
      'max_unverified_bookings_per_sender', null)`;
    const bookingLinkId = await id("network");
    const ended = await runConcurrently(20, (i) => request(i, `network-${i}`, { bookingLinkId }));
    await sql`select private.set_setting('max_unverified_bookings_per_sender', '1000000')`;
    deepEqual(ended, { ok: 10, PT429: 10 });
  });

  await t.step("of twenty requests of one network with one address, five a day are emailed", async () => {
    deepEqual(await runConcurrently(20, (i) => request(20 + i, "mails")), { ok: 20 });
    deepEqual({ ...await emailsTo("mails@guests.test") }, { now: 5, later: 5 });
    await sql`delete from public.bookings where guest_email = 'mails@guests.test'`;
    await sql`delete from private.rate_limits where key like 'notices:%'`; // the hosts are told of the next ones
  });

  await t.step("requests with one address, of as many networks, are emailed on days with room", async () => {
    const fromAddress = (i: number) =>
      call("request_booking", {
        bookingLinkId: open,
        startTime: slot(200 + i),
        guestName: "Gus",
        guestEmail: "many@guests.test",
      }, `198.51.100.${i}`);
    deepEqual(await runConcurrently(30, fromAddress), { ok: 30 });
    deepEqual({ ...await emailsTo("many@guests.test") }, { now: 20, later: 10 });
    await sql`delete from public.bookings where guest_email = 'many@guests.test'`;
  });

  await t.step("concurrent verifications of a booking record one, and tell the hosts once", async () => {
    const bookingId = await booked("verified", 55);
    await sql`delete from public.notifications where metadata ->> 'booking_id' = ${bookingId}`;
    await sql`update public.bookings set hosts_told_at = null where id = ${bookingId}`;
    deepEqual(await runConcurrently(20, () => call("verify_guest_booking", { accessToken: "verified" })), { ok: 20 });
    const [{ n }] = await sql`
      select count(*)::int as n from public.notifications where metadata ->> 'booking_id' = ${bookingId}`;
    equal(n, 1);
  });

  await t.step("requests that are verified, canceled and expire at once end without a deadlock", async () => {
    const names = Array.from({ length: 10 }, (_, n) => `racing-${n}`), ids: string[] = [];
    for (const [n, name] of names.entries()) ids.push(await booked(name, 230 + n));
    await sql`update public.bookings set expires_at = now() + interval '20 ms' where id = any (${ids})`;
    const ended = await runConcurrently(
      40,
      (i) =>
        i % 4 === 0
          ? outcome(sql`select private.expire_pending_bookings(clock_timestamp())`)
          : call(i % 4 === 1 ? "cancel_guest_booking" : "verify_guest_booking", { accessToken: names[i % 10] }),
    );
    deepEqual(Object.keys(ended).filter((end) => !["ok", "PT409"].includes(end)), []);
    await sql`select private.expire_pending_bookings(clock_timestamp() + interval '1 second')`;
    const [{ open: pending, senders }] = await sql`
      select count(*) filter (where status = 'pending')::int as open,
        (select count(sender_digest)::int from private.unverified_bookings where booking_id = any (${ids})) as senders
      from public.bookings where id = any (${ids})`;
    deepEqual([pending, senders], [0, 0]);
  });

  await t.step("emails of several podcasts to one address do not deadlock", async () => {
    const names = Array.from({ length: 4 }, (_, n) => `budget-${n}`);
    for (const name of names) {
      await sql`select tests.podcast(${name}, 'ola'), tests.open_link(${`${name}/link`}, ${name})`;
    }
    const confirm = (i: number) =>
      outcome(sql`select private.reserve_email('podcast:' || tests.id(${names[i % 4]}), 'budget@guests.test', now())`);
    const ended = await runConcurrently(24, (i) =>
      i % 2 ? confirm(i) : outcome(sql`
        select count(r.send_at) from unnest(${i % 4 ? names : names.toReversed()}::text[]) p
        cross join lateral private.try_reserve_email(
          'podcast:' || tests.id(p), 'budget@guests.test', now(), '1 hour', null) r`));
    deepEqual(Object.keys(ended).filter((end) => !["ok", "PT429"].includes(end)), []);
  });

  await t.step("of twenty confirmations, one succeeds", async () => {
    const bookingId = await booked("confirmed", 60);
    deepEqual(await runConcurrently(20, () => as("ola", "confirm_booking", { bookingId })), { ok: 1, PT409: 19 });
    equal(await sequenceOf(bookingId), 1);
  });

  for (
    const [first, second, last, ends] of [
      ["confirm_booking", "cancel_guest_booking", "cancelled", ["ok", "ok"]],
      ["cancel_guest_booking", "confirm_booking", "cancelled", ["ok", "PT409"]],
      ["decline_booking", "confirm_booking", "declined", ["ok", "PT409"]],
      ["confirm_booking", "reschedule_guest_booking", "confirmed", ["ok", "ok"]],
    ] as const
  ) {
    await t.step(`${second} waits for ${first} of the same booking`, async () => {
      const name = `${first}-${second}`, bookingId = await booked(name, 70);
      const run = (operation: Operation) =>
        operation.includes("guest")
          ? call(operation, { accessToken: name, ...operation.startsWith("re") && { startTime: slot(72) } })
          : as("ola", operation, { bookingId });
      let ended: Promise<string[]> | undefined;
      await sql.begin(async (tx) => {
        await tx`select from public.bookings where id = ${bookingId} for update`;
        const one = run(first);
        await assertBlocks(there, one);
        const two = run(second);
        await assertBlocks(there, two, 1);
        ended = Promise.all([one, two]);
      });
      deepEqual(await ended, ends);
      equal(await statusOf(bookingId), last);
      await sql`delete from public.bookings where id = ${bookingId}`;
    });
  }

  await t.step("a request expires or is confirmed, never both", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) ids.push(await booked(`expiring-${n}`, 80 + n));
    await sql`update public.bookings set expires_at = clock_timestamp() + interval '50 ms' where id = any (${ids})`;
    const expire = () => outcome(sql`select private.expire_pending_bookings(clock_timestamp())`);
    const confirmed = Promise.all(ids.map((bookingId) => as("ola", "confirm_booking", { bookingId })));
    await new Promise((resolve) => setTimeout(resolve, 60));
    deepEqual(await runConcurrently(5, expire), { ok: 5 });
    const outcomes = await confirmed;
    await expire(); // those that a refused confirmation had locked
    const rows = await sql`select id, status, sequence from public.bookings where id = any (${ids})`;
    for (const { id, status, sequence } of rows) {
      equal(status, outcomes[ids.indexOf(id)] === "ok" ? "confirmed" : "cancelled");
      equal(sequence, 1);
    }
  });

  await t.step("hosts and guests who move bookings to one slot leave one there", async () => {
    const names = Array.from({ length: 10 }, (_, n) => `moved-${n}`), ids: string[] = [];
    for (const [n, name] of names.entries()) ids.push(await booked(name, 100 + n));
    const ended = await runConcurrently(
      20,
      (i) =>
        i < 10
          ? as("ola", "reschedule_booking", { bookingId: ids[i], startTime: slot(120) })
          : i < 15
          ? call("reschedule_guest_booking", { accessToken: names[i - 10], startTime: slot(120) })
          : request(120, `newcomer-${i}`),
    );
    const [{ n }] = await sql`
      select count(*)::int as n from public.bookings
      where booking_link_id = ${open} and start_time = ${slot(120)} and status = 'pending'`;
    equal(n, 1);
    ok(ended.ok >= 1 && ended.ok <= 2 && ended.ok + ended.PT409 === 20, JSON.stringify(ended)); // both may move the same
  });

  await t.step("changes of bookings, of their link and of their podcast do not deadlock", async () => {
    const names = Array.from({ length: 8 }, (_, n) => `mixed-${n}`), ids: string[] = [];
    for (const [n, name] of names.entries()) ids.push(await booked(name, 140 + n));
    await sql`select tests.episode('pilot', 'show')`;
    const episodeId = await id("pilot");
    const ended = await runConcurrently(40, (i) =>
      [
        () => as("ola", "confirm_booking", { bookingId: ids[i % 8], episodeId }),
        () => call("reschedule_guest_booking", { accessToken: names[(i + 1) % 8], startTime: slot(160 + i) }),
        () => outcome(sql`update public.booking_links set name = ${`open ${i}`} where id = ${open}`),
        () => outcome(sql`update public.podcasts set title = ${`show ${i}`} where id = tests.id('show')`),
        () => outcome(sql`delete from public.episodes where id = ${episodeId}`),
        () => as("ola", "cancel_booking", { bookingId: ids[i % 8] }),
      ][i % 6]());
    deepEqual(Object.keys(ended).filter((end) => !["ok", "PT404", "PT409", "PT429"].includes(end)), []);
  });

  await t.step("deletions of podcasts and the expiry of their requests email each guest once", async () => {
    const names = Array.from({ length: 6 }, (_, n) => `gone-${n}`), guests = 10;
    for (const name of names) {
      await sql`select tests.podcast(${name}, 'ola'), tests.open_link(${`${name}/link`}, ${name})`;
    }
    await sql`
      insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, guest_name, guest_email,
        expires_at)
      select tests.id(p || '/link'), tests.id(p), 'Gone', now() + make_interval(hours => n),
        now() + make_interval(hours => n + 1), 'Gus', 'gone-' || n || '@guests.test',
        case when n % 2 = 0 then now() else now() + interval '1 hour' end
      from unnest(${names}::text[]) p, generate_series(1, ${guests}::int) n`;
    await sql`
      select tests.set_status(p, 'pending_deletion') from unnest(${names}::text[]) p`;
    await sql`update public.podcasts set deletion_scheduled_at = now() where status = 'pending_deletion'`;
    deepEqual(
      await runConcurrently(12, (i) =>
        outcome(
          i % 2
            ? sql`select private.expire_pending_bookings()`
            : sql`select private.delete_due_podcast(tests.id(${names[i / 2]}))`,
        )),
      { ok: 12 },
    );
    const emails = await sql`
      select count(*)::int as n from private.delivery_addresses where email like 'gone-%' group by calendar_event ->> 'uid'`;
    deepEqual(emails.map(({ n }) => n), Array(names.length * guests).fill(1));
  });
});
