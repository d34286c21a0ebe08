// The job calendar_sync at both providers: events follow their bookings, rosters and hosts.
import assert from "node:assert/strict";
import { byScale } from "../../scale.ts";
import { assertDelay } from "../../wait_for.ts";
import { LATER, startCalendarWorker } from "./calendar_worker.ts";

Deno.test({ name: "events follow bookings", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using worker = await startCalendarWorker();
  const { sql, events, work, book, reschedule, cancel, shown, waiting, deadLetters, settle, times } = worker;

  for (const provider of ["google", "microsoft"] as const) {
    const { state, step, writes } = worker.stepsOf(t, provider);

    await step("a confirmed booking becomes one event, which is written once", async (host) => {
      const member = await worker.addMember(host, "Ana"), notes = 'I <b>like</b> "trains" & cats';
      await work();
      const id = await book(host, { notes, start_time: LATER, end_time: "2041-05-05T10:30:00Z" });
      await worker.enqueue(id);
      await work();
      const [{ description, start, end, ...event }, ...others] = shown(host);
      assert.deepEqual(others, []);
      assert.deepEqual(event, { bookingId: id, summary: "Gus: Interview", location: "", attendees: [member.email] });
      assert.deepEqual([start, end].map(Date.parse), [Date.parse(LATER), Date.parse("2041-05-05T10:30:00Z")]);
      const shownNotes = provider === "google" ? "I &lt;b&gt;like&lt;/b&gt; &quot;trains&quot; &amp; cats" : notes;
      assert.equal(
        description,
        "Night Trains\n\nGuest: Gus (gus@guests.test)\n\nManage this booking: " +
          `https://app.example/podcasts/${host.podcastId}/bookings/${id}\n\n${shownNotes}`,
      );
      assert.equal(writes().length, 1);
      assert.deepEqual(state.emails, provider === "google" ? [] : [`POST ${member.email}`]);
      await worker.enqueue(id);
      await work();
      assert.equal(writes().length, 1, "nothing changed");
      assert.deepEqual(await waiting(), []);
    });

    await step("a rescheduled booking changes its event, and a cancelled one removes it", async (host) => {
      const id = await book(host);
      await work();
      await reschedule(id, LATER);
      await work();
      assert.deepEqual(times(host), [LATER]);
      await cancel(id);
      await work();
      assert.deepEqual(shown(host), []);
      const count = writes().length;
      await worker.enqueue(id);
      await work();
      assert.equal(writes().length, count);
    });

    await step("the place of an event follows its booking", async (host) => {
      const id = await book(host, { location: { type: "in_person", value: "Studio 1" } });
      await work();
      assert.equal(shown(host)[0].location, "Studio 1");
      for (const [location, expected] of [[{ type: "phone", value: "+49 1" }, "+49 1"], [null, ""]] as const) {
        await sql`update public.bookings set location = ${location && sql.json(location)} where id = ${id}`;
        await work();
        assert.equal(shown(host)[0].location, expected);
      }
    });

    await step("attendees follow the roster and the team; those whom the host added stay", async (host) => {
      await book(host);
      await work();
      const [ana, ben] = [await worker.addMember(host, "Ana"), await worker.addMember(host, "Ben")];
      await work();
      assert.deepEqual(shown(host)[0].attendees, [ana.email, ben.email]);
      events[provider].edit(host.account, (event) => events[provider].invite(event, "friend@elsewhere.test"));
      await sql`delete from public.episode_people where user_id = ${ana.id}`;
      await sql`select private.enqueue_attendee_change('removed', ${host.podcastId}, ${host.episodeId}, ${ana.id})`;
      await work();
      assert.deepEqual(shown(host)[0].attendees, [ben.email, "friend@elsewhere.test"]);
      const last = JSON.parse(writes().at(-1)!.text);
      if (provider === "google") assert.match(JSON.stringify(last.attendees), /"responseStatus":"accepted"/);
      await sql`delete from public.podcast_members where user_id = ${ben.id}`;
      await work();
      assert.deepEqual(shown(host)[0].attendees, ["friend@elsewhere.test"]);
    });

    await step("a deleted podcast removes its events", async (host) => {
      await book(host);
      await book(host);
      await work();
      assert.equal(shown(host).length, 2);
      await sql`delete from public.podcasts where id = ${host.podcastId}`;
      await work();
      assert.deepEqual(shown(host), []);
      const rows = await sql`select from private.calendar_events where calendar_id = ${host.calendarId}`;
      assert.equal(rows.length, 0);
    });

    await step("an event that the host deleted or moved is written again with the next change", async (host) => {
      const id = await book(host);
      await work();
      events[provider].remove(host.account);
      await reschedule(id, LATER);
      await work();
      assert.deepEqual(times(host), [LATER]);
      events[provider].remove(host.account);
      await cancel(id);
      await work();
      assert.deepEqual([shown(host), await waiting()], [[], []]);
    });

    await step("workers at once write one event with the last state", async (host) => {
      for (let round = 0; round < byScale(3, 20); round++) {
        const id = await book(host), hours = Array.from({ length: 4 }, (_, i) => `2042-01-0${i + 1}T08:00:00.000Z`);
        await Promise.all([
          worker.syncEvent(id).catch(() => {}),
          worker.syncEvent(id).catch(() => {}),
          ...hours.map(async (at) => {
            await reschedule(id, at);
            await worker.syncEvent(id).catch(() => {});
          }),
          work(),
        ]);
        await settle();
        const [{ start }] = await sql<{ start: Date }[]>`
          select start_time as start from public.bookings where id = ${id}`;
        assert.deepEqual(times(host), [start.toISOString()]);
        await cancel(id);
        await settle();
        assert.deepEqual(shown(host), []);
      }
    });

    await step("a worker that waits behind another one looks again", async (host) => {
      const id = await book(host), gate = Promise.withResolvers<void>(), arrived = Promise.withResolvers<void>();
      state.beforeWrite = () => {
        arrived.resolve();
        return gate.promise;
      };
      const first = worker.syncEvent(id);
      await arrived.promise;
      await reschedule(id, LATER);
      const began = Date.now();
      await work();
      const [{ seconds }] = await waiting();
      assertDelay(seconds, 2, began);
      gate.resolve();
      await first;
      await settle();
      assert.deepEqual(times(host), [LATER]);
    });

    await step("an event moves to another host's calendar with the role of its user", async (host) => {
      const admin = await worker.makeUser("Ana"), at = provider === "google" ? "microsoft" : "google";
      await sql`insert into public.podcast_members (podcast_id, user_id, role)
        values (${host.podcastId}, ${admin.id}, 'admin')`;
      const other = await worker.connect(admin.id, at), id = await book(host);
      await work();
      assert.deepEqual([shown(host).length, shown(other).length], [1, 0]);
      await sql`update public.podcasts set owner_id = ${admin.id} where id = ${host.podcastId}`;
      await sql`update public.podcast_members set role = 'member' where user_id = ${host.userId}`;
      await work();
      assert.deepEqual([shown(host), shown(other).map(({ bookingId }) => bookingId)], [[], [id]]);
    });

    await step("a removed connection leaves its events, and finds them when it is added again", async (host) => {
      const id = await book(host);
      await work();
      await sql`delete from public.calendar_connections where id = ${host.connectionId}`;
      await reschedule(id, LATER);
      await work();
      assert.equal(shown(host).length, 1);
      assert.notDeepEqual(times(host), [LATER]);
      await sql`insert into public.calendar_connections (id, user_id, provider, account_name)
        values (${host.connectionId}, ${host.userId}, ${provider}, ${host.address})`;
      await worker.renew(host);
      await sql`insert into public.connected_calendars
        (connection_id, user_id, external_id, name, is_writable, receives_events)
        values (${host.connectionId}, ${host.userId}, ${host.address}, 'Work', true, true)`;
      await work();
      assert.deepEqual(times(host), [LATER]);
    });
  }

  await t.step("a message of another form becomes a dead letter", async () => {
    await sql`delete from pgmq.q_calendar_sync_dlq`;
    await sql`select private.enqueue('calendar_sync', '{"type": "booking.changed", "booking_id": "x"}')`;
    await work();
    assert.match((await deadLetters())[0], /^Invalid payload: /);
  });
});
