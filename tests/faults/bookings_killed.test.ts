// Guests and hosts request, confirm, move, decline and cancel bookings, requests expire, teams, links and calendars
// change and a podcast is deleted, while workers are killed, and while calendars and the mail server fail, hang, and
// lose connections before and after they did what was asked. When all is over, each calendar shows the bookings as they
// are, and each guest has the last state, in order.
import assert from "node:assert/strict";
import { callParameters, callStatement, type Operation } from "../../functions/database/operations.ts";
import { startCalendarWorker } from "../calendars/events/calendar_worker.ts";
import type { Fault } from "../calendars/providers/provider_peer.ts";
import { connectTo } from "../database.ts";
import { type SmtpFault, startSmtpPeer } from "../mail/smtp_peer.ts";
import { outcome } from "../races/race_database.ts";
import { seededRandom } from "../random.ts";
import { waitFor } from "../wait_for.ts";
import { startWorkerWith } from "../worker/worker.ts";
import { type BookingHost, bookingHosts } from "./booking_hosts.ts";
import { assertCalendars, assertKnownEvents, assertMailboxes, recordStates } from "./booking_outcomes.ts";

const seed = Number(Deno.env.get("CASTBASE_SEED") ?? Date.now() % 1e9);
const BOOKINGS = 500, CHANGES = 700, ACTORS = 6, WORKERS = 3;
const QUEUES = ["calendar_sync", "email_deliveries", "podcast_deletions"];
/** The workers get so far that little is left when the faults end, unless the machine is slow. */
const MAX_SECONDS_OF_FAULTS = 180;
/** A longer queue would hide what happens to two changes in a row. */
const MAX_WAITING = 40, MAX_SECONDS_OF_WAITING = 150;
/** A worker is killed after so many requests of all workers to calendars and mail server, or so many seconds. */
const MAX_REQUESTS_OF_LIFE = 150, MAX_SECONDS_OF_LIFE = 15;
const HALF_AN_HOUR = 1800_000;

/** "expired": the token is no longer valid, and a new one is. */
type CalendarFault = Fault | "expired";
const CALENDAR_FAULTS: CalendarFault[] = [
  ...Array(6).fill("server_error"),
  ...Array(6).fill("truncated"), // without effect
  ...Array(8).fill("lost_after"),
  ...Array(6).fill("expired"),
  ...Array(3).fill("rate_limited"),
  ...Array(2).fill("malformed"),
  "slow",
];
/**
 * Writes that are refused because the event has changed or was deleted, though the next reading shows that it is not. A 404
 * or 410 to a removal is final, so only the peer itself gives it.
 */
const REFUSALS: Record<"google" | "microsoft", Partial<Record<string, Fault[]>>> = {
  google: { PATCH: ["precondition_failed", "not_found", "gone"], DELETE: ["precondition_failed"] },
  microsoft: { PATCH: ["precondition_failed", "not_found", "conflict"], DELETE: ["precondition_failed", "conflict"] },
};
const TOKEN_FAULTS: Fault[] = ["server_error", "truncated", "lost_after"];
const SMTP_FAULTS: SmtpFault[] = [
  ...Array<SmtpFault>(10).fill("drop_after"),
  ...Array<SmtpFault>(8).fill("lost_before"),
  ...Array<SmtpFault>(6).fill("busy"),
  ...Array<SmtpFault>(2).fill("busy_recipient"),
  "rejected_content",
];

Deno.test({
  name: "500 bookings that change while workers die and their peers fail are right in all calendars and mailboxes",
  sanitizeOps: false, // connections to killed processes outlive the test
  sanitizeResources: false,
  async fn() {
    console.log(`CASTBASE_SEED=${seed}`);
    const random = seededRandom(seed), began = performance.now();
    const secondsSoFar = () => Math.round((performance.now() - began) / 1000);
    await using mail = await startSmtpPeer();
    await using calendars = await startCalendarWorker();
    const { sql, peers, events, env } = calendars, { makeHost, changeOf, settle, shown } = bookingHosts(calendars);
    const calls = connectTo(env.SUPABASE_DB_URL, ACTORS);
    await using _calls = { [Symbol.asyncDispose]: () => calls.end({ timeout: 1 }) };
    const counts = new Map<string, number>();
    const count = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1);

    for (
      const limit of [
        "max_bookings_per_hour",
        "max_unverified_bookings_per_sender",
        "max_network_emails_per_recipient_per_day",
        "max_sender_emails_per_recipient_per_day",
        "max_emails_from_strangers_per_day",
      ]
    ) {
      await sql`select private.set_setting(${limit}, '100000')`;
    }
    await sql`select private.set_plan_limit('free', 'max_new_recipients_per_day', 100000)`;
    await sql`update private.queues set backoff_base = '1 second', backoff_max = '3 seconds'
      where name = any (${QUEUES})`;
    await recordStates(sql);
    const hosts = await Promise.all([
      makeHost("google"),
      makeHost("microsoft"),
      makeHost("google"),
      makeHost("google", { isDenied: true }),
      makeHost("microsoft", { isDenied: true }),
      makeHost("microsoft"), // its podcast is deleted
    ]);
    const doomed = hosts.at(-1)!;
    // of the emails to hosts, those about cancellations are enough
    await sql`update public.notification_preferences
      set email_new_booking = false, email_booking_confirmed = false, email_booking_rescheduled = false`;

    interface Booked {
      id: string;
      email: string;
      host: BookingHost;
    }
    const bookings: Booked[] = [], wrong = new Set<string>();
    const firstSlot = Math.ceil((Date.now() + 24 * 3600_000) / HALF_AN_HOUR) * HALF_AN_HOUR;
    const anySlot = () => new Date(firstSlot + random.below(2500) * HALF_AN_HOUR).toISOString();
    let requests = 0, changes = 0, waiting = 0;

    // What the peers do
    let isFaulty = true, delayed = 0;
    const draw = <F extends string>(peer: string, chance: number, choices: readonly F[]): F | undefined => {
      if (!isFaulty || !random.chance(chance)) return;
      const fault = random.one(choices);
      count(`fault of ${peer}: ${fault}`);
      return fault;
    };
    /** Executed late, perhaps after its worker is dead, while the booking changes. */
    const delay = async (peer: string, booking: Booked | undefined) => {
      if (!isFaulty || !random.chance(0.15)) return;
      count(`fault of ${peer}: late`);
      delayed++;
      if (booking) {
        await call("reschedule_booking", { bookingId: booking.id, startTime: anySlot() }, booking.host);
      }
      await new Promise((resolve) => setTimeout(resolve, 200 + random.below(2500)));
      delayed--;
    };
    for (const name of ["google", "microsoft"] as const) {
      const peer = peers[name], firstUsed = new Map<string, number>();
      peer.state.rotatesRefreshTokens = false; // both providers accept a token again whose successor was lost
      events[name].state.beforeWrite = async ({ text, account }) => {
        await delay(name, bookings.find(({ id }) => text.includes(id)));
        if (isFaulty && random.chance(0.05)) {
          events[name].edit(account, (event) => event.color = "red");
          count(`${name}: a user changes events just before a write`);
        }
        events.microsoft.state.duplicateStatus = random.one([201, 409]);
      };
      const choices: CalendarFault[] = name === "google" ? [...CALENDAR_FAULTS, "rate_limited_403"] : CALENDAR_FAULTS;
      peer.setFault(({ method, path, headers }) => {
        if (path.endsWith("/token")) return draw(`${name} token`, 0.2, TOKEN_FAULTS);
        const token = headers.get("authorization")!.replace("Bearer ", "");
        if (!firstUsed.has(token)) firstUsed.set(token, Date.now());
        const refusals = REFUSALS[name][method], refusal = refusals && draw(name, 0.15, refusals);
        if (refusal) return refusal;
        const fault = draw(name, 0.2, choices);
        if (fault !== "expired") return fault;
        // no provider ends a token that it has just issued
        const known = peer.accessTokens.get(token);
        if (known && Date.now() - firstUsed.get(token)! > 4000) known.isExpired = true;
      });
    }
    mail.setFault(() => draw("SMTP", 0.2, SMTP_FAULTS));
    mail.setDelay((to) => delay("SMTP", bookings.find(({ email }) => email === to)));

    // What guests and hosts do
    /** As the owner of the host's podcast, or as a guest. */
    async function call(operation: Operation, args: Record<string, unknown>, host?: BookingHost, more: string[] = []) {
      const claims = JSON.stringify(
        host ? { role: "authenticated", sub: host.userId } : { role: "anon", client_address: "192.0.2.1" },
      );
      const ended = await outcome(calls.unsafe(callStatement(operation), callParameters(claims, args)));
      count(`${operation} ${ended}`);
      const isExpected = ["ok", "PT409", "PT429", ...host?.isDeleted ? ["PT404"] : [], ...more].includes(ended);
      if (!isExpected) wrong.add(`${operation} ${ended}`);
      return ended;
    }

    async function request() {
      const email = `guest-${++requests}@guests.test`, host = random.one(hosts);
      const link = random.chance(0.1) ? 1 : 0, bookingLinkId = host.linkIds[link];
      const ended = await call(
        "request_booking",
        {
          bookingLinkId,
          startTime: anySlot(),
          guestName: `Guest <${requests}>`,
          guestEmail: email,
          notes: "I sing & dance",
          ...random.chance(0.5) && { episodeId: host.episodeId },
        },
        undefined,
        host.isDeleted || link === 1 ? ["PT404"] : [],
      );
      if (ended !== "ok") return;
      const [{ id }] = await sql`
        select subject_id as id from private.delivery_addresses a cross join lateral (
          select (a.access ->> 'subject_id')::uuid as subject_id) s where a.email = ${email}`;
      bookings.push({ id, email, host });
    }

    async function change() {
      const { id, email, host } = random.one(random.chance(0.5) ? bookings.slice(-20) : bookings);
      const asHost = (operation: Operation, args = {}) => call(operation, { bookingId: id, ...args }, host);
      const asGuest = (operation: Operation, args = {}) => {
        const tokens = mail.received.filter(({ to, isAccepted }) => to === email && isAccepted)
          .flatMap(({ text }) => /#token=(\S+)/.exec(text)?.[1] ?? []);
        if (tokens.length === 0) return; // the guest has no email yet, or the podcast's deletion wrote it
        return call(
          operation,
          { accessToken: random.one(tokens), ...args },
          undefined,
          host.isDeleted ? ["PT401", "PT404"] : [],
        );
      };
      changes++;
      const what = random.below(22);
      if (what < 8) await asHost("confirm_booking", random.chance(0.5) ? { episodeId: host.episodeId } : {});
      else if (what < 12) await asHost("reschedule_booking", { startTime: anySlot() });
      else if (what < 13) await asHost("cancel_booking", { message: "Sorry" });
      else if (what < 14) await asHost("decline_booking");
      else if (what < 19) await asGuest("reschedule_guest_booking", { startTime: anySlot() });
      else if (what < 20) await asGuest("cancel_guest_booking");
      else { // no host answers the request: the job ends it
        await sql`update public.bookings set expires_at = now() where id = ${id} and status = 'pending'`;
      }
    }

    async function changeHost() {
      const host = random.one(hosts);
      if (host.isDeleted) return;
      const callAsOwner = (operation: Operation, args: Record<string, unknown>) => call(operation, args, host);
      const [name, run] = changeOf(host, random, callAsOwner, anySlot);
      count(name);
      await run();
    }

    async function deletePodcast() {
      doomed.isDeleted = true;
      await call(
        "delete_podcast",
        { podcastId: doomed.podcastId, confirmName: "Night Trains", redirectDays: 0 },
        doomed,
      );
    }

    async function act() {
      while (bookings.length < BOOKINGS || changes < CHANGES) {
        const isBehind = bookings.length * CHANGES < changes * BOOKINGS;
        if (!doomed.isDeleted && changes > 0.7 * CHANGES) await deletePodcast();
        else if (bookings.length === 0 || bookings.length < BOOKINGS && isBehind) await request();
        else if (random.chance(0.06)) await changeHost();
        else await change();
        do await new Promise((resolve) => setTimeout(resolve, random.below(300))); while (
          waiting > MAX_WAITING && performance.now() - began < MAX_SECONDS_OF_WAITING * 1000
        );
      }
    }

    // The workers' lives
    const workerEnv = { ...env, SMTP_URL: mail.url, MAIL_FROM: "Casts <casts@mail.test>" };
    const requestsSoFar = () => peers.google.requests.length + peers.microsoft.requests.length + mail.received.length;
    let workersKilled = 0;
    const liveAndDie = async () => {
      await using worker = startWorkerWith(workerEnv, QUEUES);
      const start = performance.now(), last = requestsSoFar() + 1 + random.below(MAX_REQUESTS_OF_LIFE);
      while (requestsSoFar() < last && performance.now() - start < MAX_SECONDS_OF_LIFE * 1000) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await worker.kill();
      workersKilled++;
    };
    /** As after minutes without workers: what they asked for has been executed, and their leases have ended. */
    async function passMinutes() {
      await waitFor("the peers finish what dead workers asked for", () => delayed === 0);
      await new Promise((resolve) => setTimeout(resolve, 300)); // also the database
      for (const queue of QUEUES) await sql`update ${sql(`pgmq.q_${queue}`)} set vt = clock_timestamp()`;
      await sql`update private.calendar_events set lease_expires_at = now()`;
      await sql`update private.calendar_credentials set lease_expires_at = now() where lease_id is not null`;
      await sql`update private.delivery_sends set attempt_expires_at = now() where attempt_expires_at is not null`;
    }
    /** Runs what cron runs. */
    const left = async () => {
      await sql`select private.expire_pending_bookings(), private.enqueue_due_deliveries(), private.enqueue_due_deletions()`;
      const [{ left }] = await sql<{ left: number }[]>`
        select sum(depth)::int as left from private.queue_health where queue = any (${QUEUES})`;
      return waiting = left;
    };

    let isOver = false;
    const cron = (async () => {
      while (!isOver) {
        await left();
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    })();
    const acting = Promise.all(Array.from({ length: ACTORS }, act)).finally(() => isOver = true);
    const killing = (async () => {
      while (!isOver || await left() > 50 && secondsSoFar() < MAX_SECONDS_OF_FAULTS) {
        await Promise.all(Array.from({ length: WORKERS }, async () => {
          await liveAndDie();
          if (random.chance(0.5)) await liveAndDie();
        }));
        await passMinutes();
      }
    })();
    await Promise.all([acting, killing, cron]);
    const secondsOfFaults = secondsSoFar(), waitingAtEnd = await left();

    isFaulty = false;
    for (const host of hosts) await settle(host, (operation, args) => call(operation, args, host));
    assert.deepEqual([...wrong], [], "every call succeeds, is in conflict, or is over its limit");
    {
      await using _one = startWorkerWith(workerEnv, QUEUES);
      await using _other = startWorkerWith(workerEnv, QUEUES);
      await waitFor("the queues are empty", async () => await left() === 0, 180).catch(async (error) => {
        console.log(await calendars.waiting(), await sql`select * from pgmq.q_email_deliveries limit 5`);
        throw error;
      });
    }
    const secondsOfRest = secondsSoFar() - secondsOfFaults;

    let confirmed = 0;
    for (const host of hosts) confirmed += await assertCalendars(sql, host, shown(host));
    await assertKnownEvents(sql, confirmed);
    const denied = hosts.filter(({ isDenied }) => isDenied);
    assert.deepEqual(denied.flatMap(calendars.shown), [], "calendars without access");
    const problems = await sql`
      select c.id, c.events_error as reason from public.connected_calendars c
      join public.calendar_connections n on n.id = c.connection_id
      where c.events_error is not null or n.status not in ('pending', 'active')`; // no worker here reads them
    assert.deepEqual(problems.map(({ id }) => id).sort(), denied.map(({ calendarId }) => calendarId).sort());
    for (const { reason } of problems) assert.match(reason, /denies access to the calendar/);
    assert.deepEqual(await calendars.deadLetters(), [], "every event could be written in the end");
    assert.equal((await sql`select from public.podcasts where id = ${doomed.podcastId}`).length, 0);

    const figures = await assertMailboxes(sql, new Map(bookings.map(({ id, email }) => [id, email])), mail.received);
    for (const [name, { requests }] of Object.entries(peers)) {
      for (const { method, path, status = "no response" } of requests) {
        if (path.includes("/events")) count(`responses of ${name}: ${method} ${status}`);
      }
    }
    console.log({
      seed,
      seconds: secondsSoFar(),
      secondsOfFaults,
      secondsOfRest,
      workersKilled,
      waitingWhenFaultsEnded: waitingAtEnd,
      bookings: bookings.length,
      confirmedAndInCalendars: confirmed,
      ...figures,
      ...Object.fromEntries([...counts].sort()),
    });
    assert.ok(bookings.length >= BOOKINGS && confirmed > 100 && workersKilled > 10, "the calls did what they are for");
    for (const status of [403, 404, 409, 410, 412]) {
      assert.ok([...counts.keys()].some((name) => name.endsWith(` ${status}`)), `calendars responded with ${status}`);
    }
  },
});
