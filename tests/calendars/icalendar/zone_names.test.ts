// Which zone readIcsBusy() takes for a TZID, and for dates and times without one.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import type { IcsOptions } from "../../../functions/calendars/icalendar/reading.ts";
import { busyOf, calendarOf, event, read } from "./documents.ts";

/** A VTIMEZONE with a fixed offset, or with the summer time of a rule per change. */
function describe(tzid: string, standard: string, summer?: { offset: string; from: string; to: string }) {
  const part = (name: string, from: string, to: string, rule?: string) => [
    ...[`BEGIN:${name}`, "DTSTART:19700101T020000", `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`],
    ...rule ? [`RRULE:FREQ=YEARLY;${rule}`] : [],
    `END:${name}`,
  ];
  return [
    ...["BEGIN:VTIMEZONE", `TZID:${tzid}`],
    ...part("STANDARD", summer?.offset ?? standard, standard, summer?.to),
    ...summer ? part("DAYLIGHT", standard, summer.offset, summer.from) : [],
    "END:VTIMEZONE",
  ];
}

const meet = (tzid: string) => event(`DTSTART;TZID=${tzid}:20260401T100000`, "DURATION:PT1H");
const hour = (time: string) => {
  const end = new Date(Date.parse(`2026-${time}Z`) + 3600_000).toISOString().slice(5, 16);
  return `${time}/${end}`;
};

const US = { from: "BYMONTH=3;BYDAY=2SU", to: "BYMONTH=11;BYDAY=1SU" };
const EU = { from: "BYMONTH=3;BYDAY=-1SU", to: "BYMONTH=10;BYDAY=-1SU" };

Deno.test("readIcsBusy() reads names without a slash as the calendar describes them", async () => {
  const cases: [tzid: string, description: string[], start: string][] = [
    ["BST", describe("BST", "+0000", { offset: "+0100", ...EU }), "04-01T09:00"],
    ["AST", describe("AST", "-0400"), "04-01T14:00"],
    ["AST", describe("AST", "-0400", { offset: "-0300", ...US }), "04-01T13:00"],
    ["CST", describe("CST", "+0800"), "04-01T02:00"],
    ["CST", describe("CST", "-0600", { offset: "-0500", ...US }), "04-01T15:00"],
    ["IST", describe("IST", "+0300"), "04-01T07:00"],
    ["IST", describe("IST", "+0530"), "04-01T04:30"],
    ["NST", describe("NST", "-0330", { offset: "-0230", ...US }), "04-01T12:30"],
    ["ECT", describe("ECT", "-0500"), "04-01T15:00"],
    ["ART", describe("ART", "-0300"), "04-01T13:00"],
    ["ACT", describe("ACT", "-0500"), "04-01T15:00"],
    ["SST", describe("SST", "-1100"), "04-01T21:00"],
    ["MIT", describe("MIT", "-0930"), "04-01T19:30"],
    ["PST", describe("PST", "+0800"), "04-01T02:00"],
    ["PST", describe("PST", "-0800", { offset: "-0700", ...US }), "04-01T17:00"],
    ["EST", describe("EST", "-0500", { offset: "-0400", ...US }), "04-01T14:00"],
    ["MST", describe("MST", "-0700", { offset: "-0600", ...US }), "04-01T16:00"],
    ["HST", describe("HST", "-1000"), "04-01T20:00"],
    ["GMT", describe("GMT", "+0000", { offset: "+0100", ...EU }), "04-01T09:00"],
    ["UTC", describe("UTC", "+0200"), "04-01T08:00"],
    ["Singapore", describe("Singapore", "+0700"), "04-01T03:00"],
    ["Tokyo Standard Time", describe("Tokyo Standard Time", "+0800"), "04-01T02:00"],
    ["est", describe("EST", "-0500"), "04-01T15:00"],
    ['"Bern, Wien"', describe("Bern\\, Wien", "+0100"), "04-01T09:00"],
    ["(UTC+01:00) Bern", describe("(UTC+01:00) Bern", "+0100"), "04-01T09:00"],
  ];
  for (const [tzid, description, start] of cases) {
    equal(await busyOf(...description, ...meet(tzid)), hour(start), description.join(" "));
  }
});

Deno.test("readIcsBusy() reads a name without a slash and a description as UTC, as Windows' name or in the owner's zone", async () => {
  const known = { UTC: "10:00", GMT: "10:00", "Eastern Standard Time": "14:00" };
  for (const [tzid, start] of Object.entries(known)) equal(await busyOf(...meet(tzid)), hour(`04-01T${start}`), tzid);
  const names = ["BST", "AST", "CST", "IST", "NST", "ECT", "ART", "ACT", "SST", "MIT", "PST", "EST", "JST", "+01:00"];
  for (const tzid of names) {
    const { busy, warnings } = await read(calendarOf(...meet(tzid)));
    equal(busy, hour("04-01T08:00"), tzid);
    deepEqual(warnings.map(({ count }) => count), [1]);
  }
});

Deno.test("readIcsBusy() reads names with a slash as IANA's, and unknown ones as the calendar describes them", async () => {
  equal(await busyOf(...describe("Asia/Tokyo", "+0100"), ...meet("Asia/Tokyo")), hour("04-01T01:00"));
  equal(await busyOf(...describe("Mars/Base", "+0300"), ...meet("Mars/Base")), hour("04-01T07:00"));
  const prefixed = "/example.org/CST";
  equal(await busyOf(...describe(prefixed, "+0800"), ...meet(prefixed)), hour("04-01T02:00"));
  equal(
    await busyOf(...describe("tzone://Microsoft/Custom", "+0300"), ...meet("tzone://Microsoft/Custom")),
    hour("04-01T07:00"),
  );
});

Deno.test("readIcsBusy() prefers the X-LIC-LOCATION of a description to its offsets, if it has a slash", async () => {
  const withPlace = (place: string) => describe("Local", "+0300").toSpliced(2, 0, `X-LIC-LOCATION:${place}`);
  equal(await busyOf(...withPlace("Asia/Tokyo"), ...meet("Local")), hour("04-01T01:00"));
  for (const place of ["CST", "GMT", "Tokyo Standard Time"]) {
    equal(await busyOf(...withPlace(place), ...meet("Local")), hour("04-01T07:00"), place);
  }
});

Deno.test("readIcsBusy() reads an unreadable description's name without it", async () => {
  const broken = (tzid: string) => describe(tzid, "+9900");
  equal(await busyOf(...broken("Eastern Standard Time"), ...meet("Eastern Standard Time")), hour("04-01T14:00"));
  const { busy, warnings } = await read(calendarOf(...broken("EST"), ...meet("EST")));
  deepEqual([busy, warnings.length], [hour("04-01T08:00"), 1]);
});

Deno.test("readIcsBusy() describes a zone once for all documents of a server", async () => {
  const documents = Array.from(
    { length: 300 },
    (_, i) => calendarOf(...describe("Home", "+0300"), ...meet("Home"), `X-ID:${i}`),
  );
  deepEqual(await read(documents.join("")), { busy: hour("04-01T07:00"), warnings: [] });
});

const FLOATING = event("DTSTART:20260401T100000", "DURATION:PT1H");

Deno.test("readIcsBusy() reads times without a zone in the first zone that server, calendar and owner give", async () => {
  const server = calendarOf(...describe("Server", "+0100"));
  const name = "X-WR-TIMEZONE:Asia/Tokyo", only = describe("Home", "+0300");
  const cases: [lines: string[], options: Partial<IcsOptions>, start: string][] = [
    [[name, ...only], { calendarTimeZone: server }, "04-01T09:00"],
    [[name, ...only], { calendarTimeZone: "BEGIN:VCALENDAR" }, "04-01T01:00"],
    [[name, ...only], {}, "04-01T01:00"],
    [only, {}, "04-01T07:00"],
    [[...only, ...describe("Other", "+0400")], {}, "04-01T08:00"],
    [["X-WR-TIMEZONE:Home", ...only, ...describe("Other", "+0400")], {}, "04-01T07:00"],
    [[], {}, "04-01T08:00"],
    [[], { timeZone: "EST5EDT" }, "04-01T14:00"],
  ];
  for (const [lines, options, start] of cases) {
    const result = await read(calendarOf(...lines, ...FLOATING), options);
    deepEqual(result, { busy: hour(start), warnings: [] }, `${lines} ${Object.values(options)}`);
  }
});

Deno.test("readIcsBusy() reads days of the calendar's zone, with the zone's changes", async () => {
  const day = event("DTSTART;VALUE=DATE:20260329");
  const calendarTimeZone = calendarOf(...describe("Home", "+0100", { offset: "+0200", ...EU }));
  const { busy } = await read(calendarOf(...day), { calendarTimeZone, timeZone: "Asia/Tokyo" });
  equal(busy, "03-28T23:00/03-29T22:00");
});

Deno.test("readIcsBusy() reports times that it reads in UTC because nothing names a zone", async () => {
  for (const timeZone of [undefined, "Mars/Base"]) {
    const { busy, warnings } = await read(calendarOf(...FLOATING, ...event("DTSTART;VALUE=DATE:20260403")), {
      timeZone,
    });
    equal(busy, `${hour("04-01T10:00")} 04-03T00:00/04-04T00:00`);
    deepEqual(warnings, [{
      text: "Neither the calendar nor your profile names a time zone, so days and times without one are read in UTC",
      count: 2,
    }]);
  }
  const zoned = calendarOf(...meet("Asia/Tokyo"), ...event("DTSTART:20260402T100000Z", "DURATION:PT1H"));
  deepEqual((await read(zoned, { timeZone: undefined })).warnings, []);
});

Deno.test("readIcsBusy() reads a zone of the calendar that has no meaning in the next one, and reports it", async () => {
  const { busy, warnings } = await read(calendarOf("X-WR-TIMEZONE:CST", ...describe("Home", "+0300"), ...FLOATING));
  equal(busy, hour("04-01T07:00"));
  deepEqual(warnings.map(({ text }) => text.slice(-14)), ['(first: "CST")']);
});
