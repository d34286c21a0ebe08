// Users with accounts at the peers of calendar providers, and podcasts that guests book with them.
import type postgres from "postgres";
import type { startGooglePeer } from "./providers/google_peer.ts";
import type { startMicrosoftPeer } from "./providers/microsoft_peer.ts";
import type { PeerCalendar } from "./providers/provider_peer.ts";

interface Peers {
  google: ReturnType<typeof startGooglePeer>;
  microsoft: ReturnType<typeof startMicrosoftPeer>;
}

type AccountProvider = keyof Peers;

const DAY_MS = 24 * 3600_000;
/** The beginning of the third day from the start of the tests, which may run at midnight. */
const START = Math.floor(Date.now() / DAY_MS + 3) * DAY_MS;

/** So many hours after the beginning of the third day, in UTC. */
export const hour = (hours: number) => new Date(START + hours * 3600_000);

export const busy = (from: number, to: number) => ({ start: hour(from), end: hour(to) });

export function calendarHosts(sql: postgres.Sql, peers: Peers) {
  let count = 0;

  /** A podcast with a booking link for every hour of the next 30 days. */
  async function addLink(changes: Record<string, unknown> = {}) {
    const [{ userId }] = await sql<{ userId: string }[]>`
      insert into auth.users (id, email, email_confirmed_at, aud, role)
      values (gen_random_uuid(), gen_random_uuid() || '@hosts.test', now(), 'authenticated', 'authenticated')
      returning id as "userId"`;
    const [{ podcastId }] = await sql<{ podcastId: string }[]>`
      insert into public.podcasts (owner_id, title) values (${userId}, 'Night Trains') returning id as "podcastId"`;
    const rules = Array.from({ length: 7 }, (_, dayOfWeek) => ({ dayOfWeek, startTime: "00:00", endTime: "24:00" }));
    const link = { podcast_id: podcastId, slug: "talk", name: "Talk", timezone: "UTC", ...changes };
    const [{ linkId }] = await sql<{ linkId: string }[]>`
      insert into public.booking_links ${
      sql({ ...link, max_advance_days: 30, availability_rules: sql.json(rules) })
    } returning id as "linkId"`;
    return { userId, podcastId, linkId };
  }

  /** A connection whose calendars are all selected, and whose first reading is not awaited. */
  async function addConnection(userId: string, provider: string, secret: object, externalIds: Iterable<string>) {
    const [{ connectionId }] = await sql<{ connectionId: string }[]>`
      insert into public.calendar_connections (user_id, provider, account_name, status)
      values (${userId}, ${provider}, 'calendars.test', 'active') returning id as "connectionId"`;
    await sql`
      select private.store_calendar_secret(${connectionId}, ${JSON.stringify(secret)}::text::jsonb,
        sha256(${connectionId}::text::bytea), now() + interval '1 hour')`;
    const calendarIds: string[] = [];
    for (const externalId of externalIds) {
      const [{ id }] = await sql<{ id: string }[]>`
        insert into public.connected_calendars (connection_id, user_id, external_id, name, is_selected)
        values (${connectionId}, ${userId}, ${externalId}, 'Calendar', true) returning id`;
      calendarIds.push(id);
    }
    await sql`update private.calendar_busy set awaited_until = null where calendar_id = any (${calendarIds})`;
    return { connectionId, calendarIds };
  }

  /** An account at a peer. Its token is valid for an hour. */
  async function connect(userId: string, provider: AccountProvider, calendars: Partial<PeerCalendar>[]) {
    const address = `host-${++count}@${provider}.test`, account = peers[provider].addAccount(address, calendars);
    const secret = peers[provider].issueTokens(address);
    return { address, account, ...await addConnection(userId, provider, secret, account.calendars.keys()) };
  }

  /** A podcast with a link whose owner has an account. */
  async function addHost(provider: AccountProvider, calendars: Partial<PeerCalendar>[]) {
    const link = await addLink();
    return { ...link, ...await connect(link.userId, provider, calendars) };
  }

  return {
    addLink,
    addConnection,
    connect,
    addHost,
    /** The hours, as of `hour()`, that block bookings of a podcast. */
    async busyHours(calendarIds: string[]): Promise<string> {
      const rows = await sql<{ start: Date; end: Date }[]>`
        select lower(r) as start, upper(r) as end
        from (select unnest(range_agg(i.during)) as r from private.calendar_busy_intervals i
          where i.calendar_id = any (${calendarIds})) merged order by 1`;
      const asHour = (date: Date) => (date.getTime() - hour(0).getTime()) / 3600_000;
      return rows.map(({ start, end }) => `${asHour(start)}-${asHour(end)}`).join(" ");
    },
    /** What the owner sees of each calendar, and of its connection. */
    async shown(connectionId: string) {
      const [row] = await sql<{ connection: string; reason: string | null; errors: (string | null)[] }[]>`
        select n.status as connection, n.last_error as reason,
          (select jsonb_agg(c.last_error order by c.created_at) from public.connected_calendars c
            where c.connection_id = n.id) as errors
        from public.calendar_connections n where n.id = ${connectionId}`;
      return row;
    },
    /** Makes the last readings, successful or not, a minute or an hour older. */
    async age(interval = "1 hour") {
      await sql`update private.calendar_busy set stale_at = stale_at - ${interval}::interval`;
    },
  };
}
