// Calendars whose server needs up to 29 s, while their host's page is viewed every two seconds: each is read within a
// minute after it was connected, and after it changed, and no guest books what it blocks.
import assert from "node:assert/strict";
import { busy, calendarHosts, hour } from "../calendars/calendar_hosts.ts";
import { LOGIN, startCaldavPeer } from "../calendars/caldav/caldav_peer.ts";
import { startGooglePeer } from "../calendars/providers/google_peer.ts";
import { startMicrosoftPeer } from "../calendars/providers/microsoft_peer.ts";
import { newPerson, sendRequest, sql, stackInfo } from "../http/harness.ts";

const SECONDS = [1, 5, 12, 29];
const MAX_SECONDS = 60, VIEW_MS = 2000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const icsTime = (date: Date) => date.toISOString().replaceAll(/[-:]|\.\d+/g, "");
const icsOf = (from: number) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:test", "BEGIN:VEVENT", "UID:1", "DTSTAMP:20260101T000000Z"]
    .concat(`DTSTART:${icsTime(busy(from, from + 2).start)}`, `DTEND:${icsTime(busy(from, from + 2).end)}`)
    .concat("END:VEVENT", "END:VCALENDAR", "").join("\r\n");

/** A server whose calendar is busy for two hours from 8 on, and takes so many seconds to send it. */
function slowServer(kind: "ics" | "caldav", seconds: number) {
  const files = { "/a.ics": icsOf(8) }, calendar = { id: "work", name: "Work", events: [icsOf(8)] };
  const peer = startCaldavPeer({ calendars: [calendar], files });
  peer.faults.respond = async ({ method }) => {
    if (method !== "PROPFIND") await pause(seconds * 1000);
    return undefined;
  };
  const added = kind === "ics"
    ? { provider: kind, url: `${peer.url}/a.ics` }
    : { provider: kind, url: `${peer.url}/`, ...LOGIN };
  const change = (from: number) => {
    files["/a.ics"] = icsOf(from);
    calendar.events = [icsOf(from)];
  };
  return { peer, change, added };
}

Deno.test("calendars that need up to 29 s are read within a minute, and no guest books over them", {
  sanitizeOps: false,
  sanitizeResources: false,
}, async (t) => {
  await using google = startGooglePeer();
  await using microsoft = startMicrosoftPeer();
  const { addLink } = calendarHosts(sql, { google, microsoft });
  const servers = SECONDS.flatMap((seconds) =>
    (["ics", "caldav"] as const).map((kind) => ({ seconds, kind, ...slowServer(kind, seconds) }))
  );
  await sql`select private.set_setting('fetch_allowed_hosts', ${servers.map(({ peer }) => peer.host).join()})`;
  const date = hour(0).toISOString().slice(0, 10);

  async function offers(linkId: string, at: number): Promise<boolean> {
    const response = await fetch(`${stackInfo.functionsUrl}/api/availability?bookingLinkId=${linkId}&date=${date}`);
    const { data } = await response.json();
    assert.equal(response.status, 200);
    return data.slots.some(({ start }: { start: string }) => Date.parse(start) === hour(at).getTime());
  }
  async function book(linkId: string, at: number): Promise<number> {
    const response = await fetch(`${stackInfo.functionsUrl}/api/bookings`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        bookingLinkId: linkId,
        startTime: hour(at).toISOString(),
        guestName: "Gus",
        guestEmail: `gus-${crypto.randomUUID()}@guests.test`,
      }),
    });
    await response.body?.cancel();
    return response.status;
  }
  /** Views the page until the condition holds; returns the seconds that took. */
  async function viewUntil(isDone: () => Promise<boolean>): Promise<number> {
    const began = Date.now();
    while (!await isDone()) {
      assert.ok(Date.now() - began < 1000 * 3 * MAX_SECONDS, "it is read at last");
      await pause(VIEW_MS);
    }
    return (Date.now() - began) / 1000;
  }

  const results = await Promise.all(servers.map(({ seconds, kind, change, added }) =>
    t.step({
      name: `${kind}, ${seconds} s`,
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
      async fn() {
        const ada = await newPerson("ada"), { podcastId, linkId } = await addLink();
        await sql`
          insert into public.podcast_members (podcast_id, user_id, role) values (${podcastId}, ${ada.id}, 'admin')`;
        const { status, body } = await sendRequest({
          method: "POST",
          path: "/api/calendars/urls",
          as: ada,
          json: added,
        });
        assert.equal(status, 201, JSON.stringify(body));
        const { id } = body.data.connection;
        const first = await viewUntil(async () => {
          assert.equal(await offers(linkId, 8), false, "no slot over the event, pending or not");
          assert.equal(await book(linkId, 9), 409);
          const [{ isRead }] = await sql`
            select n.status = 'active' as "isRead" from public.calendar_connections n where n.id = ${id}`;
          return isRead;
        });
        assert.ok(first < MAX_SECONDS, `read after ${first} s`);
        assert.equal(await offers(linkId, 12), true);

        change(12);
        await sql`
          update private.calendar_busy b set stale_at = now() from public.connected_calendars c
          where c.id = b.calendar_id and c.connection_id = ${id}`;
        const second = await viewUntil(async () => !await offers(linkId, 12));
        assert.equal(await book(linkId, 13), 409);
        const [{ failures, status: after }] = await sql`
          select b.failures, n.status from private.calendar_busy b
          join public.connected_calendars c on c.id = b.calendar_id
          join public.calendar_connections n on n.id = c.connection_id where n.id = ${id}`;
        assert.deepEqual([failures, after], [0, "active"]);
        console.log(`${kind}, ${seconds} s: ${first} s after it was connected, ${second} s after it changed`);
        assert.ok(second < MAX_SECONDS, `read after ${second} s`);
      },
    })
  ));
  assert.deepEqual(new Set(results), new Set([true]));
  for (const { peer } of servers) await peer[Symbol.asyncDispose]();
});
