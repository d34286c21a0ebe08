// What calendars, mailboxes and queues hold once all bookings, workers and faults are at rest.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type postgres from "postgres";
import type { BookedEvent } from "../calendars/events/events_peer.ts";
import type { ReceivedEmail } from "../mail/smtp_peer.ts";
import type { BookingHost } from "./booking_hosts.ts";

interface BookingState {
  sequence: number;
  status: "pending" | "confirmed" | "declined" | "cancelled";
  start: Date;
  end: Date;
}

/** Records every state that a booking had; the deletion of its podcast cancels it. */
export async function recordStates(sql: postgres.Sql) {
  await sql`
    create table private.booking_states (booking_id uuid, sequence int, status public.booking_status,
      start_time timestamptz, end_time timestamptz, primary key (booking_id, sequence))`;
  await sql`
    create function private.record_booking_state() returns trigger
    language plpgsql security definer set search_path = '' as $$
    begin
      if tg_op <> 'DELETE' then
        insert into private.booking_states values (new.id, new.sequence, new.status, new.start_time, new.end_time)
        on conflict do nothing;
      elsif old.status in ('pending', 'confirmed') then
        insert into private.booking_states values (old.id, old.sequence + 1, 'cancelled', old.start_time, old.end_time);
      end if;
      return null;
    end $$`;
  await sql`
    create trigger t950_record_state after insert or update or delete on public.bookings
    for each row execute function private.record_booking_state()`;
}

/** The calendars of a podcast's hosts show its confirmed bookings, each once. Returns how many. */
export async function assertCalendars(sql: postgres.Sql, host: BookingHost, shown: BookedEvent[]): Promise<number> {
  const expected = await sql<(BookedEvent & { guest: string })[]>`
    select id as "bookingId", guest_name || ': ' || name as summary, guest_email as guest,
      start_time as start, end_time as "end", array(
        select lower(u.email) from public.episode_people p
        join public.podcast_members m on m.podcast_id = b.podcast_id and m.user_id = p.user_id
        join auth.users u on u.id = p.user_id
        where p.episode_id = b.episode_id and p.is_active) as attendees
    from public.bookings b where podcast_id = ${host.podcastId} and status = 'confirmed'`;
  const parts = ({ bookingId, summary, attendees, start, end }: BookedEvent) => ({
    bookingId,
    summary,
    attendees: [...attendees].sort(),
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
  });
  const sorted = <T extends BookedEvent>(events: T[]) => events.sort((a, b) => a.bookingId < b.bookingId ? -1 : 1);
  assert.deepEqual(sorted(shown).map(parts), sorted([...expected]).map(parts));
  const guests = new Map(expected.map(({ bookingId, guest }) => [bookingId, guest]));
  for (const { bookingId, description } of shown) assert.ok(description.includes(guests.get(bookingId)!));
  return expected.length;
}

/** What the worker knows of the events is what the calendars show. */
export async function assertKnownEvents(sql: postgres.Sql, count: number) {
  const known = await sql`select external_id is not null and written is not null as "isWritten"
    from private.calendar_events`;
  assert.deepEqual(known.map(({ isWritten }) => isWritten), Array(count).fill(true), "rows of calendar events");
}

interface Delivery {
  id: string;
  status: string;
  error: string | null;
  email: string | null;
  sequence: number | null;
  deadLetter: string | null;
}

/**
 * Each email about a booking was accepted, or canceled or rejected with a reason; each mailbox has the states of its
 * booking in their order, and the last one, unless the server rejected it. Returns figures.
 */
export async function assertMailboxes(
  sql: postgres.Sql,
  bookings: ReadonlyMap<string, string>,
  mails: ReceivedEmail[],
) {
  const deliveries = await sql<Delivery[]>`
    select d.id, d.status, s.last_error as error, a.email, (a.calendar_event -> 'sequence')::int as sequence,
      q.message ->> 'error' as "deadLetter"
    from public.notification_deliveries d
    left join private.delivery_addresses a on a.delivery_id = d.id
    left join private.delivery_sends s on s.delivery_id = d.id
    left join pgmq.q_email_deliveries_dlq q on q.message -> 'message' ->> 'delivery_id' = d.id::text
    where d.channel = 'email'`;
  const accepted = mails.filter(({ isAccepted }) => isAccepted);
  const acceptedIds = new Set(accepted.map(({ messageId }) => messageId)), failed = new Set<string>();
  const statuses = new Map<string, number>();
  for (const { id, status, error, email, sequence, deadLetter } of deliveries) {
    assert.equal(deadLetter !== null, status === "failed", `the dead letter of the delivery ${id}, ${status}`);
    if (status === "sent") assert.ok(acceptedIds.has(messageIdOf(id)), `${id} was sent`);
    else if (status === "failed") {
      assert.match(deadLetter!, /permanently rejected/);
      failed.add(`${email} ${sequence}`);
    } else assert.deepEqual([status, error !== null], ["canceled", true], `the delivery ${id}`);
    const outcome = `${email === null ? "to hosts" : "to guests"} ${status}${
      status === "canceled" ? `: ${error}` : ""
    }`;
    statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
  }

  const inboxes = Object.groupBy(accepted.filter(({ calendar }) => calendar), ({ to }) => to);
  let lastRejected = 0;
  for (const [id, email] of bookings) {
    const states = await sql<BookingState[]>`
      select sequence, status, start_time as start, end_time as "end" from private.booking_states
      where booking_id = ${id} order by sequence`;
    const entries = (inboxes[email] ?? []).map(({ calendar, messageId }) => ({ ...entryOf(calendar!), messageId }));
    for (const [i, { messageId, ...entry }] of entries.entries()) {
      const previous = entries[i - 1];
      assert.deepEqual(
        entry,
        entryOfState(entries[0].uid, states[entry.sequence]),
        `${email} got a state of the booking`,
      );
      if (!previous) continue;
      assert.ok(entry.sequence >= previous.sequence, `${email}: ${previous.sequence} came before ${entry.sequence}`);
      if (entry.sequence === previous.sequence) assert.equal(messageId, previous.messageId, email);
    }
    const { sequence } = states.at(-1)!;
    assert.equal(states.length, sequence + 1, "each change of a state raises the sequence by one");
    if (failed.has(`${email} ${sequence}`)) lastRejected++;
    else if (entries.length > 0) assert.equal(entries.at(-1)!.sequence, sequence, `${email} has the last state`);
    else assert.ok(sequence === 0 || ["declined", "cancelled"].includes(states.at(-1)!.status), `${email} was invited`);
  }
  return {
    emails: Object.fromEntries([...statuses].sort()),
    emailsAccepted: accepted.length,
    emailsAcceptedTwice: accepted.length - acceptedIds.size,
    lastEmailsRejected: lastRejected,
  };
}

/** The worker's id of an email is a digest of the delivery's. */
const messageIdOf = (deliveryId: string) =>
  `<${createHash("sha256").update(deliveryId).digest("hex").slice(0, 40)}@mail.test>`;

/** What a calendar file says. */
function entryOf(file: string) {
  const lines = file.replaceAll(/\r?\n /g, "").split(/\r?\n/);
  const value = (name: string) => lines.find((line) => line.startsWith(`${name}:`))!.slice(name.length + 1);
  return {
    uid: value("UID"),
    method: value("METHOD"),
    sequence: Number(value("SEQUENCE")),
    status: value("STATUS"),
    start: value("DTSTART"),
    end: value("DTEND"),
  };
}

function entryOfState(uid: string, { sequence, status, start, end }: BookingState) {
  const shown = { pending: "TENTATIVE", confirmed: "CONFIRMED", declined: "CANCELLED", cancelled: "CANCELLED" }[status];
  const format = (time: Date) => time.toISOString().replace(/[-:]|\.\d+/g, "");
  return {
    uid,
    method: shown === "CANCELLED" ? "CANCEL" : "REQUEST",
    sequence,
    status: shown,
    start: format(start),
    end: format(end),
  };
}
