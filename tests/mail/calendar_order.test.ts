// Emails about one calendar event reach the mail server in the order of their SEQUENCE, also when it is slow, and when
// workers die.
import assert from "node:assert/strict";
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { startSmtpPeer } from "./smtp_peer.ts";

const peer = await startSmtpPeer();
const { sql } = await createFeedDatabase(undefined, { SMTP_URL: peer.url, MAIL_FROM: "Casts <casts@mail.test>" });
const { drain } = await import("../../functions/worker/loop.ts");
const { sendEmailDeliveryJob } = await import("../../functions/worker/jobs/send_email_delivery.ts");
const { sendNotification } = await import("../../functions/mail/send_notification.ts");
const { RequeueJob } = await import("../../functions/runtime/job_run.ts");
const options = { sanitizeOps: false, sanitizeResources: false }; // the database lives as long as the file

let bookings = 0;

/** A function that emails the guest of a new booking its next state, and returns the delivery. */
function newBooking() {
  const n = ++bookings, email = `guest-${n}@guests.test`;
  const notify = async (sequence: number, method = "REQUEST") => {
    await sql`select private.notify('booking.confirmed', ${
      sql.json([{
        email,
        url: "https://casts.test/booking",
        access: { kind: "booking", subject_id: crypto.randomUUID(), expires_at: "2036-01-01T00:00:00Z" },
        calendar_event: {
          uid: `booking-${n}@casts.test`,
          method,
          status: method === "REQUEST" ? "CONFIRMED" : "CANCELLED",
          sequence,
          start: "2036-01-01T10:00:00Z",
          end: "2036-01-01T11:00:00Z",
          summary: "Recording",
          organizer: { email: "host@people.test" },
          attendee: { email },
        },
      }])
    }, '{"start_at": "2036-01-01T10:00:00Z"}')`;
    await sql`select private.enqueue_due_deliveries()`;
    const [{ id }] = await sql<{ id: string }[]>`
      select delivery_id as id from private.delivery_addresses
      where email = ${email} and calendar_event -> 'sequence' = ${sequence}::text::jsonb`;
    return id;
  };
  const received = () =>
    peer.received.filter(({ to }) => to === email).map(({ calendar }) => calendar!.match(/^SEQUENCE:(\d+)/m)![1]);
  return { email, notify, received };
}

const stateOf = async (id: string) => {
  const [{ status, error }] = await sql`
    select d.status, s.last_error as error
    from public.notification_deliveries d left join private.delivery_sends s on s.delivery_id = d.id where d.id = ${id}`;
  return [status, error];
};
const REPLACED = ["canceled", "A newer email about this event replaced it"];

/** Processes the queue, whose messages become due. */
async function work() {
  await sql`update pgmq.q_email_deliveries set vt = now() - interval '1 second'`;
  await drain(sendEmailDeliveryJob as Job, timeBudget(60_000));
}

Deno.test("a newer email waits while another worker sends an older one to a slow server", options, async () => {
  const { email, notify, received } = newBooking();
  const arrived = Promise.withResolvers<void>(), decided = Promise.withResolvers<void>();
  peer.setDelay((to) => {
    if (to !== email) return;
    peer.setDelay(() => undefined);
    arrived.resolve();
    return decided.promise;
  });
  const older = await notify(1), sending = sendNotification(older, 120);
  await arrived.promise;
  const newer = await notify(2);
  await assert.rejects(sendNotification(newer, 120), RequeueJob);
  await work(); // another worker, which finds the message of the older one too
  assert.deepEqual([received(), await stateOf(newer), (await stateOf(older))[0]], [[], ["queued", null], "canceled"]);
  const [{ attempts }] = await sql`
    select sum(q.read_ct)::int as attempts from pgmq.q_email_deliveries q
    where q.message ->> 'delivery_id' = ${newer}`;
  assert.equal(attempts, 0, "waiting uses up no attempt");
  decided.resolve();
  await sending;
  await work();
  assert.deepEqual([received(), await stateOf(newer)], [["1", "2"], ["sent", null]]);
});

Deno.test("of several unsent emails only the newest is sent", options, async () => {
  const { notify, received } = newBooking();
  await notify(0);
  await work();
  const ids = [await notify(1), await notify(2), await notify(3, "CANCEL")];
  await work();
  await work();
  assert.deepEqual(received(), ["0", "3"]);
  assert.deepEqual(await Promise.all(ids.map(stateOf)), [REPLACED, REPLACED, ["sent", null]]);
});

Deno.test("a newer email is sent when the time of an attempt whose worker died has passed", options, async () => {
  const { notify, received } = newBooking();
  const older = await notify(1);
  await sql`select private.begin_email_delivery(${older})`; // then the worker dies
  const newer = await notify(2);
  await work();
  assert.deepEqual([received(), await stateOf(newer), await stateOf(older)], [[], ["queued", null], REPLACED]);
  await sql`update private.delivery_sends set attempt_expires_at = now() where delivery_id = ${older}`;
  await work();
  assert.deepEqual([received(), await stateOf(newer)], [["2"], ["sent", null]]);
});
