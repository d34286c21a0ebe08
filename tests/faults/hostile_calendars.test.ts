// A process whose page view reads hostile calendars responds to other requests meanwhile.
import assert from "node:assert/strict";
import { calendarHosts } from "../calendars/calendar_hosts.ts";
import { startGooglePeer } from "../calendars/providers/google_peer.ts";
import { startMicrosoftPeer } from "../calendars/providers/microsoft_peer.ts";
import { startFunctions } from "../functions.ts";
import { sql, stackInfo } from "../http/harness.ts";
import { allow, disallow } from "../http/api/artwork.ts";
import { startHttpServer } from "../http_server.ts";

const MB = 1024 * 1024, CONNECTIONS = 10;
/** A calendar that stopped the process would delay them by seconds. */
const MAX_DELAY_MS = 1000;

const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"].join("\n");
const rules = Array(500).fill("RRULE:FREQ=YEARLY;BYWEEKNO=1,2,3,4,5,6,7,8,9,50,51,52,53;BYDAY=MO,TU;BYSETPOS=1,-1");

/** An event that repeats up to the size of a calendar. */
const HOSTILE: Record<string, [event: string, bytes: number]> = {
  parameters: [event(`DTSTART${";A=B".repeat(65_000)}:20260325T100000Z`), 10 * MB],
  "short parameters": [event(`DTSTART${";A=B".repeat(1900)}:20260325T100000Z`, "RRULE:FREQ=DAILY"), 10 * MB],
  rules: [event("DTSTART:10000101T000000Z", "DURATION:PT1M", ...rules), 2 * MB],
  "dates that are not there": [
    event("DTSTART:10000101T000000Z", "RRULE:FREQ=DAILY;COUNT=9;BYMONTH=2;BYMONTHDAY=30"),
    2 * MB,
  ],
  "many lines": ["\n".repeat(1000), 50 * MB],
  history: [event("DTSTART:20160325T100000Z", `DESCRIPTION:${"x".repeat(500)}`), 49 * MB],
};

const CHUNK = 256 * 1024;

function calendarOf([text, bytes]: [string, number]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder(), chunk = encoder.encode(`${text}\n`.repeat(Math.ceil(CHUNK / text.length)));
  let sent = 0;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode("BEGIN:VCALENDAR\n")),
    pull(controller) {
      if ((sent += chunk.length) < bytes) return controller.enqueue(chunk);
      controller.enqueue(encoder.encode("END:VCALENDAR\n"));
      controller.close();
    },
  }, { highWaterMark: 0 });
}

Deno.test("the api function responds to other requests while a page view reads ten hostile calendars", async () => {
  await using google = startGooglePeer();
  await using microsoft = startMicrosoftPeer();
  await using server = startHttpServer((request) =>
    new Response(calendarOf(HOSTILE[decodeURIComponent(new URL(request.url).pathname.slice(1))]))
  );
  const { addLink, addConnection, shown } = calendarHosts(sql, { google, microsoft });
  await using functions = await startFunctions(stackInfo, {}, { only: "api" });
  const get = async (path: string) => {
    const response = await fetch(`${functions.url}${path}`);
    await response.body?.cancel();
    return response.status;
  };
  const { host } = new URL(server.url);
  await allow(host);
  try {
    for (const name of Object.keys(HOSTILE)) {
      const { userId, linkId } = await addLink();
      const url = `${server.url}/${encodeURIComponent(name)}`, connections: string[] = [];
      for (let i = 0; i < CONNECTIONS; i++) {
        connections.push((await addConnection(userId, "ics", { url }, ["ics"])).connectionId);
      }
      const date = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
      let isOver = false;
      const started = performance.now();
      const viewing = get(`/api/availability?bookingLinkId=${linkId}&date=${date}`).finally(() => isOver = true);
      const delays: number[] = [];
      while (!isOver) {
        const begun = performance.now();
        assert.equal(await get("/api/health"), 200);
        delays.push(performance.now() - begun);
      }
      const worst = Math.max(...delays);
      const [{ errors }] = await Promise.all(connections.map(shown));
      console.log(
        `${name}: a page view of ${
          (performance.now() - started).toFixed()
        } ms, ${delays.length} other requests of at ` +
          `most ${worst.toFixed()} ms; ${errors[0] ?? "read"}`,
      );
      assert.equal(await viewing, 200);
      assert.ok(worst < MAX_DELAY_MS, name);
    }
  } finally {
    await disallow(host);
  }
});
