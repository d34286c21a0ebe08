// What the owner of a calendar learns of events that cannot be read, of outages and of revocations.
import assert from "node:assert/strict";
import { startCaldavPeer } from "../../calendars/caldav/caldav_peer.ts";
import { waitFor } from "../../wait_for.ts";
import { newPerson, sendRequest, sql, stackInfo } from "../harness.ts";
import { emailsTo } from "../inbox.ts";
import { allow } from "./artwork.ts";

Deno.test("the owner of a calendar sees warnings, and is told once of an outage and of a revocation", async () => {
  const event = "BEGIN:VEVENT\r\nUID:1\r\nDTSTART:sometime\r\nEND:VEVENT\r\n";
  const icsOf = (events: string) => `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events}END:VCALENDAR\r\n`;
  const files = { "/SECRET.ics": icsOf(event) };
  await using peer = startCaldavPeer({ files });
  await allow(peer.host);
  const ada = await newPerson("ada");
  const added = await sendRequest({
    method: "POST",
    path: "/api/calendars/urls",
    as: ada,
    json: { provider: "ics", url: `http://${peer.host}/SECRET.ics` },
  });
  assert.equal(added.status, 201, added.text);
  const { id, calendars: [calendar] } = added.body.data.connection;
  assert.equal(calendar.warnings.length, 1);
  assert.match(calendar.warnings[0].text, /start cannot be read.*sometime/);
  assert.equal(calendar.warnings[0].count, 1);

  const shown = async () => {
    const { body } = await sendRequest({ method: "GET", path: "/api/calendars", as: ada });
    return body.data.connections[0];
  };
  /** Lets the worker read the calendar, and waits until it has. */
  async function read() {
    const before = peer.requests.length;
    await sql`
      update private.calendar_busy b set stale_at = '-infinity' from public.connected_calendars c
      where c.id = b.calendar_id and c.connection_id = ${id}`;
    await sql`select private.enqueue_calendar_read(${id})`;
    await waitFor("a reading", async () => {
      const [{ isStored }] = await sql`
        select bool_and(b.lease is null and b.stale_at > '-infinity') as "isStored" from private.calendar_busy b
        join public.connected_calendars c on c.id = b.calendar_id where c.connection_id = ${id}`;
      return peer.requests.length > before && isStored;
    });
  }
  const subjects = async () => (await emailsTo(ada.email)).map(({ Subject }) => Subject);
  const lastHour = () =>
    sql`update public.calendar_connections set failing_since = now() - interval '1 hour' where id = ${id}`;

  files["/SECRET.ics"] = icsOf("");
  await read();
  assert.deepEqual((await shown()).calendars[0].warnings, [], "a reading without problems ends the warnings");

  let status = 503;
  peer.faults.respond = () => status === 200 ? undefined : new Response("", { status });
  const outage = `Your calendar ${peer.host} can't be read`, revocation = `Reconnect your calendar ${peer.host}`;
  await read();
  assert.equal((await shown()).status, "failing");
  await lastHour();
  await read();
  const [email] = await waitFor("the email", async () => {
    const found = await emailsTo(ada.email);
    return found.length > 0 ? found : undefined;
  });
  assert.equal(email.Subject, outage);
  assert.match(email.Text, /unavailable \(status 503\)[^]*connect it again/);
  const [, click] = /View calendars:\s+(\S+)/.exec(email.Text)!;
  const clicked = await fetch(click, { redirect: "manual" });
  await clicked.body?.cancel();
  assert.equal(clicked.headers.get("location"), `${stackInfo.url}/calendars`);
  assert.ok(!`${email.Text}${email.HTML}`.includes("SECRET"));
  await read();
  status = 200;
  await read();
  assert.equal((await shown()).status, "active");
  const unread = async () => {
    const rows = await sql`select from public.notifications where user_id = ${ada.id} and read_at is null`;
    return rows.length;
  };
  assert.equal(await unread(), 0, "the notification ends with the outage");

  status = 401;
  await read();
  await lastHour();
  await read();
  assert.equal((await shown()).status, "revoked");
  await waitFor("the second email", async () => (await subjects()).length > 1);
  assert.deepEqual(await subjects(), [outage, revocation]);
});
