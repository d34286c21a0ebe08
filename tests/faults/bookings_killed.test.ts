// Guests and hosts request, confirm, move, decline and cancel bookings while workers are killed, and while calendars and
// the mail server fail, hang, and lose connections before and after they did what was asked. When all is over, each
// host's calendar shows the bookings as they are, and each guest has the last state, in order.
import assert from "node:assert/strict";
import { callParameters, callStatements, type Operation } from "../../functions/database/operations.ts";
import { type Host, startCalendarWorker } from "../calendars/calendar_worker.ts";
import type { Fault, PeerRequest } from "../calendars/provider_peer.ts";
import { connectTo } from "../database.ts";
import { type SmtpFault, startSmtpPeer } from "../mail/smtp_peer.ts";
import { outcome } from "../races/race_database.ts";
import { seededRandom } from "../random.ts";
import { waitFor } from "../wait_for.ts";
import { startWorkerWith } from "../worker/worker.ts";

const seed = Number(Deno.env.get("CASTBASE_SEED") ?? Date.now() % 1e9);
const BOOKINGS = 500, CHANGES = 700, ACTORS = 6, WORKERS = 3;
const QUEUES = ["calendar_sync", "email_deliveries"];
/** The workers get so far that little is left when the faults end, unless the machine is slow. */
const MAX_SECONDS_OF_FAULTS = 100;
/** A longer queue would hide what happens to two changes in a row. */
const MAX_WAITING = 40, MAX_SECONDS_OF_WAITING = 70;
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
    await using mail = await startSmtpPeer();
    await using calendars = await startCalendarWorker();
    const { sql, peers, events, env } = calendars;
    const calls = connectTo(env.SUPABASE_DB_URL, ACTORS);
    await using _calls = { [Symbol.asyncDispose]: () => calls.end({ timeout: 1 }) };
    const counts = new Map<string, number>();
    const count = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1);

    for (
      const limit of ["max_bookings_per_hour", "max_booking_emails_per_day", "max_verified_booking_emails_per_day"]
    ) {
      await sql`select private.set_setting(${limit}, '100000')`;
    }
    await sql`update private.queues set backoff_base = '1 second', backoff_max = '3 seconds'
      where name = any (${QUEUES})`;
    const hosts = await Promise.all([0, 1, 2, 3].map(async (n) => {
      const host = await calendars.makeHost(n % 2 ? "microsoft" : "google");
      await calendars.addMember(host);
      return { ...host, linkId: await makeLink(host) };
    }));

    async function makeLink({ podcastId }: Host): Promise<string> {
      const rules = [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime: "00:00", endTime: "24:00" }));
      const [{ id }] = await sql`
        insert into public.booking_links (podcast_id, name, duration_minutes, min_notice_hours, timezone,
          availability_rules)
        values (${podcastId}, 'Interview', 30, 0, 'UTC', ${sql.json(rules)}) returning id`;
      return id;
    }

    interface Booked {
      id: string;
      email: string;
      host: typeof hosts[number];
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
        await call("reschedule_booking", { bookingId: booking.id, startTime: anySlot() }, booking.host.userId);
      }
      await new Promise((resolve) => setTimeout(resolve, 200 + random.below(3500)));
      delayed--;
    };
    for (const [name, peer] of Object.entries(peers)) {
      const firstUsed = new Map<string, number>(), isGoogle = name === "google";
      peer.state.rotatesRefreshTokens = false; // both providers accept a token again whose successor was lost
      events[name as keyof typeof events].state.beforeWrite = ({ text }) =>
        delay(name, bookings.find(({ id }) => text.includes(id)));
      const choices: CalendarFault[] = isGoogle ? [...CALENDAR_FAULTS, "rate_limited_403"] : CALENDAR_FAULTS;
      peer.setFault(({ path, headers }: PeerRequest) => {
        if (path.endsWith("/token")) return draw(`${name} token`, 0.2, TOKEN_FAULTS);
        const token = headers.get("authorization")!.replace("Bearer ", "");
        if (!firstUsed.has(token)) firstUsed.set(token, Date.now());
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
    async function call(operation: Operation, args: Record<string, unknown>, userId?: string) {
      const claims = JSON.stringify(
        userId ? { role: "authenticated", sub: userId } : { role: "anon", client_address: "192.0.2.1" },
      );
      const ended = await outcome(calls.unsafe(callStatements[operation], callParameters(claims, args)));
      count(`${operation} ${ended}`);
      if (!["ok", "PT409", "PT429"].includes(ended)) wrong.add(`${operation} ${ended}`);
      return ended;
    }

    async function request() {
      const email = `guest-${++requests}@guests.test`, host = random.one(hosts);
      const ended = await call("request_booking", {
        bookingLinkId: host.linkId,
        startTime: anySlot(),
        guestName: `Guest <${requests}>`,
        guestEmail: email,
        notes: "I sing & dance",
        ...random.chance(0.5) && { episodeId: host.episodeId },
      });
      if (ended !== "ok") return;
      const [{ id }] = await sql`select id from public.bookings where guest_email = ${email}`;
      bookings.push({ id, email, host });
    }

    async function change() {
      const { id, email, host } = random.one(random.chance(0.5) ? bookings.slice(-20) : bookings);
      const asHost = (operation: Operation, args = {}) => call(operation, { bookingId: id, ...args }, host.userId);
      const tokens = mail.received.filter(({ to, isAccepted }) => to === email && isAccepted)
        .map(({ text }) => /#token=(\S+)/.exec(text)![1]);
      const what = random.below(20);
      if (what < 8) await asHost("confirm_booking", random.chance(0.5) ? { episodeId: host.episodeId } : {});
      else if (what < 12) await asHost("reschedule_booking", { startTime: anySlot() });
      else if (what < 13) await asHost("cancel_booking", { message: "Sorry" });
      else if (what < 14) await asHost("decline_booking");
      else if (tokens.length === 0) return; // the guest has no email yet
      else if (what < 19) {
        await call("reschedule_guest_booking", { accessToken: random.one(tokens), startTime: anySlot() });
      } else await call("cancel_guest_booking", { accessToken: random.one(tokens) });
      changes++;
    }

    async function changeRoster() {
      const host = random.one(hosts);
      if (random.chance(0.5)) await calendars.addMember(host);
      else {
        await sql`update public.episode_people set is_active = not is_active where id = (
          select id from public.episode_people where episode_id = ${host.episodeId} order by random() limit 1)`;
      }
      count("change of a roster");
    }

    async function act() {
      while (bookings.length < BOOKINGS || changes < CHANGES) {
        const isBehind = bookings.length * CHANGES < changes * BOOKINGS;
        if (bookings.length === 0 || bookings.length < BOOKINGS && isBehind) await request();
        else if (random.chance(0.01)) await changeRoster();
        else await change();
        do await new Promise((resolve) => setTimeout(resolve, random.below(300))); while (
          waiting > MAX_WAITING && performance.now() - began < MAX_SECONDS_OF_WAITING * 1000
        );
      }
    }

    // The workers' lives
    const workerEnv = { ...env, SMTP_URL: mail.url, MAIL_FROM: "Casts <casts@mail.test>" };
    let workersKilled = 0;
    const liveAndDie = async () => {
      await using worker = startWorkerWith(workerEnv, QUEUES);
      await new Promise((resolve) => setTimeout(resolve, 3000 + random.below(6000)));
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
    const left = async () => {
      await sql`select private.enqueue_due_deliveries()`;
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
      const isLate = () => performance.now() - began > MAX_SECONDS_OF_FAULTS * 1000;
      while (!isOver || await left() > 50 && !isLate()) {
        await Promise.all(Array.from({ length: WORKERS }, async () => {
          await liveAndDie();
          if (random.chance(0.5)) await liveAndDie();
        }));
        await passMinutes();
      }
    })();
    await Promise.all([acting, killing, cron]);
    const secondsOfFaults = Math.round((performance.now() - began) / 1000), waitingAtEnd = await left();
    assert.deepEqual([...wrong], [], "every call succeeds, is in conflict, or is over its limit");

    isFaulty = false;
    {
      await using _one = startWorkerWith(workerEnv, QUEUES);
      await using _other = startWorkerWith(workerEnv, QUEUES);
      await waitFor("the queues are empty", async () => await left() === 0, 60).catch(async (error) => {
        console.log(await calendars.waiting(), await sql`select * from pgmq.q_email_deliveries limit 5`);
        throw error;
      });
    }

    // Calendars
    const problems = await sql`
      select c.last_error from public.connected_calendars c join public.calendar_connections n on n.id = c.connection_id
      where not c.receives_events or not c.is_writable or n.status <> 'active'`;
    assert.deepEqual(problems.map((row) => row.last_error), [], "every calendar still receives events");
    assert.deepEqual(await calendars.deadLetters(), [], "every event could be written in the end");
    let confirmed = 0;
    for (const host of hosts) {
      const expected = await sql`
        select id as "bookingId", guest_name || ': ' || name as summary, guest_email as guest,
          start_time as start, end_time as "end", array(
            select lower(u.email) from public.episode_people p join auth.users u on u.id = p.user_id
            where p.episode_id = b.episode_id and p.is_active and p.user_id <> ${host.userId} order by 1) as attendees
        from public.bookings b where podcast_id = ${host.podcastId} and status = 'confirmed' order by id`;
      const shown = calendars.shown(host).sort((a, b) => a.bookingId < b.bookingId ? -1 : 1);
      const parts = ({ bookingId, summary, attendees, start, end }: typeof shown[number]) => ({
        bookingId,
        summary,
        attendees: [...attendees].sort(),
        start: new Date(start).toISOString(),
        end: new Date(end).toISOString(),
      });
      assert.deepEqual(shown.map(parts), expected.map((row) => parts(row as unknown as typeof shown[number])));
      for (const [i, { guest }] of expected.entries()) assert.ok(shown[i].description.includes(guest));
      confirmed += expected.length;
    }

    // Mailboxes
    const unreasoned = await sql`
      select d.id, d.status from public.notification_deliveries d
      join private.delivery_addresses a on a.delivery_id = d.id
      left join private.delivery_sends s on s.delivery_id = d.id
      where d.status not in ('sent', 'failed', 'canceled') or d.status <> 'sent' and s.last_error is null`;
    assert.deepEqual([...unreasoned], [], "each email is sent, or has the reason why not");
    const failed = new Set(
      (await sql`
        select a.email, (a.calendar_event -> 'sequence')::int as sequence, s.last_error as error
        from public.notification_deliveries d join private.delivery_addresses a on a.delivery_id = d.id
        join private.delivery_sends s on s.delivery_id = d.id where d.status = 'failed'`).map(
        ({ email, sequence, error }) => {
          assert.match(error, /permanently rejected/);
          return `${email} ${sequence}`;
        },
      ),
    );
    const accepted = mail.received.filter(({ isAccepted, calendar }) => isAccepted && calendar);
    const inboxes = Object.groupBy(accepted, ({ to }) => to);
    let lastFailed = 0;
    for (const { id, email } of bookings) {
      const [booking] = await sql`select status, sequence, start_time as start from public.bookings where id = ${id}`;
      const entries = (inboxes[email] ?? []).map(({ calendar, messageId }) => ({ ...entryOf(calendar!), messageId }));
      for (const [i, entry] of entries.entries()) {
        const previous = entries[i - 1];
        assert.ok(entry.uid.startsWith(`booking-${id}@`), email);
        if (!previous) continue;
        assert.ok(entry.sequence >= previous.sequence, `${email}: ${previous.sequence} came before ${entry.sequence}`);
        if (entry.sequence === previous.sequence) assert.equal(entry.messageId, previous.messageId, email);
      }
      if (failed.has(`${email} ${booking.sequence}`)) {
        lastFailed++;
        continue;
      }
      const last = entries.at(-1);
      if (booking.sequence === 0) assert.equal(last, undefined, `${email} has not changed`);
      else {
        assert.deepEqual(last && [last.sequence, last.status, last.start], [
          booking.sequence,
          { pending: "TENTATIVE", confirmed: "CONFIRMED", declined: "CANCELLED", cancelled: "CANCELLED" }[
            booking.status as string
          ],
          booking.start.toISOString().replace(/[-:]|\.\d+/g, ""),
        ], `the last email to ${email}`);
      }
    }

    console.log({
      seed,
      seconds: Math.round((performance.now() - began) / 1000),
      secondsOfFaults,
      workersKilled,
      waitingWhenFaultsEnded: waitingAtEnd,
      bookings: bookings.length,
      confirmedAndInCalendars: confirmed,
      requestsToGoogle: peers.google.requests.length,
      requestsToMicrosoft: peers.microsoft.requests.length,
      calendarMailsAccepted: accepted.length,
      calendarMailsAcceptedTwice: accepted.length - new Set(accepted.map(({ messageId }) => messageId)).size,
      lastMailRejectedForGood: lastFailed,
      ...Object.fromEntries([...counts].sort()),
    });
    assert.ok(
      bookings.length >= BOOKINGS && confirmed > 100 && accepted.length > 300,
      "the calls did what they are for",
    );
  },
});

/** What a calendar file says. */
function entryOf(file: string) {
  const lines = file.replaceAll(/\r?\n /g, "").split(/\r?\n/);
  const value = (name: string) => lines.find((line) => line.startsWith(`${name}:`))!.slice(name.length + 1);
  return { uid: value("UID"), sequence: Number(value("SEQUENCE")), status: value("STATUS"), start: value("DTSTART") };
}
