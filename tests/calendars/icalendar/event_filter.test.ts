// What readIcsBusy() drops of a long history, because it cannot touch the window.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { readIcsBusy } from "../../../functions/calendars/icalendar/ics.ts";
import { type SeededRandom, seededRandom } from "../../random.ts";
import { byScale } from "../../scale.ts";
import { busyOf, calendarOf, event, read, WINDOW } from "./documents.ts";

const DAY = 86_400_000;
/** A year around WINDOW. */
const YEAR = { start: new Date(+WINDOW.start - 180 * DAY), end: new Date(+WINDOW.end + 180 * DAY) };

const stamp = (time: number) => new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, "");

/** An event near the window or up to three months away, in one of the forms that programs write. */
function randomEvent({ below, one, chance }: SeededRandom, uid: number): string[] {
  const near = () =>
    +one([WINDOW.start, WINDOW.end]) + (below(chance(0.5) ? 200 : 9) - (chance(0.5) ? 100 : 4)) * DAY / 2;
  const start = near(), isDate = chance(0.3);
  const zone = one(["", "Z", ";TZID=Pacific/Kiritimati", ";TZID=Pacific/Pago_Pago"]);
  const time = (name: string, at: number) =>
    isDate
      ? `${name};VALUE=DATE:${stamp(at).slice(0, 8)}`
      : zone === "Z"
      ? `${name}:${stamp(at)}`
      : `${name}${zone}:${stamp(at).slice(0, 15)}`;
  const end = one([[], [time("DTEND", start + below(40) * DAY / 2)], ["DURATION:P3D"], ["DURATION:PT100H"]]);
  const until = one([stamp(near()), stamp(near()).slice(0, 8)]);
  const series = [
    `RRULE:FREQ=${one(["DAILY", "WEEKLY"])};UNTIL=${until}`,
    "RRULE:FREQ=DAILY;COUNT=9",
    "RRULE:FREQ=MONTHLY",
  ];
  const replaced = start + (below(119) - 59) * DAY;
  const lines = uid === 0 ? [one(series)] : one([[], [one(series)], [
    // only a series has later occurrences that change as well
    time(`RECURRENCE-ID${uid === 1 ? one(["", ";RANGE=THISANDFUTURE"]) : ""}`, replaced),
  ]]);
  return event(`UID:${uid >> 1}`, time("DTSTART", start), ...end, ...lines);
}

async function busyIn(window: typeof WINDOW, document: string) {
  const busy = await readIcsBusy(new Blob([document]).stream(), window, { timeZone: "Europe/Berlin" });
  return busy.flatMap(({ start, end }) => {
    const [from, to] = [Math.max(+start, +WINDOW.start), Math.min(+end, +WINDOW.end)];
    return from < to ? [[from, to]] : [];
  });
}

Deno.test("readIcsBusy() finds in a window what it finds there for a year around it", async () => {
  let found = 0;
  for (const seed of [1, ...byScale(0, 1) ? [Math.floor(Math.random() * 2 ** 31)] : []]) {
    const random = seededRandom(seed);
    for (let i = 0; i < byScale(100, 5000); i++) {
      const document = calendarOf(...randomEvent(random, 0), ...randomEvent(random, 1), ...randomEvent(random, 2));
      const busy = await busyIn(WINDOW, document);
      deepEqual(busy, await busyIn(YEAR, document), `seed ${seed}, ${i}: ${document}`);
      found += busy.length;
    }
  }
  ok(found > 60, `${found} busy times`);
});

Deno.test("readIcsBusy() keeps long events and changes of a series that begin long before the window", async () => {
  equal(await busyOf(...event("DTSTART:20260316T000000Z", "DURATION:P5D")), "03-20T00:00/03-21T00:00");
  equal(await busyOf(...event("DTSTART:20200101T000000Z", "DTEND:20260321T000000Z")), "03-20T00:00/03-21T00:00");
  const monthly = event("UID:1", "DTSTART:20240101T100000Z", "DURATION:PT1H", "RRULE:FREQ=MONTHLY");
  const changed = event(
    "UID:1",
    "RECURRENCE-ID;RANGE=THISANDFUTURE:20240201T100000Z",
    "DTSTART:20240201T120000Z",
    "DURATION:PT2H",
  );
  equal(await busyOf(...monthly, ...changed), "04-01T12:00/04-01T14:00");
});

Deno.test("readIcsBusy() counts no series that has ended and no moved occurrence outside the window as an event", async () => {
  const ended = event("DTSTART:20200101T100000Z", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;UNTIL=20250101T000000Z");
  const moved = event(
    "RECURRENCE-ID:20200108T100000Z",
    "DTSTART:20200109T100000Z",
    "DURATION:PT1H",
    "SEQUENCE:3",
    "UID:1",
  );
  const current = event("UID:1", "DTSTART:20200101T100000Z", "DURATION:PT1H", "RRULE:FREQ=MONTHLY");
  const many = Array.from({ length: 10_500 }, () => [...ended, ...moved]).flat();
  const { busy, warnings } = await read(calendarOf(many.join("\r\n"), ...current));
  equal(busy, "04-01T10:00/04-01T11:00");
  deepEqual(warnings, []);
});
