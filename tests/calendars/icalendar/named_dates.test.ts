// How readIcsBusy() matches UNTIL, EXDATE and RECURRENCE-ID that are not written like the start of their event.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { BERLIN, busyOf, calendarOf, event, read } from "./documents.ts";

/** The days of March 2026 that are busy in a zone, all of whose events are days. */
async function daysOf(timeZone: string, ...lines: string[]) {
  const { busy, warnings } = await read(calendarOf(...lines), { timeZone });
  deepEqual(warnings, []);
  const day = new Intl.DateTimeFormat("en", { timeZone, day: "numeric" });
  const days: string[] = [];
  for (const span of busy.split(" ").filter((one) => one)) {
    const [start, end] = span.split("/").map((time) => Date.parse(`2026-${time}Z`));
    for (let at = start + 12 * 3600_000; at < end; at += 24 * 3600_000) days.push(day.format(at));
  }
  return days.join(" ");
}

const daily = (...lines: string[]) => event("UID:1", "DTSTART;VALUE=DATE:20260324", ...lines);
const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "America/Los_Angeles", "Asia/Tokyo", "Pacific/Auckland"];

/** Midnight of 26 March in zones of the programs that wrote it. */
const MIDNIGHTS = [
  "20260326T000000Z",
  "20260325T230000Z", // Berlin
  "20260325T150000Z", // Tokyo
  "20260325T110000Z", // Auckland
  "20260326T040000Z", // New York
  "20260326T070000Z", // Los Angeles
  "20260326T100000Z", // Honolulu
];

Deno.test("readIcsBusy() takes the nearest day for UNTIL in UTC of days", async () => {
  for (const zone of ZONES) {
    for (const until of MIDNIGHTS) {
      equal(await daysOf(zone, ...daily(`RRULE:FREQ=DAILY;UNTIL=${until}`)), "24 25 26", `${until} in ${zone}`);
    }
    for (const until of ["20260326T235959Z", "20260326T225959Z", "20260327T035959Z", "20260326T105959Z"]) {
      equal(await daysOf(zone, ...daily(`RRULE:FREQ=DAILY;UNTIL=${until}`)), "24 25 26", `${until} in ${zone}`);
    }
  }
});

Deno.test("readIcsBusy() takes the nearest day for EXDATE, RDATE and RECURRENCE-ID in UTC of days", async () => {
  const rule = "RRULE:FREQ=DAILY;COUNT=4";
  for (const zone of ZONES) {
    for (const at of MIDNIGHTS) {
      equal(await daysOf(zone, ...daily(rule, `EXDATE:${at}`)), "24 25 27", `${at} in ${zone}`);
      equal(await daysOf(zone, ...daily(`RDATE:${at}`)), "24 26", `${at} in ${zone}`);
      const moved = event("UID:1", `RECURRENCE-ID:${at}`, "DTSTART;VALUE=DATE:20260329");
      equal(await daysOf(zone, ...daily(rule), ...moved), "24 25 27 29", `${at} in ${zone}`);
    }
    equal(await daysOf(zone, ...daily(rule, "EXDATE;TZID=Asia/Tokyo:20260326T000000")), "24 25 27", zone);
    equal(await daysOf(zone, ...daily(rule, "EXDATE:20260326T000000")), "24 25 27", zone);
  }
  equal(await daysOf("Pacific/Kiritimati", ...daily(rule, "EXDATE:20260325T100000Z")), "24 25 27");
  const later = event("UID:1", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260325T230000Z", "DTSTART;VALUE=DATE:20260329");
  equal(await daysOf("America/New_York", ...daily(rule), ...later), "24 25 29 30");
});

const at = (...days: number[]) => days.map((day) => `03-${day}T08:00/03-${day}T09:00`).join(" ");
const timed = (start: string, ...lines: string[]) => event("UID:1", start, "DURATION:PT1H", ...lines);

Deno.test("readIcsBusy() matches EXDATE, RDATE and RECURRENCE-ID without a zone on the clock of the event", async () => {
  const rule = "RRULE:FREQ=DAILY;COUNT=3";
  const start = "DTSTART;TZID=America/New_York:20260324T040000"; // 08:00 UTC
  equal(await busyOf(...timed(start, rule, "EXDATE:20260325T040000")), at(24, 26));
  equal(await busyOf(...timed(start, "RDATE:20260325T040000")), at(24, 25));
  equal(await busyOf(...timed(start, "RDATE;VALUE=DATE:20260325")), at(24, 25));
  equal(await busyOf(...timed(start, "RDATE;VALUE=PERIOD:20260325T040000/20260325T050000")), at(24, 25));
  const moved = event("UID:1", "RECURRENCE-ID:20260325T040000", "DTSTART:20260327T080000Z", "DURATION:PT1H");
  equal(await busyOf(...timed(start, rule), ...moved), at(24, 26, 27));
  const utc = timed("DTSTART:20260324T080000Z", rule, "EXDATE:20260325T080000");
  equal(await busyOf(...utc), at(24, 26));
  const end = event("UID:1", start, "DTEND:20260324T050000");
  equal(await busyOf(...end), at(24));
});

Deno.test("readIcsBusy() matches times in UTC of an event without a zone as instants and on its clock", async () => {
  const start = "DTSTART:20260324T090000", rule = "RRULE:FREQ=DAILY;COUNT=3";
  for (const exception of ["20260325T090000Z", "20260325T080000Z", "20260325T090000", "20260325"]) {
    equal(await busyOf(...timed(start, rule, `EXDATE:${exception}`)), at(24, 26), exception);
    const canceled = event("UID:1", `RECURRENCE-ID:${exception}`, "DTSTART:20260325T090000", "STATUS:CANCELLED");
    equal(await busyOf(...timed(start, rule), ...canceled), at(24, 26), exception);
  }
  equal(await busyOf(...timed(start, rule, `EXDATE;${BERLIN}:20260325T090000`)), at(24, 26));
  for (const until of ["20260325T090000Z", "20260325T080000Z", "20260325T090000", "20260325"]) {
    equal(await busyOf(...timed(start, `RRULE:FREQ=DAILY;UNTIL=${until}`)), at(24, 25), until);
  }
  const west = calendarOf(...timed("DTSTART:20260324T040000", "RRULE:FREQ=DAILY;UNTIL=20260325T040000Z"));
  equal((await read(west, { timeZone: "America/New_York" })).busy, at(24, 25));
});

Deno.test("readIcsBusy() moves an occurrence that a date names with all later ones", async () => {
  const series = timed(`DTSTART;${BERLIN}:20260324T070000`, "RRULE:FREQ=DAILY;COUNT=3");
  const later = event(
    "UID:1",
    "RECURRENCE-ID;VALUE=DATE;RANGE=THISANDFUTURE:20260325",
    `DTSTART;${BERLIN}:20260325T090000`,
    "DURATION:PT1H",
  );
  equal(await busyOf(...series, ...later), "03-24T06:00/03-24T07:00 " + at(25, 26));
});
