// What readIcsBusy() reports, and what it rejects: documents that are damaged or exceed its bounds.
import { deepStrictEqual as deepEqual, match, rejects, strictEqual as equal } from "node:assert";
import { CalendarError } from "../../../functions/calendars/calendar_error.ts";
import { busyOf, calendarOf, event, read } from "./documents.ts";

const WEEKS = "03-25T10:00/03-25T11:00 04-01T10:00/04-01T11:00 04-08T10:00/04-08T11:00";

Deno.test("readIcsBusy() reports what it cannot read, and lets its readable times count", async () => {
  const start = "DTSTART:20260325T100000Z";
  const cases: [lines: string[], busy: string, warning: RegExp][] = [
    [[start, "DTEND:tomorrow"], "03-25T10:00/03-25T11:00", /end cannot be read.* \(first: 2026-03-25 10:00\)$/],
    [[start, "DTEND:20250101T100000Z"], "03-25T10:00/03-25T11:00", /end cannot be read/],
    [[start, "DTEND:20260324T100000Z"], "03-25T10:00/03-25T11:00", /end cannot be read/],
    [[start, "DTEND:"], "03-25T10:00/03-25T11:00", /^$/],
    [[start, "DTEND:tomorrow", "DURATION:PT2H"], "03-25T10:00/03-25T12:00", /end cannot be read/],
    [[start, "DURATION:P200000D"], "03-25T10:00/03-25T11:00", /end cannot be read/],
    [["DTSTART;VALUE=DATE:20260325", "DURATION:P1X"], "03-24T23:00/03-25T23:00", /\(first: 2026-03-25\)$/],
    [
      [start, "DURATION:PT1H", "RRULE:FREQ=SOMETIMES"],
      WEEKS,
      /repetition cannot be read, so the event counts each week/,
    ],
    [[start, "DURATION:PT1H", "RRULE:FREQ=WEEKLY;UNTIL=soon"], WEEKS, /\(UNTIL\) cannot be read/],
    [[start, "DURATION:PT1H", "EXDATE:never"], "03-25T10:00/03-25T11:00", /exception \(EXDATE\)/],
    [[start, "DURATION:PT1H", "RDATE:never"], "03-25T10:00/03-25T11:00", /further date \(RDATE\)/],
    [[start, "DURATION:PT1H", "RECURRENCE-ID:x"], "03-25T10:00/03-25T11:00", /both count/],
    [["DTSTART:20260230T100000Z", "DURATION:PT1H"], "", /left out \(first: "20260230T100000Z"\)/],
    [["DTSTART:00260325T100000Z", "DURATION:PT1H", "RRULE:FREQ=YEARLY"], "", /\(first: "00260325T100000Z"\)/],
    [["DURATION:PT1H"], "", /left out \(first: ""\)/],
    [['DTSTART;X="a:20260325T090000', "DURATION:PT1H"], "03-25T08:00/03-25T09:00", /^$/],
    [["DTSTART;TZID=Asia/Tokyo;x:20260325T170000", "DURATION:PT1H"], "03-25T08:00/03-25T09:00", /^$/],
    [['DTSTART;TZID="Asia/Tokyo:20260325T170000', "DURATION:PT1H"], "03-25T08:00/03-25T09:00", /^$/],
    [['DTSTART;TZID="Mars/Base:20260325T090000', "DURATION:PT1H"], "03-25T08:00/03-25T09:00", /"Mars\/Base"/],
    [["DTSTART;TZID=Mars/Base:20260325T090000", "DURATION:PT1H"], "03-25T08:00/03-25T09:00", /\(first: "Mars\/Base"\)/],
    [
      ["DTSTART;TZID=(UTC+01:00) Mars:20260325T090000", "DURATION:PT1H"],
      "03-25T08:00/03-25T09:00",
      /\(first: "\(UTC\+01:00\) Mars"\)/,
    ],
  ];
  for (const [lines, busy, warning] of cases) {
    const result = await read(calendarOf(...event(...lines), ...event("DTSTART:20260409T100000Z", "DURATION:PT1H")));
    equal(result.busy, `${busy} 04-09T10:00/04-09T11:00`.trim(), lines.join(" "));
    match(result.warnings.map(({ text }) => text).join("\n"), warning);
  }
});

Deno.test("readIcsBusy() reads readable dates of a list beside unreadable ones", async () => {
  const daily = ["DTSTART:20260325T100000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=3"];
  const { busy, warnings } = await read(calendarOf(...event(
    ...daily,
    "EXDATE:20260325T100000Z,never, 20260326T100000Z,",
    "RDATE:soon,20260401T100000Z",
  )));
  equal(busy, "03-27T10:00/03-27T11:00 04-01T10:00/04-01T11:00");
  equal(warnings.length, 2);
});

Deno.test("readIcsBusy() counts events with a warning, at most ten kinds of 300 characters", async () => {
  const meet = (tzid: string) => event(`DTSTART;TZID=${tzid}:20260325T090000`, `DTEND;TZID=${tzid}:20260325T100000`);
  const events = Array.from({ length: 30 }, (_, i) => meet(`Mars/${i}`));
  deepEqual((await read(calendarOf(...events.flat()))).warnings, [{
    text: `A time zone is not known, so its times are read in the calendar's own zone or in yours (first: "Mars/0")`,
    count: 30,
  }]);
  deepEqual((await read(calendarOf(...meet("x".repeat(1000))))).warnings.map(({ text }) => text.length), [300]);
  for (const start of ["", "x"]) {
    const { warnings } = await read(calendarOf(...event(`DTSTART:${start}${"\u{1f600}".repeat(200)}`)));
    deepEqual(warnings.map(({ text }) => text.isWellFormed()), [true]);
  }
  const damaged = ["BYDAY", "BYMONTH", "BYHOUR", "BYMINUTE", "BYSECOND", "BYSETPOS", "BYMONTHDAY", "BYYEARDAY", "WKST"];
  const many = event(
    "DTSTART:20260325T090000Z",
    "DTEND:x",
    "RDATE:x",
    "EXDATE:x",
    `RRULE:FREQ=YEARLY;${damaged.map((part) => `${part}=x`).join(";")}`,
  );
  equal((await read(calendarOf(...many))).warnings.length, 10);
});

const malformed = (document: string, message: RegExp, maxCpuMs?: number) =>
  rejects(
    read(document, maxCpuMs ? { maxCpuMs } : {}),
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
  await malformed(endless("RRULE:FREQ=SECONDLY"), /repeat too many times/, 1000);
  await malformed(endless("RRULE:FREQ=SECONDLY;COUNT=2000000000"), /repeat too many times/, 1000);
  await malformed(endless("RRULE:FREQ=MINUTELY;BYSECOND=1,2,3,4"), /more than 20000 busy times/);
  await malformed(calendarOf(...Array(25).fill("BEGIN:X")), /nested too deeply/);
  const many = Array.from({ length: 20_001 }, () => event("DTSTART:20260325T100000Z")).flat();
  await malformed(calendarOf(...many), /more than 20000 events/);
});

Deno.test("readIcsBusy() reads at most 500 zones that a calendar describes, and no zone after 200 names", async () => {
  const describe = (name: string) => [
    ...["BEGIN:VTIMEZONE", `TZID:${name}`, "BEGIN:STANDARD", "DTSTART:19700101T000000"],
    ...["TZOFFSETFROM:+0900", "TZOFFSETTO:+0900", "END:STANDARD", "END:VTIMEZONE"],
  ];
  const meet = (name: string) => event(`DTSTART;TZID=${name}:20260325T090000`, "DURATION:PT1H");
  const zones = Array.from({ length: 501 }, (_, i) => describe(`Own ${i}`)).flat();
  equal(await busyOf(...zones, ...meet("Own 499")), "03-25T00:00/03-25T01:00");
  match((await read(calendarOf(...zones, ...meet("Own 500")))).warnings[0].text, /is not known.*"Own 500"/);
  const unknown = Array.from({ length: 200 }, (_, i) => meet(`Mars/${i}`)).flat();
  for (const name of ["Own 1", "Asia/Tokyo"]) {
    const { warnings } = await read(calendarOf(...zones, ...meet(name), ...unknown));
    match(warnings[0].text, /Mars\/0/, "known before the others");
    const late = await read(calendarOf(...zones, ...event("DTSTART:20260325T080000Z"), ...unknown, ...meet(name)));
    equal(late.busy, "03-25T08:00/03-25T09:00", `${name} is read in the owner's zone`);
  }
});

Deno.test("readIcsBusy() skips lines that are too long", async () => {
  const time = ["DTSTART:20260325T100000Z", "DURATION:PT1H"];
  equal(await busyOf(...event(...time, `ATTACH:${"x".repeat(1_000_000)}`)), "03-25T10:00/03-25T11:00");
  for (const long of [`RRULE:FREQ=DAILY${";X=1".repeat(3000)}`, `EXDATE:${"1".repeat(10_000)}`]) {
    for (const line of [long, long.replaceAll(/.{60}/g, "$&\r\n ")]) {
      const { busy, warnings } = await read(calendarOf(...event(...time, line)));
      equal(busy, "03-25T10:00/03-25T11:00");
      match(warnings[0].text, /too long/);
    }
  }
});

Deno.test("readIcsBusy() reads a few hundred repetitions of an event, and says that there are more", async () => {
  const rules = Array(10_000).fill("RRULE:FREQ=YEARLY;BYMONTH=1");
  const { busy, warnings } = await read(calendarOf(...event("DTSTART:20260325T100000Z", "DURATION:PT1H", ...rules)));
  equal(busy, "03-25T10:00/03-25T11:00");
  match(warnings[0].text, /too many/);
});

Deno.test("readIcsBusy() reads long lists of dates and periods", async () => {
  const dayOf = (i: number) => new Date(Date.UTC(1990, 0, 1 + i)).toISOString().slice(0, 10).replaceAll("-", "");
  const days = Array.from({ length: 13_235 }, (_, i) => dayOf(i)); // to 2026-03-27
  const daily = ["DTSTART;VALUE=DATE:19900101", "RRULE:FREQ=DAILY;UNTIL=20260329"];
  const periods = days.map((day) => `${day}T100000Z/PT1H`);
  for (const fold of [(line: string) => line, (line: string) => line.replaceAll(/.{60}/g, "$&\r\n ")]) {
    const exceptions = `EXDATE;X-A="a:,b";VALUE=DATE:${days}`;
    equal(await busyOf(...event(...daily, fold(exceptions))), "03-27T23:00/03-29T22:00");
    const added = event("DTSTART:19900101T100000Z", fold(`RDATE;VALUE=PERIOD:${periods.slice(0, -6)}`));
    equal(await busyOf(...added), "03-20T10:00/03-20T11:00 03-21T10:00/03-21T11:00");
    const busy = ["BEGIN:VFREEBUSY", fold(`FREEBUSY:${periods.slice(0, -7)}`), "END:VFREEBUSY"];
    equal(await busyOf(...busy), "03-20T10:00/03-20T11:00");
  }
});

Deno.test("readIcsBusy() rejects a description of a zone that is costly itself, because it is read in one step", async () => {
  const zone = (rule: string) => [
    ...["BEGIN:VTIMEZONE", "TZID:Own", "BEGIN:STANDARD", "DTSTART:10000101T000000", "TZOFFSETFROM:+0100"],
    ...["TZOFFSETTO:+0100", `RRULE:${rule}`, "END:STANDARD", "END:VTIMEZONE"],
  ];
  const meeting = event("DTSTART;TZID=Own:20260325T100000", "DURATION:PT1H");
  equal(await busyOf(...zone("FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU"), ...meeting), "03-25T09:00/03-25T10:00");
  const costly = calendarOf(...zone("FREQ=DAILY;COUNT=9;BYMONTH=2;BYMONTHDAY=30"), ...meeting);
  await malformed(costly, /repeat too many times/);
});

/** Each would take seconds of computing time or hundreds of megabytes. */
Deno.test("readIcsBusy() takes from its budget what zones, rules, dates and unreadable lines cost", async () => {
  const start = "DTSTART;TZID=America/New_York:20260325T100000";
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
  const dateOf = (i: number) => new Date(Date.UTC(1010, 0, 1 + 4 * i)).toISOString().slice(0, 10).replaceAll("-", "");
  const exceptions = upTo(60_000).map((i) => `EXDATE;TZID=America/New_York:${dateOf(i)}T000000`);
  const times = `BYHOUR=${upTo(24)};BYMINUTE=${upTo(60)};BYSECOND=${upTo(10)}`;
  const zone = (name: string) => ["DTSTART:19700101T000000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", name];
  const cases: [name: string, lines: string[]][] = [
    ["a zone that changes each minute", [
      "BEGIN:VTIMEZONE",
      "TZID:Restless",
      "BEGIN:STANDARD",
      ...zone("RRULE:FREQ=MINUTELY"),
      "END:STANDARD",
      "END:VTIMEZONE",
      ...event("DTSTART;TZID=Restless:20260325T100000"),
    ]],
    ["days whose offsets are not known", event(start, ...exceptions)],
    ["times of a year", event(start, `RRULE:FREQ=YEARLY;BYDAY=SU,MO,TU,WE,TH,FR,SA;${times};BYSETPOS=1`)],
    [
      "positions",
      event("DTSTART:10000101T000000Z", `RRULE:FREQ=DAILY;COUNT=100000;BYSETPOS=${upTo(366).map((i) => i + 1)}`),
    ],
    ["rules", Array(500).fill(event(start, ...Array(1000).fill("RRULE:FREQ=YEARLY;BYMONTH=1"))).flat()],
    ["unreadable exceptions", event(start, ...Array(100_000).fill("EXDATE:1"))],
    ["unreadable attendees", Array(300).fill(event(start, ...Array(1000).fill("ATTENDEE;declined"))).flat()],
    ["unreadable busy times", ["BEGIN:VFREEBUSY", ...Array(100_000).fill("FREEBUSY:1"), "END:VFREEBUSY"]],
  ];
  const results: string[] = [];
  for (const [name, lines] of cases) {
    const result = read(calendarOf(lines.join("\n")), { ownerEmails: ["me@example.org"], maxCpuMs: 1000 });
    results.push(`${name}: ${await result.then(() => "read", ({ message }) => message)}`);
  }
  const error = "The calendar has too many events, or events that repeat too many times";
  deepEqual(results, cases.map(([name]) => `${name}: ${error}`));
});
