// Connecting calendars by URL: the reading that checks the URL is stored, and what takes too long is left to the worker.
import assert from "node:assert/strict";
import { createFeedDatabase } from "../../feed_writer/feed_database.ts";
import { timeBudget } from "../../../functions/worker/run_limits.ts";
import type { Job } from "../../../functions/worker/job.ts";
import { stoppedClock } from "../../safe_fetch/stopped_clock.ts";
import { waitFor } from "../../wait_for.ts";
import { LOGIN, type PeerCalendar, startCaldavPeer } from "../caldav/caldav_peer.ts";
import { busy, calendarHosts } from "../calendar_hosts.ts";
import { startGooglePeer } from "../providers/google_peer.ts";
import { startMicrosoftPeer } from "../providers/microsoft_peer.ts";

const google = startGooglePeer(), microsoft = startMicrosoftPeer();
const { sql } = await createFeedDatabase(undefined, { ...google.env, ...microsoft.env }); // ends with the process
const { addCalendarUrl } = await import("../../../functions/calendars/accounts/connect_url.ts");
const { CalendarCostError } = await import("../../../functions/calendars/calendar_error.ts");
const { ApiError } = await import("../../../functions/runtime/api_error.ts");
const { drain } = await import("../../../functions/worker/loop.ts");
const { readCalendarsJob } = await import("../../../functions/worker/jobs/read_calendars.ts");
const { addLink, busyHours } = calendarHosts(sql, { google, microsoft });

/** The database and the peers live as long as the file. */
const test = (title: string, run: () => Promise<void>) =>
  Deno.test(title, { sanitizeOps: false, sanitizeResources: false }, run);

const icsTime = (date: Date) => date.toISOString().replaceAll(/[-:]|\.\d+/g, "");
const icsOf = ({ start, end }: { start: Date; end: Date }) =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\nX-WR-CALNAME:Shifts\r\nBEGIN:VEVENT\r\nUID:1\r\n` +
  `DTSTAMP:20260101T000000Z\r\nDTSTART:${icsTime(start)}\r\nDTEND:${icsTime(end)}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

interface Connected {
  id: string;
  status: string;
  lastError: string | null;
  calendars: { id: string; name: string; fetchedAt: string | null }[];
}

async function add(userId: string, given: Parameters<typeof addCalendarUrl>[1]): Promise<Connected> {
  return (await addCalendarUrl(userId, given)).connection as Connected;
}
const allow = (host: string) => sql`select private.set_setting('fetch_allowed_hosts', ${host})`;
const messagesOf = async (id: string) =>
  (await sql`select message from pgmq.q_calendar_reads where message ->> 'connection_id' = ${id}`).length;
const offersSlots = async (linkId: string) => {
  const [{ data }] = await sql`
    select public.get_availability(${linkId}, ${busy(0, 1).start.toISOString().slice(0, 10)}) as data`;
  return data.slots.length > 0;
};

test("an ICS calendar is connected with its busy times", async () => {
  const { userId, linkId } = await addLink();
  await using peer = startCaldavPeer({ files: { "/a.ics": icsOf(busy(1, 2)) } });
  await allow(peer.host);
  const connection = await add(userId, { provider: "ics", url: `${peer.url}/a.ics` });
  assert.deepEqual([connection.status, connection.calendars[0].name], ["active", "Shifts"]);
  assert.ok(connection.calendars[0].fetchedAt);
  assert.equal(await busyHours([connection.calendars[0].id]), "1-2");
  assert.equal(await messagesOf(connection.id), 0, "nothing is left to the worker");
  assert.equal(await offersSlots(linkId), true);
  assert.equal(peer.requests.length, 1);
});

test("an ICS calendar that needs more than 30 s is an error, and stores nothing", async () => {
  const { userId } = await addLink(), hanging = Promise.withResolvers<Response>();
  await using peer = startCaldavPeer({ files: { "/a.ics": icsOf(busy(1, 2)) } });
  peer.faults.respond = () => hanging.promise;
  await allow(peer.host);
  using clock = stoppedClock();
  const adding = add(userId, { provider: "ics", url: `${peer.url}/a.ics` });
  const error = adding.catch((error) => error);
  await waitFor("the request", () => peer.requests.length === 1);
  clock.advance(30_000);
  assert.ok(await error instanceof ApiError);
  assert.equal((await error).status, 422);
  hanging.resolve(new Response(""));
  const rows = await sql`select from public.calendar_connections where user_id = ${userId}`;
  assert.equal(rows.length, 0);
});

test("calendars of a CalDAV account that are slow or fail are pending, and the worker reads them", async () => {
  const { userId, linkId } = await addLink(), hanging = Promise.withResolvers<Response | undefined>();
  const calendars: PeerCalendar[] = ["a", "b", "c", "d", "e"].map((id, i) => ({
    id,
    name: id,
    events: [icsOf(busy(2 * i, 2 * i + 1))],
  }));
  await using peer = startCaldavPeer({ calendars });
  peer.faults.respond = ({ method, path }) => {
    if (method !== "REPORT") return;
    if (/\/[bde]\/$/.test(path)) return hanging.promise;
    return path.includes("/c/") ? new Response("", { status: 500 }) : undefined;
  };
  await allow(peer.host);
  let connection: Connected;
  {
    using clock = stoppedClock();
    const adding = add(userId, { provider: "caldav", url: `${peer.url}/`, ...LOGIN });
    // three at a time: the last two begin when a and c have ended
    await waitFor("all readings", () => peer.requests.filter(({ method }) => method === "REPORT").length === 5);
    clock.advance(30_000);
    connection = await adding;
  }
  hanging.resolve(undefined);
  assert.deepEqual([connection.status, connection.lastError], ["pending", null]);
  const isRead = Object.fromEntries(connection.calendars.map(({ name, fetchedAt }) => [name, fetchedAt !== null]));
  assert.deepEqual(isRead, { a: true, b: false, c: false, d: false, e: false });
  assert.equal(await messagesOf(connection.id), 1);
  assert.equal(await offersSlots(linkId), false);
  peer.faults.respond = () => undefined;
  await drain(readCalendarsJob as Job, timeBudget(60_000));
  assert.equal(await busyHours(connection.calendars.map(({ id }) => id)), "0-1 2-3 4-5 6-7 8-9");
  const [{ status }] = await sql`select status from public.calendar_connections where id = ${connection.id}`;
  assert.equal(status, "active");
  assert.equal(await offersSlots(linkId), true);
});

test("of many calendars, connecting reads ten, and the worker the rest", async () => {
  const { userId } = await addLink();
  const calendars = Array.from({ length: 25 }, (_, i) => ({ id: `c${i}`, name: `c${i}`, events: [] }));
  await using peer = startCaldavPeer({ calendars });
  await allow(peer.host);
  const connection = await add(userId, { provider: "caldav", url: `${peer.url}/`, ...LOGIN });
  assert.equal(connection.calendars.filter(({ fetchedAt }) => fetchedAt).length, 10);
  assert.equal(connection.status, "pending");
  for (let round = 1; round <= 2; round++) {
    await sql`update pgmq.q_calendar_reads set vt = now() - interval '1 second'`;
    await drain(readCalendarsJob as Job, timeBudget(60_000));
  }
  const [{ status }] = await sql`select status from public.calendar_connections where id = ${connection.id}`;
  assert.equal(status, "active");
  assert.equal(await messagesOf(connection.id), 0);
});

test("an ICS calendar that costs too much in api is pending, and its computing time is recorded", async () => {
  const { userId, linkId } = await addLink();
  await allow("calendars.test");
  const given = { provider: "ics", url: "https://calendars.test/a.ics" } as const;
  const { connection } = await addCalendarUrl(userId, given, ({ calendars: [{ id }] }, { maxCpuMs, cpu }) => {
    assert.equal(maxCpuMs, 250);
    cpu.leftMs -= 260;
    return Promise.resolve(new Map([[id, new CalendarCostError()]]));
  });
  const { id, status, calendars: [{ name, fetchedAt }] } = connection as Connected;
  assert.deepEqual([status, name, fetchedAt], ["pending", "calendars.test", null]);
  assert.equal(await messagesOf(id), 1);
  assert.equal(await offersSlots(linkId), false);
  const [{ cpu_ms: cpuMs }] = await sql`select cpu_ms from private.calendar_costs where user_id = ${userId}`;
  assert.equal(cpuMs, 260);
});

test("a calendar that is connected again keeps its busy times until it is read", async () => {
  const { userId, linkId } = await addLink();
  const given = { provider: "ics", url: "https://calendars.test/again.ics" } as const;
  const warnings = [{ text: "An event has no start", count: 1 }];
  const first = await addCalendarUrl(
    userId,
    given,
    ({ calendars: [{ id }] }) => Promise.resolve(new Map([[id, { busy: [busy(1, 2)], warnings, isSlow: false }]])),
  );
  const { calendars: [{ id, ...calendar }] } = first.connection as Connected;
  assert.deepEqual((calendar as { warnings?: object }).warnings, warnings);
  const again = await addCalendarUrl(
    userId,
    given,
    ({ calendars: [{ id }] }) => Promise.resolve(new Map([[id, new CalendarCostError()]])),
  );
  assert.deepEqual([again.isNew, (again.connection as Connected).status], [false, "active"]);
  assert.equal(await busyHours([id]), "1-2");
  assert.equal(await messagesOf((again.connection as Connected).id), 1);
  assert.equal(await offersSlots(linkId), true);
});

test("no calendar is connected while the user's calendars have used up their computing time", async () => {
  const { userId } = await addLink();
  await using peer = startCaldavPeer({ files: { "/a.ics": icsOf(busy(1, 2)) } });
  await allow(peer.host);
  await sql`select private.add_calendar_cost(${userId}, 60000)`;
  const error = await add(userId, { provider: "ics", url: `${peer.url}/a.ics` }).catch((error) => error);
  assert.match(String(error), /takes too much time/);
  assert.equal(peer.requests.length, 0);
});

test("listing the calendars of a CalDAV account is bounded, and counts against its user", async () => {
  const { userId } = await addLink();
  await using peer = startCaldavPeer({ calendars: [{ id: "work", name: "Work" }] });
  await allow(peer.host);
  const response = `<response><href>/</href>${"<x/>".repeat(9000)}</response>`;
  peer.faults.respond = () =>
    new Response(`<multistatus xmlns="DAV:">${response.repeat(40)}</multistatus>`, { status: 207 });
  await assert.rejects(add(userId, { provider: "caldav", url: `${peer.url}/`, ...LOGIN }), { status: 422 });
  const [cost] = await sql`select from private.calendar_costs where user_id = ${userId} and cpu_ms > 0`;
  assert.ok(cost);
});
