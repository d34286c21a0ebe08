// readIcsBusy() on documents as calendars write them. recurring_events.test.ts and unreadable.test.ts have the rest.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { readIcsBusy } from "../../../functions/calendars/icalendar/ics.ts";
import { BERLIN, busyOf, calendarOf, event, read, readText, WINDOW } from "./documents.ts";

Deno.test("readIcsBusy() reads ends as DTEND, as DURATION, or from the start alone", async () => {
  equal(await busyOf(...event("DTSTART:20260325T100000Z", "DTEND:20260325T113000Z")), "03-25T10:00/03-25T11:30");
  equal(await busyOf(...event("DTSTART:20260325T100000Z", "DURATION:PT45M")), "03-25T10:00/03-25T10:45");
  equal(await busyOf(...event("DTSTART:20260325T100000Z")), "");
  equal(await busyOf(...event("DTSTART:20260325T095960Z", "DURATION:PT1H")), "03-25T09:59/03-25T10:59");
  equal(await busyOf(...event("DTSTART;VALUE=DATE:20260325")), "03-24T23:00/03-25T23:00");
  equal(await busyOf(...event("DTSTART;VALUE=DATE:20260325", "DTEND;VALUE=DATE:20260325")), "03-24T23:00/03-25T23:00");
  equal(await busyOf(...event("DTSTART;VALUE=DATE:20260328", "DTEND;VALUE=DATE:20260330")), "03-27T23:00/03-29T22:00");
});

Deno.test("readIcsBusy() merges busy times and cuts them to the window", async () => {
  const days = [
    event("DTSTART:20260101T000000Z", "DTEND:20260321T000000Z"),
    event("DTSTART:20260325T100000Z", "DURATION:PT1H"),
    event("DTSTART:20260325T103000Z", "DURATION:PT1H"),
    event("DTSTART:20260325T113000Z", "DURATION:PT1H"),
    event("DTSTART:20260325T114500Z", "DURATION:PT5M"),
    event("DTSTART:20260409T000000Z", "DTEND:20270101T000000Z"),
    event("DTSTART:20260411T000000Z", "DTEND:20270101T000000Z"),
  ];
  equal(await busyOf(...days.flat()), "03-20T00:00/03-21T00:00 03-25T10:00/03-25T12:30 04-09T00:00/04-10T00:00");
});

Deno.test("readIcsBusy() counts busy times after it has merged them", async () => {
  const window = { start: WINDOW.start, end: new Date(WINDOW.start.getTime() + 365 * 86_400_000) };
  const series = Array.from(
    { length: 300 },
    (_, i) => event(`DTSTART:20200101T${10 + i % 5}0000Z`, "DURATION:PT30M", "RRULE:FREQ=DAILY"),
  );
  const body = new Blob([calendarOf(...series.flat())]).stream();
  equal((await readIcsBusy(body, window, { timeZone: "UTC", maxCpuMs: 60_000 })).length, 5 * 365);
});

Deno.test("readIcsBusy() ignores events that are free, canceled or declined by the owner", async () => {
  const time = ["DTSTART:20260325T100000Z", "DURATION:PT1H"];
  equal(await busyOf(...event(...time, "STATUS:CANCELLED")), "");
  equal(await busyOf(...event(...time, "TRANSP:TRANSPARENT")), "");
  equal(await busyOf(...event(...time, "X-MICROSOFT-CDO-BUSYSTATUS:FREE")), "");
  equal(await busyOf(...event(...time, "X-MICROSOFT-CDO-BUSYSTATUS:WORKINGELSEWHERE")), "");
  equal(await busyOf("METHOD:CANCEL", ...event(...time)), "");
  equal(await busyOf(...event(...time, "STATUS:TENTATIVE", "TRANSP:OPAQUE")), "03-25T10:00/03-25T11:00");
  const declined = calendarOf(...event(
    ...time,
    'ATTENDEE;CN="Me: the owner";PARTSTAT=DECLINED:mailto:Me@example.org',
    "ATTENDEE;PARTSTAT=ACCEPTED:mailto:you@example.org",
  ));
  equal((await read(declined, { ownerEmails: ["me@example.org"] })).busy, "");
  equal((await read(declined, { ownerEmails: ["you@example.org"] })).busy, "03-25T10:00/03-25T11:00");
  equal((await read(declined)).busy, "03-25T10:00/03-25T11:00");
  const attendee = "ATTENDEE;PARTSTAT=DECLINED:mailto:Me@example.org";
  equal(await busyOf("X-OWNER;CN=Me:mailto:me@example.org", ...event(...time, attendee)), "");
  equal(await busyOf(...event(...time, attendee), "X-WR-CALNAME:me@Example.org"), "");
  equal(await busyOf("X-WR-CALNAME:Team", ...event(...time, attendee)), "03-25T10:00/03-25T11:00");
  equal(
    await busyOf("X-WR-CALNAME:Team", ...event(...time, "ATTENDEE;PARTSTAT=DECLINED:team")),
    "03-25T10:00/03-25T11:00",
  );
});

Deno.test("readIcsBusy() reads dates and times without a zone in the calendar's zone, else in the owner's, else in UTC", async () => {
  const lines = [...event("DTSTART;VALUE=DATE:20260325"), ...event("DTSTART:20260326T090000", "DURATION:PT1H")];
  equal(
    (await read(calendarOf(...lines), { timeZone: "Asia/Tokyo" })).busy,
    "03-24T15:00/03-25T15:00 03-26T00:00/03-26T01:00",
  );
  equal(
    (await read(calendarOf("X-WR-TIMEZONE:America/New_York", ...lines), { timeZone: "Asia/Tokyo" })).busy,
    "03-25T04:00/03-26T04:00 03-26T13:00/03-26T14:00",
  );
  equal(
    (await read(calendarOf(...lines), { timeZone: "Mars/Base" })).busy,
    "03-25T00:00/03-26T00:00 03-26T09:00/03-26T10:00",
  );
});

Deno.test("readIcsBusy() knows the zones of IANA, of Windows, and of programs that prefix them", async () => {
  const inZone = (tzid: string) => busyOf(...event(`DTSTART;TZID=${tzid}:20260325T090000`, "DURATION:PT1H"));
  const zones = [
    "Europe/Berlin",
    "europe/berlin",
    '"W. Europe Standard Time"',
    "/freeassociation.sourceforge.net/Europe/Berlin",
    "/mozilla.org/20050126_1/Europe/Berlin",
  ];
  for (const zone of zones) equal(await inZone(zone), "03-25T08:00/03-25T09:00", zone);
  equal(await inZone("/freeassociation.sourceforge.net/America/Argentina/Salta"), "03-25T12:00/03-25T13:00");
  equal(await inZone("UTC-08"), "03-25T17:00/03-25T18:00");
  equal(await inZone('"tzone://Microsoft/Utc"'), "03-25T09:00/03-25T10:00");
});

const CUSTOM_ZONE = [
  "BEGIN:VTIMEZONE",
  "TZID:Customized Time Zone",
  "BEGIN:STANDARD",
  "DTSTART:16010101T030000",
  "TZOFFSETFROM:+0200",
  "TZOFFSETTO:+0100",
  "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
  "END:STANDARD",
  "BEGIN:DAYLIGHT",
  "DTSTART:16010101T020000",
  "TZOFFSETFROM:+0100",
  "TZOFFSETTO:+0200",
  "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
  "END:DAYLIGHT",
  "END:VTIMEZONE",
];

Deno.test("readIcsBusy() reads events at the edges of the window in zones far from UTC", async () => {
  equal(
    await busyOf(
      ...event("DTSTART;TZID=Pacific/Honolulu:20260319T150000", "DURATION:PT1H"),
      ...event("DTSTART;TZID=Asia/Tokyo:20260410T080000", "DURATION:PT1H"),
    ),
    "03-20T01:00/03-20T02:00 04-09T23:00/04-10T00:00",
  );
});

Deno.test("readIcsBusy() reads a zone that the calendar describes, before or after its events", async () => {
  const daily = event("DTSTART;TZID=Customized Time Zone:20260328T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2");
  const expected = "03-28T08:00/03-28T09:00 03-29T07:00/03-29T08:00";
  equal(await busyOf(...CUSTOM_ZONE, ...daily), expected);
  equal(await busyOf(...daily, ...CUSTOM_ZONE), expected);
});

Deno.test("readIcsBusy() reads the periods of VFREEBUSY that are not free", async () => {
  const lines = [
    "BEGIN:VFREEBUSY",
    "FREEBUSY:20260325T100000Z/PT1H,20260325T120000Z/20260325T130000Z",
    "FREEBUSY;FBTYPE=BUSY-TENTATIVE:20260326T100000Z/PT1H",
    "FREEBUSY;FBTYPE=FREE:20260327T100000Z/PT1H",
    "END:VFREEBUSY",
  ];
  equal(await busyOf(...lines), "03-25T10:00/03-25T11:00 03-25T12:00/03-25T13:00 03-26T10:00/03-26T11:00");
});

Deno.test("readIcsBusy() ignores tasks, journals, and what alarms inside an event say", async () => {
  const lines = [
    "BEGIN:VTODO",
    "DTSTART:20260325T100000Z",
    "DURATION:PT1H",
    "END:VTODO",
    "BEGIN:VEVENT",
    "BEGIN:VALARM",
    "TRIGGER:-PT15M",
    "DURATION:PT9H",
    "REPEAT:2",
    "END:VALARM",
    "DTSTART:20260326T100000Z",
    "DURATION:PT1H",
    "END:VEVENT",
  ];
  equal(await busyOf(...lines), "03-26T10:00/03-26T11:00");
});

Deno.test("readIcsBusy() reads an event whose end is missing, and the one after it", async () => {
  const [first, second] = [10, 12].map((hour) => event(`DTSTART:20260325T${hour}0000Z`, "DURATION:PT1H"));
  equal(await busyOf(...first.slice(0, -1), ...second), "03-25T10:00/03-25T11:00 03-25T12:00/03-25T13:00");
});

Deno.test("readIcsBusy() accepts a byte order mark, bare line feeds, folded lines, lower case and broken UTF-8", async () => {
  const lines = ["DTSTART;TZID=Europe/", " Berlin:2026032", "\t5T090000", "DURATION:PT1H", "SUMMARY:\ufffd\0"];
  const expected = "03-25T08:00/03-25T09:00";
  equal(await busyOf(...event(...lines)), expected);
  const { busy } = await read(
    `\ufeff${calendarOf(...event(...lines)).replaceAll("\r", "").replaceAll("EVENT", "event")}`,
  );
  equal(busy, expected);
});

Deno.test("readIcsBusy() reads UTF-16 that begins with a byte order mark", async () => {
  const document = `\ufeff${calendarOf(...event("SUMMARY:\u263a", "DTSTART:20260325T100000Z", "DURATION:PT1H"))}`;
  for (const isLittleEndian of [true, false]) {
    const bytes = new DataView(new ArrayBuffer(2 * document.length));
    [...document].forEach((char, i) => bytes.setUint16(2 * i, char.charCodeAt(0), isLittleEndian));
    const stream = new Blob([bytes]).stream();
    const busy = await readIcsBusy(stream, WINDOW, { timeZone: undefined, maxCpuMs: 60_000 });
    deepEqual(busy, [{ start: new Date("2026-03-25T10:00:00Z"), end: new Date("2026-03-25T11:00:00Z") }]);
  }
});

Deno.test("readIcsBusy() accepts carriage returns as line ends, and indented lines", async () => {
  const lines = ["DTSTART;TZID=Europe/", " Berlin:20260325T090000", "DURATION:PT1H", "DESCRIPTION:one", " DURATION"];
  const document = calendarOf("VERSION:2.0", "X-A:", ...event(...lines));
  const mapLines = (map: (line: string) => string) => document.split("\r\n").map(map).join("\r\n");
  const indented = mapLines((line) => `  ${line}`);
  const nested = mapLines((line) =>
    /VCALENDAR/.test(line) ? line : /EVENT|VERSION|X-A/.test(line) ? `\t${line}` : `\t\t${line}`
  );
  const forms = {
    CR: document.replaceAll("\n", ""),
    "CR CR LF": document.replaceAll("\r", "\r\r"),
    indented,
    nested,
    "indented CR": indented.replaceAll("\n", ""),
    "blank lines": document.replaceAll("\n", "\n\r\n"),
    "lines of spaces": nested.replaceAll("\n", "\n \r\n"),
  };
  for (const [name, text] of Object.entries(forms)) {
    for (const size of [1, 16, text.length]) {
      const pieces = Array.from(
        { length: Math.ceil(text.length / size) },
        (_, i) => text.slice(i * size, (i + 1) * size),
      );
      const stream = ReadableStream.from(pieces).pipeThrough(new TextEncoderStream());
      const busy = await readIcsBusy(stream, WINDOW, { timeZone: "UTC" });
      deepEqual(busy.map(({ start }) => start.toISOString()), ["2026-03-25T08:00:00.000Z"], `${name} by ${size}`);
    }
  }
  const description = [...lines.slice(0, 3), "DESCRIPTION:one", " DURATION:PT2H"];
  equal(await busyOf(...event(...description)), "03-25T08:00/03-25T09:00", "a folded line is not indented");
});

Deno.test("readIcsBusy() accepts times without seconds, of ISO 8601, and of other common forms", async () => {
  const expected = "03-25T10:00/03-25T11:00";
  const forms: [start: string, end: string][] = [
    ["20260325T1000Z", "20260325T1100Z"],
    ["20260325t100000z", "20260325T110000Z "],
    ["2026-03-25T10:00:00Z", "2026-03-25T11:00:00.000Z"],
    ["2026-03-25 10:00Z", "2026-03-25T13:00+02:00"],
    ["20260325T053000-0430", "2026-03-25T05:30:00-05:30"],
  ];
  for (const [start, end] of forms) equal(await busyOf(...event(`DTSTART:${start}`, `DTEND:${end}`)), expected, start);
  equal(await busyOf(...event(`DTSTART;${BERLIN}:2026-03-25T11:00:00`, "DURATION: pt1h")), expected);
  equal(await busyOf(...event(`dtstart;tzid="Europe/Berlin":20260325T1100`, "DURATION:P1H")), expected);
  const days = "03-24T23:00/03-25T23:00";
  equal(await busyOf(...event("DTSTART:2026-03-25", "DTEND:2026-03-26")), days);
  equal(await busyOf(...event("DTSTART;VALUE=DATE:20260325T000000")), days);
  equal(await busyOf(...event(`DTSTART;${BERLIN}:20260325T000000`, `DTEND;${BERLIN}:20260325T240000`)), days);
});

Deno.test("readIcsBusy() reads a stream in pieces of any size as it reads the whole text", async () => {
  const lines = Array.from(
    { length: 20 },
    (_, i) =>
      event(`UID:${i}`, "SUMMARY:Ä\u{1f600}\\, x", `DTSTART;${BERLIN}:202603${20 + i % 10}T090000`, "DURATION:PT1H"),
  );
  const document = calendarOf(...lines.flat());
  const bytes = new TextEncoder().encode(document);
  const whole = await readText(document);
  equal(whole.length, 10);
  for (const size of [1, 2, 7, 61, 1000]) {
    let at = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at += size));
        if (at >= bytes.length) controller.close();
      },
    });
    deepEqual(await readIcsBusy(stream, WINDOW, { timeZone: "Europe/Berlin" }), whole, `${size} bytes`);
  }
});

Deno.test("readIcsBusy() adds days of a duration on the clock, and hours in elapsed time", async () => {
  const start = `DTSTART;${BERLIN}:20260328T120000`;
  equal(await busyOf(...event(start, "DURATION:P1D")), "03-28T11:00/03-29T10:00");
  equal(await busyOf(...event(start, "DURATION:PT24H")), "03-28T11:00/03-29T11:00");
  equal(await busyOf(...event(start, `DTEND;${BERLIN}:20260329T120000`)), "03-28T11:00/03-29T10:00");
  const flight = [start, "DTEND;TZID=America/New_York:20260328T150000"];
  equal(await busyOf(...event(...flight)), "03-28T11:00/03-28T19:00");
});

Deno.test("readIcsBusy() counts all events that share a UID, or have none", async () => {
  const times = [10, 12, 14].map((hour) => [`DTSTART:20260325T${hour}0000Z`, "DURATION:PT1H"]);
  const expected = "03-25T10:00/03-25T11:00 03-25T12:00/03-25T13:00 03-25T14:00/03-25T15:00";
  equal(await busyOf(...times.flatMap((time) => event(...time))), expected);
  equal(await busyOf(...times.flatMap((time) => event("UID:1", ...time))), expected);
});

Deno.test("readIcsBusy() reads several calendars, each with its own zone", async () => {
  const one = (zone: string) =>
    calendarOf(`X-WR-TIMEZONE:${zone}`, ...event("DTSTART:20260325T090000", "DURATION:PT1H"));
  const { busy } = await read(one("Asia/Tokyo") + one("America/New_York"));
  equal(busy, "03-25T00:00/03-25T01:00 03-25T13:00/03-25T14:00");
});

Deno.test("readIcsBusy() reports the calendar's name", async () => {
  const names: string[] = [];
  const options = { timeZone: "UTC", onName: (name: string) => names.push(name) };
  await readText(calendarOf("X-WR-CALNAME:Work\\, mostly"), options);
  deepEqual(names, ["Work, mostly"]);
});
