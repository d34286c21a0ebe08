// readIcsBusy() on events that repeat, and on occurrences that others replace. recurrences.test.ts tests the rules.
import { strictEqual as equal } from "node:assert";
import { BERLIN, busyOf, event } from "./documents.ts";

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

Deno.test("readIcsBusy() reads rules and dates with spaces, in lower case and with empty parts", async () => {
  const start = [`DTSTART;${BERLIN}:20260323T090000`, "DURATION:PT1H"];
  const two = "03-25T08:00/03-25T09:00 03-27T08:00/03-27T09:00";
  const rules = [
    "FREQ=WEEKLY;BYDAY=WE, FR;COUNT=2",
    "freq=weekly;byday=we,fr;count=2",
    " FREQ=WEEKLY;COUNT=2;BYDAY=WE,FR;UNTIL=",
  ];
  for (const rule of rules) {
    equal(
      await busyOf(...event(...start, `RRULE:${rule}`, `EXDATE;${BERLIN}: 20260322T090000, 20260323T0900`)),
      two,
      rule,
    );
  }
  equal(await busyOf(...event(...start, "RRULE:")), "03-23T08:00/03-23T09:00");
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

Deno.test("readIcsBusy() takes the last revision by SEQUENCE, DTSTAMP and LAST-MODIFIED, and all of one revision", async () => {
  const revision = (hour: number, ...lines: string[]) =>
    event("UID:1", `DTSTART:20260325T${hour}0000Z`, "DURATION:PT1H", ...lines);
  const at = (...hours: number[]) => hours.map((hour) => `03-25T${hour}:00/03-25T${hour + 1}:00`).join(" ");
  const canceled = "STATUS:CANCELLED";
  const cases: [one: string[], other: string[], busy: string][] = [
    [revision(12, "SEQUENCE:1"), revision(15), at(12)],
    [
      revision(12, "SEQUENCE:10", "DTSTAMP:20260101T000000Z"),
      revision(15, "SEQUENCE:9", "DTSTAMP:20260201T000000Z"),
      at(12),
    ],
    [revision(12, "DTSTAMP:20260102T000000Z"), revision(15, "DTSTAMP:20260101T235959Z"), at(12)],
    [revision(12, "LAST-MODIFIED:20260102T000000Z"), revision(15, "LAST-MODIFIED:20260101T235959Z"), at(12)],
    [
      revision(12, "DTSTAMP:20260101T000000Z", "LAST-MODIFIED:20260102T000000Z"),
      revision(15, "DTSTAMP:20260102T000000Z", "LAST-MODIFIED:20260101T000000Z"),
      at(15),
    ],
    [revision(12, "SEQUENCE:1"), revision(15, "SEQUENCE:1"), at(12, 15)],
    [revision(12), revision(12, "SEQUENCE:1", canceled), ""],
    [revision(12, "SEQUENCE:1"), revision(12, "SEQUENCE:0", canceled), at(12)],
    [revision(12), revision(12, canceled), at(12)],
    [revision(12), event("UID:1", "DTSTART:20270325T120000Z", "DURATION:PT1H", "SEQUENCE:1"), ""],
    [revision(12), event("UID:1", "DTSTART:20250325T120000Z", "DURATION:PT1H", "SEQUENCE:1"), ""],
    [revision(12, "SEQUENCE:1"), event("UID:1", "DTSTART:20270325T120000Z", "DURATION:PT1H"), at(12)],
    [revision(12, "SEQUENCE:2"), event("UID:1", "DTSTART:20270325T120000Z", "DURATION:PT1H", "SEQUENCE:1"), at(12)],
    [revision(12), event("UID:2", "DTSTART:20270325T120000Z", "DURATION:PT1H", "SEQUENCE:1"), at(12)],
    [revision(12), event("DTSTART:20270325T120000Z", "DURATION:PT1H", "SEQUENCE:1"), at(12)],
  ];
  for (const [one, other, busy] of cases) {
    equal(await busyOf(...one, ...other), busy, [...one, ...other].join(" "));
    equal(await busyOf(...other, ...one), busy, [...other, ...one].join(" "));
  }
});

Deno.test("readIcsBusy() takes the last revision of a replacement, however it names the occurrence", async () => {
  const series = event("UID:1", `DTSTART;${BERLIN}:20260323T090000`, "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=1");
  const revision = (hour: number, name: string, ...lines: string[]) =>
    event("UID:1", `RECURRENCE-ID${name}`, `DTSTART:20260323T${hour}0000Z`, "DURATION:PT1H", ...lines);
  const first = revision(12, `;${BERLIN}:20260323T090000`);
  for (const name of [":20260323T080000Z", ":20260323T090000", ";VALUE=DATE:20260323"]) {
    equal(await busyOf(...series, ...first, ...revision(15, name, "SEQUENCE:1")), "03-23T15:00/03-23T16:00", name);
    equal(await busyOf(...series, ...first, ...revision(15, name, "SEQUENCE:1", "STATUS:CANCELLED")), "", name);
    equal(await busyOf(...first, ...revision(15, name), ...series), "03-23T12:00/03-23T13:00 03-23T15:00/03-23T16:00");
  }
});

Deno.test("readIcsBusy() drops replacements with a series that was canceled later, and no others", async () => {
  const series = (...lines: string[]) =>
    event("UID:1", "DTSTART:20260323T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2", ...lines);
  const moved = event(
    "UID:1",
    "RECURRENCE-ID:20260323T090000Z",
    "DTSTART:20260323T120000Z",
    "DURATION:PT1H",
    "SEQUENCE:1",
  );
  equal(await busyOf(...series("SEQUENCE:2", "STATUS:CANCELLED"), ...moved), "");
  equal(await busyOf(...series("SEQUENCE:1", "STATUS:CANCELLED"), ...moved), "03-23T12:00/03-23T13:00");
  const both = [...series("SEQUENCE:2", "STATUS:CANCELLED"), ...series("SEQUENCE:2")];
  equal(await busyOf(...both, ...moved), "03-23T12:00/03-23T13:00 03-24T09:00/03-24T10:00");
  equal(await busyOf(...series("SEQUENCE:2", "TRANSP:TRANSPARENT"), ...moved), "03-23T12:00/03-23T13:00");
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

Deno.test("readIcsBusy() finds later occurrences that an earlier start moves into the window", async () => {
  const weekly = event(
    "UID:1",
    "DTSTART:20260302T090000Z",
    "DURATION:PT1H",
    "RRULE:FREQ=WEEKLY;UNTIL=20260601T000000Z",
  );
  const moved = ["RECURRENCE-ID;RANGE=THISANDFUTURE:20260420T090000Z", "DTSTART:20260330T100000Z", "DURATION:PT1H"];
  equal(
    await busyOf(...weekly, ...event("UID:1", ...moved)),
    "03-23T09:00/03-23T10:00 03-30T09:00/03-30T11:00 04-06T09:00/04-06T11:00",
  );
});

Deno.test("readIcsBusy() counts what a free event becomes with all later occurrences", async () => {
  const free = event("UID:1", "DTSTART:20260323T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY", "TRANSP:TRANSPARENT");
  const change = ["RECURRENCE-ID;RANGE=THISANDFUTURE:20260408T090000Z", "DTSTART:20260408T090000Z", "DURATION:PT1H"];
  equal(
    await busyOf(...free, ...event("UID:1", ...change)),
    "04-08T09:00/04-08T10:00 04-09T09:00/04-09T10:00",
  );
});
