// Hosts of bookings who also change what their sessions depend on: team, roster, booking links and calendars.
import type { OAuthProvider } from "../../functions/calendars/accounts/oauth.ts";
import type { Operation } from "../../functions/database/operations.ts";
import type { CalendarWorker, Connection, Host } from "../calendars/events/calendar_worker.ts";
import type { SeededRandom } from "../random.ts";

/** Calls a public function, as an anonymous caller without a user; "ok" or the SQLSTATE of the error. */
export type Call = (operation: Operation, args: Record<string, unknown>, userId?: string) => Promise<string>;

export interface BookingHost extends Host {
  /** The second is deleted and replaced now and then. */
  linkIds: [string, string];
  /** Of the owner's account; one receives the sessions, or none. */
  calendarIds: [string, string];
  /** Whose calendar receives the sessions while the owner's cannot. */
  admin: Connection & { userId: string };
  /** The provider denies every write to the owner's calendar. */
  isDenied: boolean;
  /** The podcast is scheduled for deletion, or deleted. */
  isDeleted: boolean;
}

const OTHER: Record<OAuthProvider, OAuthProvider> = { google: "microsoft", microsoft: "google" };

export function bookingHosts({ sql, peers, events, ...calendars }: CalendarWorker) {
  async function makeHost(provider: OAuthProvider, { isDenied = false } = {}): Promise<BookingHost> {
    const host = await calendars.makeHost(provider), user = await calendars.makeUser("Ada");
    if (isDenied) host.account.calendars.get(host.address)!.isWritable = false;
    await calendars.addMember(host);
    const linkIds: [string, string] = [await makeLink(host), await makeLink(host)];
    const calendarIds: [string, string] = [host.calendarId, await calendars.addCalendar(host)];
    const admin = { ...await calendars.connect(user.id, OTHER[provider]), userId: user.id };
    await addAdmin(host.podcastId, user.id);
    return { ...host, linkIds, calendarIds, admin, isDenied, isDeleted: false };
  }

  async function makeLink({ podcastId }: Host): Promise<string> {
    const rules = [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime: "00:00", endTime: "24:00" }));
    const [{ id }] = await sql<{ id: string }[]>`
      insert into public.booking_links (podcast_id, name, duration_minutes, min_notice_hours, timezone,
        availability_rules)
      values (${podcastId}, 'Interview', 30, 0, 'UTC', ${sql.json(rules)}) returning id`;
    return id;
  }

  const addAdmin = (podcastId: string, userId: string) =>
    sql`insert into public.podcast_members (podcast_id, user_id, role) values (${podcastId}, ${userId}, 'admin')
      on conflict do nothing`;

  /** What the owner does besides answering guests: one of many things. */
  function changeOf(host: BookingHost, random: SeededRandom, call: Call, anySlot: () => string) {
    const { podcastId, episodeId, userId, admin } = host;
    const asOwner = (operation: Operation, args: Record<string, unknown>) => call(operation, args, userId);
    const chooses = (receivingId: string | null) =>
      asOwner("select_calendars", { selectedIds: host.calendarIds, receivingId });

    const team: Record<string, () => Promise<unknown>> = {
      "a member joins": () => calendars.addMember(host),
      "a member leaves": () =>
        sql`delete from public.podcast_members where podcast_id = ${podcastId} and user_id = (
          select user_id from public.podcast_members where podcast_id = ${podcastId} and role = 'member'
          order by random() limit 1)`,
      "a roster changes": () =>
        sql`update public.episode_people set is_active = not is_active where id = (
          select id from public.episode_people where episode_id = ${episodeId} order by random() limit 1)`,
    };
    const others: typeof team = {
      "an admin joins": () => addAdmin(podcastId, admin.userId),
      "an admin leaves": () =>
        sql`delete from public.podcast_members where podcast_id = ${podcastId} and user_id = ${admin.userId}`,
      "another calendar is chosen": () => chooses(random.one(host.calendarIds)),
      "no calendar is chosen": () => chooses(null),
      /** In its provider's settings, and connected again. */
      async "an account is revoked"() {
        peers[host.provider].revokeAccount(host.address);
        await new Promise((resolve) => setTimeout(resolve, 500 + random.below(2500)));
        await calendars.renew(host);
      },
      /** In the calendar, and the booking changes, which restores its event. */
      async "an event is deleted"() {
        const [booking] = await sql`select id from public.bookings
          where podcast_id = ${podcastId} and status = 'confirmed' order by random() limit 1`;
        if (!booking) return;
        for (const { provider, account } of [host, admin]) events[provider].remove(account, booking.id);
        for (let tries = 0; tries < 3; tries++) {
          const ended = await asOwner("reschedule_booking", { bookingId: booking.id, startTime: anySlot() });
          if (ended === "ok") return;
        }
        await asOwner("cancel_booking", { bookingId: booking.id });
      },
      async "a booking link is deleted"() {
        const [, linkId] = host.linkIds;
        const open = await sql`select id from public.bookings
          where booking_link_id = ${linkId} and status in ('pending', 'confirmed')`;
        for (const { id } of open) await asOwner("cancel_booking", { bookingId: id, message: "No longer" });
        if (await asOwner("delete_booking_link", { bookingLinkId: linkId }) === "ok") {
          host.linkIds[1] = await makeLink(host);
        }
      },
    };
    const choices = Object.entries(host.isDenied ? team : { ...team, ...others });
    return random.one(choices);
  }

  /** The team, accounts and calendars are in order again, so that each session has a place. */
  async function settle(host: BookingHost, call: Call) {
    if (host.isDeleted) return;
    await calendars.renew(host);
    await addAdmin(host.podcastId, host.admin.userId);
    if (host.isDenied) return;
    const [receivingId] = host.calendarIds;
    await call("select_calendars", { selectedIds: host.calendarIds, receivingId }, host.userId);
  }

  /** The sessions in the calendars of the podcast's team. */
  const shown = (host: BookingHost) => [host, host.admin].flatMap(calendars.shown);

  return { makeHost, changeOf, settle, shown };
}
