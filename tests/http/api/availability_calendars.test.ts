// Availability and bookings with connected calendars: what they wait for, and that `rpc` returns the same slots.
import assert from "node:assert/strict";
import { startProcess } from "../../../local/functions/process.ts";
import { readProject } from "../../../local/host/project.ts";
import { createFeedDatabase } from "../../feed_writer/feed_database.ts";
import { stoppedClock } from "../../safe_fetch/stopped_clock.ts";
import { assertDelay, waitFor, within } from "../../wait_for.ts";
import { busy, calendarHosts, hour } from "../../calendars/calendar_hosts.ts";
import { startGooglePeer } from "../../calendars/providers/google_peer.ts";
import { startMicrosoftPeer } from "../../calendars/providers/microsoft_peer.ts";

const google = startGooglePeer(), microsoft = startMicrosoftPeer();
const { sql, env } = await createFeedDatabase(undefined, { ...google.env, ...microsoft.env }); // ends with the process
const { default: api } = await import("../../../functions/api/index.ts");
const { addHost, addLink, age, busyHours, connect, shown } = calendarHosts(sql, { google, microsoft });

/** The database and the peers live as long as the file. */
const test = (title: string, run: () => Promise<void>) =>
  Deno.test(title, { sanitizeOps: false, sanitizeResources: false }, async () => {
    google.setFault(() => undefined);
    microsoft.setFault(() => undefined);
    await run();
  });

const DATE = hour(0).toISOString().slice(0, 10);

const pathOf = (linkId: string, date = DATE) => `/api/availability?bookingLinkId=${linkId}&date=${date}`;

/** The hours of the third day from now that are not offered. */
async function missing(response: Response | Promise<Response>): Promise<string> {
  const { status, data } = { status: (await response).status, ...await (await response).json() };
  assert.equal(status, 200);
  return missingOf(data.slots);
}

function missingOf(slots: { start: string }[]): string {
  const offered = new Set(slots.map(({ start }) => (Date.parse(start) - hour(0).getTime()) / 3600_000));
  return Array.from({ length: 24 }, (_, i) => i).filter((i) => !offered.has(i)).join(" ");
}

const view = (linkId: string) => missing(api.fetch(new Request(`http://functions.test${pathOf(linkId)}`)));

/** The same by the function of `rpc`, which reads no calendar. */
async function viewByRpc(linkId: string): Promise<string> {
  const [{ data }] = await sql`select public.get_availability(${linkId}, ${DATE}) as data`;
  return missingOf(data.slots);
}

test("GET /api/availability reads calendars that are stale, and then rpc returns the same slots", async () => {
  const host = await addHost("google", [{ busy: [busy(9, 11)] }]);
  const admin = await addLink();
  await sql`
    insert into public.podcast_members (podcast_id, user_id, role) values (${host.podcastId}, ${admin.userId}, 'admin')`;
  await connect(admin.userId, "microsoft", [{ busy: [busy(15.5, 16)] }]);
  assert.equal(await viewByRpc(host.linkId), "");
  assert.equal(await view(host.linkId), "9 10 15");
  assert.equal(await viewByRpc(host.linkId), "9 10 15");
  assert.equal(await view(admin.linkId), "15", "the owner's calendars do not count for the admin's podcast");
});

test("GET /api/availability called in a loop causes one reading per calendar and minute", async () => {
  const host = await addHost("google", [{ busy: [busy(9, 10)] }, {}]);
  const reads = () => google.requests.filter(({ text }) => text.includes(host.address)).length;
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 20 }, () => view(host.linkId)));
  }
  assert.equal(reads(), 1);
  google.setFault(() => "server_error");
  await age("1 minute");
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 20 }, () => view(host.linkId)));
  }
  assert.equal(reads(), 2);
});

test("GET /api/availability returns 200 and keeps busy hours while half of the calendars are broken", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }]);
  const broken = await Promise.all([
    connect(host.userId, "google", [{ busy: [busy(3, 4)] }]),
    connect(host.userId, "microsoft", [{ busy: [busy(5, 6)] }]),
  ]);
  const fine = await connect(host.userId, "microsoft", [{ busy: [busy(7, 8)] }]);
  assert.equal(await view(host.linkId), "1 3 5 7");
  host.account.calendars.get(host.address)!.busy = [busy(2, 3)];
  fine.account.calendars.get(fine.address)!.busy = [busy(8, 9)];
  await age();
  google.setFault(({ text }) => text.includes(broken[0].address) ? "server_error" : undefined);
  const tokens = [...microsoft.accessTokens].filter(([, { account }]) => account === broken[1].account)
    .map(([token]) => `Bearer ${token}`);
  microsoft.setFault(({ headers }) => tokens.includes(headers.get("authorization")!) ? "slow" : undefined);
  {
    using clock = stoppedClock();
    const viewing = view(host.linkId);
    const readable = [...host.calendarIds, ...fine.calendarIds];
    await waitFor("what can be read", async () => await busyHours(readable) === "2-3 8-9");
    await waitFor("the failure", async () => (await shown(broken[0].connectionId)).connection === "failing");
    clock.advance(3000);
    assert.equal(await within("the page view, which waits no longer", viewing), "2 3 5 8");
  }
  assert.equal(await viewByRpc(host.linkId), "2 3 5 8");
  const connections = await Promise.all([host, ...broken, fine].map(({ connectionId }) => shown(connectionId)));
  assert.deepEqual(
    connections.map(({ connection }) => connection),
    ["active", "failing", "active", "active"],
    "a calendar does not fail because a page view has no time left",
  );
});

test("GET /api/availability follows the selection of calendars", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }, { busy: [busy(3, 4)] }]);
  const select = (id: string, isSelected: boolean) =>
    sql`update public.connected_calendars set is_selected = ${isSelected} where id = ${id}`;
  await select(host.calendarIds[1], false);
  assert.equal(await view(host.linkId), "1");
  await select(host.calendarIds[1], true);
  assert.equal(await view(host.linkId), "1 3", "a calendar that was never read");
  await select(host.calendarIds[0], false);
  assert.equal(await view(host.linkId), "3");
  await sql`delete from public.calendar_connections where id = ${host.connectionId}`;
  assert.equal(await view(host.linkId), "");
});

test("GET /api/availability reads no calendar for a link that is not offered", async () => {
  const host = await addHost("google", [{}]);
  await sql`update public.booking_links set is_active = false where id = ${host.linkId}`;
  const before = google.requests.length;
  for (const linkId of [host.linkId, crypto.randomUUID()]) {
    assert.equal((await api.fetch(new Request(`http://functions.test${pathOf(linkId)}`))).status, 404);
  }
  assert.equal(google.requests.length, before);
});

const post = async (path: string, json: object) => {
  const headers = { "content-type": "application/json" }, body = JSON.stringify(json);
  const response = await api.fetch(new Request(`http://functions.test${path}`, { method: "POST", headers, body }));
  return { status: response.status, ...await response.json() };
};

const requestHour = (bookingLinkId: string, hours: number) =>
  post("/api/bookings", {
    bookingLinkId,
    startTime: hour(hours).toISOString(),
    guestName: "Gus",
    guestEmail: `gus-${hours}@guests.test`,
  });

test("POST /api/bookings reads calendars that are stale, and returns 409 for what they block now", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }]), calendar = host.account.calendars.get(host.address)!;
  assert.equal((await requestHour(host.linkId, 1)).code, "SLOT_UNAVAILABLE", "without a page view before");
  calendar.busy = [busy(3, 4)];
  await age("1 minute");
  const { status, code } = await requestHour(host.linkId, 3);
  assert.deepEqual([status, code], [409, "SLOT_UNAVAILABLE"]);
  assert.equal((await requestHour(host.linkId, 1)).status, 201);
  google.setFault(() => "server_error");
  await age("1 minute");
  assert.equal((await requestHour(host.linkId, 2)).status, 201, "a calendar that cannot be read");
  assert.equal((await requestHour(host.linkId, 3)).status, 409, "its last known hours");
});

test("POST /api/bookings/guest/reschedule reads calendars that are stale", async () => {
  const host = await addHost("google", [{}]), accessToken = crypto.randomUUID();
  const { data } = await requestHour(host.linkId, 1);
  await sql`
    insert into private.access_tokens (digest, kind, subject_id, expires_at)
    values (sha256(${accessToken}::text::bytea), 'booking', ${data.booking.id}, 'infinity')`;
  const moveTo = (hours: number) =>
    post("/api/bookings/guest/reschedule", { accessToken, startTime: hour(hours).toISOString() });
  host.account.calendars.get(host.address)!.busy = [busy(1, 4)]; // 1 to 2 is the booking itself
  await age("1 minute");
  const { status, code } = await moveTo(3);
  assert.deepEqual([status, code], [409, "SLOT_UNAVAILABLE"]);
  assert.equal((await moveTo(4)).data.booking.start, hour(4).toISOString());
  await sql`update public.booking_links set is_active = false where id = ${host.linkId}`;
  assert.equal((await moveTo(5)).code, "SLOT_UNAVAILABLE", "a link that is not offered");
});

test("a functions process that is killed while it reads blocks other readers until its lease ends", async () => {
  const host = await addHost("google", [{ busy: [busy(1, 2)] }]);
  assert.equal(await view(host.linkId), "1");
  host.account.calendars.get(host.address)!.busy = [busy(3, 4)];
  await age();
  const functions = startProcess((await readProject()).functions, env);
  const [port, pid] = await Promise.all([functions.port, functions.pid]);
  let requests = 0;
  google.setFault(() => {
    if (++requests === 1) Deno.kill(pid!, "SIGKILL");
    return "slow";
  });
  const began = Date.now();
  await assert.rejects(fetch(`http://127.0.0.1:${port}${pathOf(host.linkId)}`).then((response) => response.text()));
  await functions.stop();
  assert.equal(requests, 1);
  google.setFault(() => undefined);
  const [{ seconds }] = await sql`
    select extract(epoch from lease_expires_at - now())::float8 as seconds from private.calendar_busy
    where calendar_id = ${host.calendarIds[0]}`;
  assertDelay(seconds, 5, began);
  const endLeaseIn = (interval: string) =>
    sql`update private.calendar_busy set lease_expires_at = now() + ${interval}::interval
      where calendar_id = ${host.calendarIds[0]}`;
  await endLeaseIn("1 hour"); // a slow machine may be later than the lease
  assert.equal(await view(host.linkId), "1", "the last known hours");
  await endLeaseIn("0");
  assert.equal(await view(host.linkId), "3");
});
