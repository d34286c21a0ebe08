// readIcsBusy() on documents as calendars write them.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { CalendarError } from "../../functions/calendars/calendar_error.ts";
import { readIcsBusy } from "../../functions/calendars/ics.ts";

/** Clocks in Berlin change on 2026-03-29. */
const WINDOW = { start: new Date("2026-03-20T00:00:00Z"), end: new Date("2026-04-10T00:00:00Z") };

const calendarOf = (...lines: string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n");
const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"];

const short = (date: Date) => date.toISOString().slice(5, 16);

/** The busy times as "03-23T08:00/03-23T09:00", in UTC, and the problems. */
async function read(document: string, options: { timeZone?: string; ownerEmails?: string[] } = {}) {
  const problems: string[] = [];
  const onProblem = (problem: string) => problems.push(problem);
  const busy = await readIcsBusy(document, WINDOW, { timeZone: "Europe/Berlin", onProblem, ...options });
  return { busy: busy.map(({ start, end }) => `${short(start)}/${short(end)}`).join(" "), problems };
}

async function busyOf(...lines: string[]) {
  const { busy, problems } = await read(calendarOf(...lines));
  deepEqual(problems, []);
  return busy;
}

const BERLIN = "TZID=Europe/Berlin";

Deno.test("readIcsBusy() reads ends as DTEND, as DURATION, or from the start alone", async () => {
  equal(await busyOf(...event("DTSTART:20260325T100000Z", "DTEND:20260325T113000Z")), "03-25T10:00/03-25T11:30");
  equal(await busyOf(...event("DTSTART:20260325T100000Z", "DURATION:PT45M")), "03-25T10:00/03-25T10:45");
  equal(await busyOf(...event("DTSTART:20260325T100000Z")), "");
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
});

Deno.test("readIcsBusy() keeps the local time of a recurring event when clocks change", async () => {
  const lines = [`DTSTART;${BERLIN}:20260320T090000`, `DTEND;${BERLIN}:20260320T100000`, "RRULE:FREQ=WEEKLY;COUNT=3"];
  equal(
    await busyOf(...event(...lines)),
    "03-20T08:00/03-20T09:00 03-27T08:00/03-27T09:00 04-03T07:00/04-03T08:00",
  );
  const nights = [`DTSTART;${BERLIN}:20260321T230000`, `DTEND;${BERLIN}:20260322T040000`, "RRULE:FREQ=WEEKLY;COUNT=2"];
  equal(await busyOf(...event(...nights)), "03-21T22:00/03-22T03:00 03-28T22:00/03-29T02:00");
  // 02:30 is skipped on 2026-03-29, and counts with the offset before the change
  const night = [`DTSTART;${BERLIN}:20260329T023000`, "DURATION:PT1H"];
  equal(await busyOf(...event(...night)), "03-29T01:30/03-29T02:30");
});

Deno.test("readIcsBusy() leaves out EXDATE and adds RDATE", async () => {
  const daily = [`DTSTART;${BERLIN}:20260323T090000`, "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=4"];
  equal(
    await busyOf(...event(...daily, `EXDATE;${BERLIN}:20260324T090000,20260325T090000`)),
    "03-23T08:00/03-23T09:00 03-26T08:00/03-26T09:00",
  );
  equal(
    await busyOf(...event(...daily, "EXDATE:20260324T080000Z", "EXDATE;VALUE=DATE:20260325")),
    "03-23T08:00/03-23T09:00 03-26T08:00/03-26T09:00",
  );
  equal(
    await busyOf(...event(
      "DTSTART:20260323T080000Z",
      "DURATION:PT1H",
      `RDATE;${BERLIN}:20260325T090000`,
      "RDATE;VALUE=PERIOD:20260326T080000Z/PT2H,20260327T080000Z/20260327T083000Z",
    )),
    "03-23T08:00/03-23T09:00 03-25T08:00/03-25T09:00 03-26T08:00/03-26T10:00 03-27T08:00/03-27T08:30",
  );
});

Deno.test("readIcsBusy() applies UNTIL in UTC, as local time and as a date", async () => {
  const daily = (until: string) =>
    event(`DTSTART;${BERLIN}:20260323T090000`, "DURATION:PT1H", `RRULE:FREQ=DAILY;${until}`);
  const two = "03-23T08:00/03-23T09:00 03-24T08:00/03-24T09:00";
  for (const until of ["UNTIL=20260324T080000Z", "UNTIL=20260324T090000", "UNTIL=20260324"]) {
    equal(await busyOf(...daily(until)), two, until);
  }
  equal(await busyOf(...daily("UNTIL=20260324T075959Z")), "03-23T08:00/03-23T09:00");
});

Deno.test("readIcsBusy() moves, cancels and frees single occurrences, in any order of the events", async () => {
  const series = event("UID:1", `DTSTART;${BERLIN}:20260323T090000`, "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=4");
  const moved = event("UID:1", `RECURRENCE-ID;${BERLIN}:20260323T090000`, "DTSTART:20260323T150000Z", "DURATION:PT2H");
  const canceled = event("UID:1", "RECURRENCE-ID:20260324T080000Z", "DTSTART:20260324T080000Z", "STATUS:CANCELLED");
  const freed = event("UID:1", "RECURRENCE-ID;VALUE=DATE:20260325", "DTSTART:20260325T080000Z", "TRANSP:TRANSPARENT");
  const expected = "03-23T15:00/03-23T17:00 03-26T08:00/03-26T09:00";
  equal(await busyOf(...series, ...moved, ...canceled, ...freed), expected);
  equal(await busyOf(...freed, ...canceled, ...moved, ...series), expected);
  equal(await busyOf(...moved), "03-23T15:00/03-23T17:00"); // an invitation to a single occurrence
});

Deno.test("readIcsBusy() moves an occurrence into the window and out of it", async () => {
  const series = event("UID:1", "DTSTART:20250101T090000Z", "DURATION:PT1H", "RRULE:FREQ=MONTHLY");
  const into = event("UID:1", "RECURRENCE-ID:20250601T090000Z", "DTSTART:20260325T090000Z", "DURATION:PT1H");
  const outOf = event("UID:1", "RECURRENCE-ID:20260401T090000Z", "DTSTART:20260501T090000Z", "DURATION:PT1H");
  equal(await busyOf(...series, ...into, ...outOf), "03-25T09:00/03-25T10:00");
});

Deno.test("readIcsBusy() takes the last revision of a moved occurrence", async () => {
  const series = event("UID:1", "DTSTART:20260323T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=1");
  const revision = (sequence: number, hour: number) =>
    event(
      "UID:1",
      `SEQUENCE:${sequence}`,
      "RECURRENCE-ID:20260323T090000Z",
      `DTSTART:20260323T${hour}0000Z`,
      "DURATION:PT1H",
    );
  equal(await busyOf(...series, ...revision(2, 12), ...revision(1, 15)), "03-23T12:00/03-23T13:00");
});

Deno.test("readIcsBusy() moves an occurrence with all later ones", async () => {
  const series = event("UID:1", `DTSTART;${BERLIN}:20260326T090000`, "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=5");
  const later = event(
    "UID:1",
    `RECURRENCE-ID;RANGE=THISANDFUTURE;${BERLIN}:20260328T090000`,
    `DTSTART;${BERLIN}:20260328T110000`,
    "DURATION:PT30M",
  );
  const single = event("UID:1", `RECURRENCE-ID;${BERLIN}:20260330T090000`, "DTSTART:20260330T150000Z", "DURATION:PT1H");
  equal(
    await busyOf(...series, ...later, ...single),
    "03-26T08:00/03-26T09:00 03-27T08:00/03-27T09:00 03-28T10:00/03-28T10:30 03-29T09:00/03-29T09:30 03-30T15:00/03-30T16:00",
  );
  const far = event("UID:1", "DTSTART:20260101T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=3");
  const muchLater = event(
    "UID:1",
    "RECURRENCE-ID;RANGE=THISANDFUTURE:20260102T090000Z",
    "DTSTART:20260323T100000Z",
    "DURATION:PT1H",
  );
  equal(await busyOf(...far, ...muchLater), "03-23T10:00/03-23T11:00 03-24T10:00/03-24T11:00");
  const end = event(
    "UID:1",
    "RECURRENCE-ID;RANGE=THISANDFUTURE:20260327T080000Z",
    "DTSTART:20260327T080000Z",
    "STATUS:CANCELLED",
  );
  equal(await busyOf(...series, ...end), "03-26T08:00/03-26T09:00");
});

Deno.test("readIcsBusy() reads dates and times without a zone in the calendar's zone, or else in the owner's", async () => {
  const lines = [...event("DTSTART;VALUE=DATE:20260325"), ...event("DTSTART:20260326T090000", "DURATION:PT1H")];
  equal(
    (await read(calendarOf(...lines), { timeZone: "Asia/Tokyo" })).busy,
    "03-24T15:00/03-25T15:00 03-26T00:00/03-26T01:00",
  );
  equal(
    (await read(calendarOf("X-WR-TIMEZONE:America/New_York", ...lines), { timeZone: "Asia/Tokyo" })).busy,
    "03-25T04:00/03-26T04:00 03-26T13:00/03-26T14:00",
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

Deno.test("readIcsBusy() accepts a byte order mark, bare line feeds, folded lines, lower case and broken UTF-8", async () => {
  const lines = ["DTSTART;TZID=Europe/", " Berlin:2026032", "\t5T090000", "DURATION:PT1H", "SUMMARY:\ufffd\0"];
  const expected = "03-25T08:00/03-25T09:00";
  equal(await busyOf(...event(...lines)), expected);
  const { busy } = await read(
    `\ufeff${calendarOf(...event(...lines)).replaceAll("\r", "").replaceAll("EVENT", "event")}`,
  );
  equal(busy, expected);
});

Deno.test("readIcsBusy() reads a stream in pieces of any size as it reads the whole text", async () => {
  const lines = Array.from(
    { length: 20 },
    (_, i) =>
      event(`UID:${i}`, "SUMMARY:Ä\u{1f600}\\, x", `DTSTART;${BERLIN}:202603${20 + i % 10}T090000`, "DURATION:PT1H"),
  );
  const document = calendarOf(...lines.flat());
  const bytes = new TextEncoder().encode(document);
  const whole = await readIcsBusy(document, WINDOW, { timeZone: "Europe/Berlin" });
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

Deno.test("readIcsBusy() reports what it cannot read, and lets its readable times count", async () => {
  const start = "DTSTART:20260325T100000Z";
  const cases: [lines: string[], busy: string, problem: RegExp][] = [
    [[start, "DTEND:tomorrow"], "03-25T10:00/03-25T11:00", /its end cannot be read; it counts as an hour/],
    [[start, "DTEND:20260324T100000Z"], "03-25T10:00/03-25T11:00", /its end cannot be read/],
    [["DTSTART;VALUE=DATE:20260325", "DURATION:P1X"], "03-24T23:00/03-25T23:00", /counts as a day/],
    [[start, "DURATION:PT1H", "RRULE:FREQ=SOMETIMES"], "03-25T10:00/03-25T11:00", /its repetition cannot be read/],
    [[start, "DURATION:PT1H", "RRULE:FREQ=DAILY;BYDAY=XX"], "03-25T10:00/03-25T11:00", /only its first time counts/],
    [[start, "DURATION:PT1H", "EXDATE:never"], "03-25T10:00/03-25T11:00", /exceptions \(EXDATE\) cannot be read/],
    [[start, "DURATION:PT1H", "RECURRENCE-ID:x"], "03-25T10:00/03-25T11:00", /both count/],
    [["DTSTART:20260230T100000Z", "DURATION:PT1H"], "", /begins at "20260230T100000Z"; it is left out/],
    [["DURATION:PT1H"], "", /begins at "nothing"; it is left out/],
    [
      ["DTSTART;TZID=(UTC+01:00) Berlin:20260325T090000", "DURATION:PT1H"],
      "03-25T08:00/03-25T09:00",
      /not a time of a known form/,
    ],
    [
      ["DTSTART;TZID=Mars/Base:20260325T090000", "DURATION:PT1H"],
      "03-25T08:00/03-25T09:00",
      /"Mars\/Base" is not known/,
    ],
  ];
  for (const [lines, busy, problem] of cases) {
    const result = await read(calendarOf(...event(...lines), ...event("DTSTART:20260401T100000Z", "DURATION:PT1H")));
    equal(result.busy, `${busy} 04-01T10:00/04-01T11:00`.trim(), lines.join(" "));
    match(result.problems.join("\n"), problem);
  }
});

Deno.test("readIcsBusy() reads recurring days with exceptions", async () => {
  const days = event("UID:1", "DTSTART;VALUE=DATE:20260326", "RRULE:FREQ=DAILY;COUNT=4", "EXDATE;VALUE=DATE:20260327");
  equal(await busyOf(...days), "03-25T23:00/03-26T23:00 03-27T23:00/03-29T22:00");
  const moved = event("UID:1", "RECURRENCE-ID;VALUE=DATE:20260328", "DTSTART;VALUE=DATE:20260402");
  equal(
    await busyOf(...days, ...moved),
    "03-25T23:00/03-26T23:00 03-28T23:00/03-29T22:00 04-01T22:00/04-02T22:00",
  );
});

Deno.test("readIcsBusy() counts the first start also if the rule does not", async () => {
  const lines = [`DTSTART;${BERLIN}:20260324T090000`, "DURATION:PT1H", "RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=1"];
  equal(await busyOf(...event(...lines)), "03-24T08:00/03-24T09:00 03-25T08:00/03-25T09:00");
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

Deno.test("readIcsBusy() reports at most ten problems", async () => {
  const events = Array.from({ length: 30 }, (_, i) => event(`DTSTART;TZID=Mars/${i}:20260325T090000`, "DURATION:PT1H"));
  equal((await read(calendarOf(...events.flat()))).problems.length, 10);
});

Deno.test("readIcsBusy() reports the calendar's name", async () => {
  const names: string[] = [];
  const options = { timeZone: "UTC", onName: (name: string) => names.push(name) };
  await readIcsBusy(calendarOf("X-WR-CALNAME:Work\\, mostly"), WINDOW, options);
  deepEqual(names, ["Work, mostly"]);
});

const malformed = (document: string, message: RegExp) =>
  rejects(
    read(document),
    (error) => error instanceof CalendarError && error.kind === "malformed" && message.test(error.message),
  );

Deno.test("readIcsBusy() rejects documents that are not a calendar or are cut off", async () => {
  const whole = calendarOf(...event("DTSTART:20260325T100000Z", "DURATION:PT1H"));
  await malformed("", /does not lead to a calendar/);
  await malformed("<!doctype html><title>Sign in</title>", /does not lead to a calendar/);
  await malformed("BEGIN:VCARD\nEND:VCARD\n", /does not lead to a calendar/);
  await malformed(whole.slice(0, whole.indexOf("END:VEVENT")), /cut off/);
  await malformed(whole.slice(0, whole.indexOf("END:VCALENDAR")), /cut off/);
  await malformed(whole.slice(0, whole.indexOf("END:VEVENT")) + whole, /cut off/);
});

Deno.test("readIcsBusy() rejects rules and documents over its bounds", async () => {
  const endless = (...lines: string[]) =>
    calendarOf(...event("DTSTART:19700101T000000Z", "DTEND:19700101T000001Z", ...lines));
  await malformed(endless("RRULE:FREQ=SECONDLY"), /more than 20000 busy times/);
  await malformed(endless("RRULE:FREQ=SECONDLY;COUNT=2000000000"), /repeat too many times/);
  await malformed(endless("RRULE:FREQ=MINUTELY;BYSECOND=1,2,3,4"), /more than 20000 busy times/);
  await malformed("x".repeat(10 * 1024 * 1024 + 1), /larger than 10 MB/);
  await malformed(calendarOf(...Array(25).fill("BEGIN:X")), /nested too deeply/);
  const many = Array.from({ length: 20_001 }, () => event("DTSTART:20260325T100000Z")).flat();
  await malformed(calendarOf(...many), /more than 20000 events/);
});

Deno.test("readIcsBusy() skips lines that are too long", async () => {
  const time = ["DTSTART:20260325T100000Z", "DURATION:PT1H"];
  equal(await busyOf(...event(...time, `ATTACH:${"x".repeat(1_000_000)}`)), "03-25T10:00/03-25T11:00");
  const long = `EXDATE:${Array(40_000).fill("20260101").join(",")}`;
  const { busy, problems } = await read(calendarOf(...event(...time, long)));
  equal(busy, "03-25T10:00/03-25T11:00");
  match(problems.join(), /too long/);
});
