// Concurrent reports about one email: by its reader, by the provider, and by the worker that has just sent it.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import type postgres from "postgres";
import { randomNumbers } from "../random.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("reports about an email, concurrent with each other and with its sending", async (t) => {
  await using there = await createRaceDatabase(12);
  const { sql, id } = there;
  await sql`select tests.person('ola')`;
  /** An email whose message id the worker has not stored. */
  const newEmail = async (name: string) => {
    await sql`select tests.sent_email(${name}, 'ola', status => 'queued')`;
    const delivery = await id(name);
    await sql`update private.delivery_sends set provider_message_id = null where delivery_id = ${delivery}`;
    return delivery;
  };
  const storeMessageId = (db: postgres.ISql, delivery: string, message: string) =>
    db`update private.delivery_sends set provider_message_id = ${message} where delivery_id = ${delivery}`;
  const report = (db: postgres.ISql, type: string, message: string, eventId: string = crypto.randomUUID()) =>
    db`select private.record_resend_event(${eventId}, jsonb_build_object('type', ${type}::text,
      'created_at', '2026-01-01T10:00:00Z', 'data', jsonb_build_object('email_id', ${message}::text)))`;
  const stateOf = async (name: string) => (await sql`select tests.delivery_state(${name}) as state`)[0].state;

  await t.step("an event that arrives while the worker stores the message's id is recorded", async () => {
    const delivery = await newEmail("first");
    let reported: Promise<string> | undefined;
    await sql.begin(async (worker) => {
      await storeMessageId(worker, delivery, "first");
      reported = outcome(report(sql, "email.delivered", "first"));
      await assertBlocks(there, reported);
    });
    deepEqual([await reported, await stateOf("first")], ["ok", "delivered delivered_at"]);
  });

  await t.step(
    "an event is recorded when the worker stores the message's id before the event is committed",
    async () => {
      const delivery = await newEmail("second");
      let stored: Promise<string> | undefined;
      await sql.begin(async (provider) => {
        await report(provider, "email.bounced", "second");
        stored = outcome(storeMessageId(sql, delivery, "second"));
        await assertBlocks(there, stored);
      });
      deepEqual([await stored, await stateOf("second")], ["ok", "bounced failed_at"]);
    },
  );

  await t.step("a dead letter waits for an attempt that is beginning, without a deadlock", async () => {
    const delivery = await newEmail("third");
    const failing = (db: postgres.ISql) =>
      db`select pgmq.send('email_deliveries_dlq', ${
        db.json({ message: { delivery_id: delivery }, error: "No answer" })
      })`;
    let failed: Promise<string> | undefined;
    await sql.begin(async (worker) => {
      await worker`select from public.notification_deliveries where id = ${delivery} for update`;
      failed = outcome(failing(sql));
      await assertBlocks(there, failed);
      await worker`update private.delivery_sends set last_error = null where delivery_id = ${delivery}`;
    });
    equal(await failed, "ok");
  });

  await t.step("attempts to send two emails about one calendar event begin one after the other", async () => {
    /** Has the sequence of the event; its begun attempt and its status are read by name. */
    const newEventEmail = async (name: string, sequence: number) => {
      await sql`select tests.sent_email(${name}, 'zoe@people.test', 'booking.confirmed', 'queued')`;
      const delivery = await id(name);
      await sql`delete from private.delivery_sends where delivery_id = ${delivery}`;
      await sql`
        update private.delivery_addresses set calendar_event = jsonb_build_object('uid', 'booking-1@casts.test',
          'method', 'REQUEST', 'status', 'CONFIRMED', 'sequence', ${sequence}::int, 'start', '2036-01-01T10:00:00Z',
          'end', '2036-01-01T11:00:00Z', 'summary', 'Recording', 'organizer', '{"email": "host@people.test"}'::jsonb,
          'attendee', '{"email": "zoe@people.test"}'::jsonb)
        where delivery_id = ${delivery}`;
      return delivery;
    };
    const begin = async (db: postgres.ISql, delivery: string) => {
      const [{ content }] = await db`select private.begin_email_delivery(${delivery}) as content`;
      return content && (content.postponed ? "postponed" : "begun");
    };
    const first = await newEventEmail("event 1", 1);
    let result: string | null = null, begun: Promise<string> | undefined;
    const beginLater = (delivery: string) => outcome(begin(sql, delivery).then((content) => result = content));
    await sql.begin(async (worker) => {
      equal(await begin(worker, first), "begun");
      begun = beginLater(await newEventEmail("event 2", 2)); // which the worker did not see
      await assertBlocks(there, begun);
    });
    deepEqual([await begun, result], ["ok", "postponed"]);

    await sql`update private.delivery_sends set attempt_expires_at = now() where delivery_id = ${first}`;
    const third = await newEventEmail("event 3", 3);
    await sql.begin(async (worker) => {
      equal(await begin(worker, third), "begun");
      begun = beginLater(await id("event 2"));
      await assertBlocks(there, begun);
    });
    deepEqual([await begun, result, await stateOf("event 2")], ["ok", null, "canceled"]);
  });

  await t.step("30 emails with concurrent reports, repeated and in any order, end with all of them", async () => {
    const random = randomNumbers(1313);
    for (let n = 0; n < 30; n++) {
      const name = `email ${n}`, delivery = await newEmail(name);
      const reports = [
        () => storeMessageId(sql, delivery, name),
        () => sql`select private.record_email_open(${`${name} open`})`,
        () => sql`select private.record_email_open(${`${name} open`})`,
        () => sql`select private.record_email_click(${`${name} click`})`,
        () => sql`select private.advance_delivery(${delivery}, 'sent')`,
        () => report(sql, "email.delivered", name, `${name} delivered`),
        () => report(sql, "email.delivered", name, `${name} delivered`),
        () => report(sql, "email.complained", name),
        () => report(sql, "email.opened", name),
      ].sort(() => random() - 0.5);
      deepEqual(await runConcurrently(reports.length, (i) => outcome(reports[i]())), { ok: reports.length }, name);
      equal(await stateOf(name), "failed sent_at delivered_at opened_at clicked_at failed_at", name);
    }
  });
});
