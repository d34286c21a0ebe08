// Servers that send calendars compressed without being asked, or break off: what arrives whole counts, and what is cut
// keeps the last busy times.
import assert from "node:assert/strict";
import { busy, calendarHosts, hour } from "../calendars/calendar_hosts.ts";
import { startCaldavPeer } from "../calendars/caldav/caldav_peer.ts";
import { startGooglePeer } from "../calendars/providers/google_peer.ts";
import { startMicrosoftPeer } from "../calendars/providers/microsoft_peer.ts";
import { newPerson, sendRequest, sql } from "../http/harness.ts";

const icsTime = (date: Date) => date.toISOString().replaceAll(/[-:]|\.\d+/g, "");
const icsOf = (from: number) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:test", "BEGIN:VEVENT", "UID:1", "DTSTAMP:20260101T000000Z"]
    .concat(`DTSTART:${icsTime(busy(from, from + 2).start)}`, `DTEND:${icsTime(busy(from, from + 2).end)}`)
    .concat("END:VEVENT", "END:VCALENDAR", "").join("\r\n");

async function gzip(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const compressed = (bytes: Uint8Array) => new Response(bytes, { headers: { "content-encoding": "gzip" } });

/** Sends half of a text, and then breaks the connection. */
const broken = (text: string) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2)));
      },
      pull(controller) {
        controller.error(new Error("the connection is lost"));
      },
    }),
  );

Deno.test("a calendar that is cut off keeps its last busy times, and a compressed one is read", async () => {
  await using google = startGooglePeer();
  await using microsoft = startMicrosoftPeer();
  const { addLink } = calendarHosts(sql, { google, microsoft });
  const whole = await gzip(icsOf(8)), moved = await gzip(icsOf(12));
  let respond: () => Response = () => compressed(whole);
  await using peer = startCaldavPeer({});
  peer.faults.respond = () => respond();
  await sql`select private.set_setting('fetch_allowed_hosts', ${peer.host})`;
  const ada = await newPerson("ada"), { podcastId, linkId } = await addLink();
  await sql`insert into public.podcast_members (podcast_id, user_id, role) values (${podcastId}, ${ada.id}, 'admin')`;
  const { status, body } = await sendRequest({
    method: "POST",
    path: "/api/calendars/urls",
    as: ada,
    json: { provider: "ics", url: `${peer.url}/a.ics` },
  });
  assert.deepEqual([status, body.data.connection.status], [201, "active"], JSON.stringify(body));

  const date = hour(0).toISOString().slice(0, 10);
  /** The status of the connection and which of the hours 8 and 12 are offered, after a page view reads the calendar. */
  async function view(): Promise<string> {
    await sql`
      update private.calendar_busy b set stale_at = now() from public.connected_calendars c
      where c.id = b.calendar_id and c.user_id = ${ada.id}`;
    const page = await sendRequest({ method: "GET", path: `/api/availability?bookingLinkId=${linkId}&date=${date}` });
    assert.equal(page.status, 200);
    const starts = page.body.data.slots.map(({ start }: { start: string }) => Date.parse(start));
    const [connection] = await sql`
      select n.status from public.calendar_connections n where n.user_id = ${ada.id}`;
    return [connection.status, ...[8, 12].filter((at) => starts.includes(hour(at).getTime()))].join(" ");
  }
  assert.equal(await view(), "active 12");
  respond = () => broken(icsOf(12));
  assert.equal(await view(), "failing 12", "a text that breaks off");
  respond = () => compressed(moved.slice(0, -10));
  assert.equal(await view(), "failing 12", "a compressed file that is cut");
  respond = () => new Response(icsOf(12).replace("END:VCALENDAR", ""));
  assert.equal(await view(), "failing 12", "a calendar without its end");
  respond = () => compressed(moved);
  assert.equal(await view(), "active 8");
});
