// Damaged calendars: readIcsBusy() returns intervals in order or throws CalendarError, within its bounds.
import { ok } from "node:assert";
import type { CalendarWarning } from "../../../functions/calendars/calendar.ts";
import { CalendarError } from "../../../functions/calendars/calendar_error.ts";
import { readIcsBusy } from "../../../functions/calendars/icalendar/ics.ts";
import { type SeededRandom, seededRandom } from "../../random.ts";
import { byScale } from "../../scale.ts";

const WINDOW = { start: new Date("2026-03-20T00:00:00Z"), end: new Date("2026-04-10T00:00:00Z") };

const VALID = `BEGIN:VCALENDAR
METHOD:PUBLISH
X-WR-TIMEZONE:Europe/Berlin
BEGIN:VTIMEZONE
TZID:Home
BEGIN:STANDARD
DTSTART:19701025T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
UID:1
DTSTART;TZID=Home:20250106T090000
DTEND;TZID=Home:20250106T100000
RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20270101T000000Z
EXDATE;TZID=Home:20260323T090000, 2026-03-25T09:00
DTSTAMP:20260101T000000Z
RDATE;VALUE=PERIOD:20260326T090000Z/PT30M
END:VEVENT
BEGIN:VEVENT
UID:1
SEQUENCE:2
RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Home:20260330T090000
DTSTART;TZID="W. Europe Standard Time":20260330T110000
DURATION:PT1H
ATTENDEE;CN="A: b";PARTSTAT=DECLINED:mailto:me@example.org
BEGIN:VALARM
TRIGGER:-PT15M
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTART;VALUE=DATE:20260401
RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE;BYSETPOS=-1;COUNT=9
END:VEVENT
BEGIN:VEVENT
UID:3
DTSTART:20260320T090000
EXDATE:20260321T090000Z
SEQUENCE:1
LAST-MODIFIED:20260101T000000Z
RRULE:freq=daily;byday=mo, tu;until=20260401T000000Z
END:VEVENT
BEGIN:VFREEBUSY
FREEBUSY;FBTYPE=BUSY:20260402T090000Z/PT1H,20260403T090000Z/20260403T100000Z
END:VFREEBUSY
END:VCALENDAR
`;

const TOKENS = [
  "SECONDLY",
  "HOURLY",
  "99999999999",
  "-1",
  "0",
  "16010101T000000",
  "99991231T235959Z",
  "20260230",
  ";",
  ":",
  ",",
  "=",
  '"',
  "\n ",
  "\0",
  "\ufeff",
  "\ufffd",
  "P99999999W",
  "-PT1H",
  "BYDAY=53MO",
  "BYHOUR=1,2,3",
  "INTERVAL=0",
  "COUNT=1e9",
  "TZID=Nowhere",
  "T1000",
  "2026-03-24T10:00:00+01:00",
  "UNTIL=",
  "\r",
  "\n\t\t",
  "STATUS:CANCELLED",
  "VALUE=DATE",
  "RANGE=THISANDFUTURE",
  "\nBEGIN:VEVENT\n",
  "\nEND:VEVENT\n",
  "\nBEGIN:VTIMEZONE\n",
  "__proto__",
  "\nRRULE:FREQ=DAILY\n",
  "\nRDATE:20260324T000000Z\n",
];

function damage(text: string, { below, one, chance }: SeededRandom): string {
  for (let changes = 1 + below(4); changes; changes--) {
    const at = below(text.length), end = Math.min(text.length, at + below(chance(0.1) ? 300 : 12));
    const [before, part, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
    const other = below(text.length);
    text = one([
      () => before + after,
      () => before + one(TOKENS) + after,
      () => before + one(TOKENS) + part + after,
      () => before + part + part + after,
      () => before + text.slice(other, other + below(60)) + after,
      () => before + String.fromCharCode(below(256)) + part.slice(1) + after,
    ])();
  }
  return text;
}

Deno.test("readIcsBusy() throws nothing but CalendarError for damaged documents", async () => {
  let read = 0;
  const seeds = [1, ...byScale(0, 1) ? [2, Math.floor(Math.random() * 2 ** 31)] : []];
  for (const seed of seeds) {
    const random = seededRandom(seed);
    for (let i = 0; i < byScale(300, 15_000); i++) {
      const document = damage(VALID, random);
      const warnings: CalendarWarning[] = [];
      try {
        const busy = await readIcsBusy(new Blob([document]).stream(), WINDOW, {
          timeZone: random.one(["Asia/Kolkata", undefined]),
          calendarTimeZone: random.chance(0.3) ? damage(VALID, random) : undefined,
          ownerEmails: ["me@example.org"],
          onWarnings: (found) => warnings.push(...found),
        });
        ok(warnings.length <= 10, "at most ten kinds");
        ok(warnings.every(({ text, count }) => text && text.length <= 300 && text.isWellFormed() && count > 0));
        const times = busy.flatMap(({ start, end }) => [start.getTime(), end.getTime()]);
        ok(times.every((time, i) => !i || time > times[i - 1]), "in order, not empty");
        ok(!times.length || times[0] >= +WINDOW.start && times.at(-1)! <= +WINDOW.end, "inside the window");
        read++;
      } catch (error) {
        ok(error instanceof CalendarError, `seed ${seed}, ${i}: ${error}\n${document}`);
      }
    }
  }
  ok(read > byScale(90, 3000), `${read} read`);
});

Deno.test("readIcsBusy() throws nothing but CalendarError for random bytes after a beginning", async () => {
  const random = seededRandom(7);
  for (let i = 0; i < byScale(80, 5000); i++) {
    const noise = Uint8Array.from({ length: random.below(400) }, () => random.below(256));
    const body = new Blob([VALID.slice(0, random.below(VALID.length)), noise]).stream();
    try {
      await readIcsBusy(body, WINDOW, { timeZone: "UTC" });
    } catch (error) {
      ok(error instanceof CalendarError, String(error));
    }
  }
});
