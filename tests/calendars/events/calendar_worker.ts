// The job calendar_sync with peers of Google and Microsoft, in this process and on a database of its own.
import type { OAuthProvider } from "../../../functions/calendars/accounts/oauth.ts";
import type { Job } from "../../../functions/worker/job.ts";
import { timeBudget } from "../../../functions/worker/run_limits.ts";
import { createFeedDatabase, makePodcast } from "../../feed_writer/feed_database.ts";
import { addGoogleEvents } from "./google_events_peer.ts";
import { startGooglePeer } from "../providers/google_peer.ts";
import { addMicrosoftEvents } from "./microsoft_events_peer.ts";
import { isWrite } from "./events_peer.ts";
import { startMicrosoftPeer } from "../providers/microsoft_peer.ts";
import type { Fault, PeerAccount } from "../providers/provider_peer.ts";

/** The first booking starts an hour later, and each further one an hour after the last. */
const START = Date.parse("2040-01-02T10:00:00Z"), HOUR = 3600_000;

/** When bookings are rescheduled to. */
export const LATER = "2041-05-05T09:00:00.000Z";

export type CalendarWorker = Awaited<ReturnType<typeof startCalendarWorker>>;

export async function startCalendarWorker() {
  const peers = { google: startGooglePeer(), microsoft: startMicrosoftPeer() };
  const events = { google: addGoogleEvents(peers.google), microsoft: addMicrosoftEvents(peers.microsoft) };
  const database = await createFeedDatabase(undefined, { ...peers.google.env, ...peers.microsoft.env });
  const { sql } = database;
  const { drain } = await import("../../../functions/worker/loop.ts");
  const { syncCalendarJob } = await import("../../../functions/worker/jobs/sync_calendar.ts");
  const { syncEvent } = await import("../../../functions/calendars/events/sync_event.ts");
  await sql`select private.set_setting('app_url', 'https://app.example')`;
  await sql`update private.queues set backoff_base = '1 minute'
    where name = 'calendar_sync'`; // no retry is due before passTime(), on a slow machine too
  let made = 0;

  async function makeUser(name = "Ana"): Promise<{ id: string; email: string }> {
    const [user] = await sql<{ id: string; email: string }[]>`
      insert into auth.users (id, email, email_confirmed_at, aud, role, raw_user_meta_data)
      values (gen_random_uuid(), ${`${name.toLowerCase()}${++made}@team.test`}, now(), 'authenticated', 'authenticated',
        ${sql.json({ display_name: name })})
      returning id, email`;
    return user;
  }

  /** Connects a user's account at a provider; its primary calendar receives events. */
  async function connect(userId: string, provider: OAuthProvider) {
    const address = `user${++made}@${provider}.test`, account = peers[provider].addAccount(address);
    const [{ connectionId, calendarId }] = await sql<{ connectionId: string; calendarId: string }[]>`
      with connection as (
        insert into public.calendar_connections (user_id, provider, account_name)
        values (${userId}, ${provider}, ${address}) returning id
      )
      insert into public.connected_calendars
        (connection_id, user_id, external_id, name, is_primary, is_writable, receives_events)
      select id, ${userId}, ${address}, 'Work', true, true, true from connection
      returning connection_id as "connectionId", id as "calendarId"`;
    await storeTokens(connectionId, provider, address);
    return { connectionId, calendarId, provider, address, account };
  }

  async function storeTokens(connectionId: string, provider: OAuthProvider, address: string) {
    await sql`select private.store_calendar_secret(${connectionId},
      ${sql.json(peers[provider].issueTokens(address))}, sha256(${address}::bytea), now() + interval '1 hour')`;
  }

  /** A podcast whose owner's calendar receives events, with an episode. */
  async function makeHost(provider: OAuthProvider) {
    const podcastId = await makePodcast(sql);
    const [{ userId }] = await sql`select owner_id as "userId" from public.podcasts where id = ${podcastId}`;
    const [{ episodeId }] = await sql`
      insert into public.episodes (podcast_id, title) values (${podcastId}, 'Paris') returning id as "episodeId"`;
    return { podcastId, userId, episodeId, ...await connect(userId, provider) } as Host;
  }

  /** Adds a calendar to the account, which the user can choose. */
  async function addCalendar({ connectionId, account, address }: Connection): Promise<string> {
    const externalId = `second-${address}`;
    account.calendars.set(externalId, {
      id: externalId,
      name: "Second",
      isWritable: true,
      busy: [],
      events: new Map(),
    });
    const [{ id }] = await sql<{ id: string }[]>`
      insert into public.connected_calendars (connection_id, user_id, external_id, name, is_writable)
      select c.id, c.user_id, ${externalId}, 'Second', true from public.calendar_connections c
      where c.id = ${connectionId} returning id`;
    return id;
  }

  /** The user connects the account again. */
  async function renew({ connectionId, provider, address }: Connection) {
    await storeTokens(connectionId, provider, address);
    await sql`update public.calendar_connections set status = 'active', last_error = null where id = ${connectionId}`;
  }

  const enqueue = (id: string) =>
    sql`select private.enqueue_calendar_sync(${id}, (
    select b.podcast_id from public.bookings b where b.id = ${id}))`;

  /** A confirmed booking of an hour, which is enqueued. */
  async function book({ podcastId, episodeId }: Host, row: Record<string, unknown> = {}): Promise<string> {
    const start = START + ++made * HOUR;
    const [{ id }] = await sql<{ id: string }[]>`
      insert into public.bookings ${
      sql({
        podcast_id: podcastId,
        episode_id: episodeId,
        name: "Interview",
        status: "confirmed",
        guest_name: "Gus",
        guest_email: "gus@guests.test",
        start_time: new Date(start),
        end_time: new Date(start + HOUR),
        ...row,
      })
    } returning id`;
    await enqueue(id);
    return id;
  }

  /** Changes a booking's status or times, which enqueues it. */
  const change = (id: string, row: Record<string, unknown>) =>
    sql`update public.bookings set ${sql(row)} where id = ${id}`;

  /** Adds a member of the team to the roster. */
  async function addMember({ podcastId, episodeId }: Host, name?: string) {
    const user = await makeUser(name);
    await sql`insert into public.podcast_members (podcast_id, user_id) values (${podcastId}, ${user.id})`;
    await sql`insert into public.episode_people (episode_id, source_type, user_id, name)
      values (${episodeId}, 'team', ${user.id}, ${user.email})`;
    await sql`select private.enqueue_attendee_change('added', ${podcastId}, ${episodeId}, ${user.id})`;
    return user;
  }

  let calls = 0;
  /**
   * Processes the messages that are due, with those that they enqueue. Each call has one consumer: of two, which claim
   * messages of one booking, one would postpone its message by two seconds.
   */
  async function work() {
    const job = { ...syncCalendarJob, concurrency: ++calls * syncCalendarJob.batchSize } as Job;
    for (let due = true; due;) {
      await drain(job, timeBudget(60_000));
      [{ due }] = await sql<{ due: boolean }[]>`
        select exists (select from pgmq.q_calendar_sync where vt <= clock_timestamp()) as due`;
    }
    calls--;
  }

  /** Messages are due, and leases have expired, as after minutes. */
  async function passTime() {
    await sql`update pgmq.q_calendar_sync set vt = clock_timestamp()`;
    await sql`update private.calendar_events set lease_expires_at = now()`;
  }

  const waiting = async () =>
    (await sql<{ seconds: number; error: string | null }[]>`
      select extract(epoch from vt - clock_timestamp())::float as seconds, headers ->> 'last_error' as error
      from pgmq.q_calendar_sync order by msg_id`).map((row) => ({ ...row }));

  /** Runs again what failed, until nothing waits. */
  async function settle() {
    for (let round = 0; round < 10; round++) {
      await passTime();
      await work();
      if ((await waiting()).length === 0) return;
    }
    throw new Error(`messages wait: ${JSON.stringify(await waiting())}`);
  }

  const shown = ({ provider, account }: Connection) => events[provider].bookedEvents(account);

  /** The steps of a test about one provider, and what they watch. Each begins with a host, without messages and faults. */
  function stepsOf(t: Deno.TestContext, provider: OAuthProvider) {
    const peer = peers[provider], { state } = events[provider];
    const name = provider === "google" ? "Google" : "Microsoft";
    return {
      name,
      peer,
      state,
      step: (title: string, run: (host: Host) => Promise<void>) =>
        t.step(`${name}: ${title}`, async () => {
          const host = await makeHost(provider);
          await sql`delete from pgmq.q_calendar_sync`;
          await sql`delete from pgmq.q_calendar_sync_dlq`;
          state.emails.length = 0;
          peer.requests.length = 0;
          await run(host);
          peer.setFault(() => undefined);
          state.beforeWrite = () => {};
        }),
      /** The requests that change events. */
      writes: () => peer.requests.filter((request) => isWrite(request) && request.path.includes("/events")),
      /** The first request about an event with this method misbehaves. */
      failOnce(fault: Fault, method: string) {
        let isDone = false;
        peer.setFault((request) => {
          if (isDone || request.method !== method || !request.path.includes("/events")) return undefined;
          isDone = true;
          return fault;
        });
      },
    };
  }

  return {
    peers,
    events,
    sql,
    env: database.env,
    work,
    syncEvent,
    makeUser,
    connect,
    addCalendar,
    renew,
    makeHost,
    book,
    enqueue,
    addMember,
    reschedule: (id: string, at: string) =>
      change(id, { start_time: new Date(at), end_time: new Date(Date.parse(at) + HOUR) }),
    cancel: (id: string) => change(id, { status: "cancelled", cancelled_by: "host" }),
    /** The messages that wait, with the error of the last attempt. */
    waiting,
    passTime,
    settle,
    deadLetters: async () =>
      (await sql<{ error: string }[]>`select message ->> 'error' as error from pgmq.q_calendar_sync_dlq`)
        .map(({ error }) => error),
    /** The calendar's events of bookings. */
    shown,
    /** When these start. */
    times: (connection: Connection) => shown(connection).map(({ start }) => new Date(start).toISOString()),
    stepsOf,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      for (const peer of Object.values(peers)) await peer[Symbol.asyncDispose]();
    },
  };
}

export interface Connection {
  connectionId: string;
  calendarId: string;
  provider: OAuthProvider;
  address: string;
  account: PeerAccount;
}

export interface Host extends Connection {
  podcastId: string;
  userId: string;
  episodeId: string;
}
