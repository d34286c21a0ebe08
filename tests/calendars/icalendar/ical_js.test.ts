// readIcsBusy() against ical.js, an independent reader: series in zones that the calendar describes, with exceptions.
import { strictEqual as equal } from "node:assert";
import ICAL from "ical.js";
import { type SeededRandom, seededRandom } from "../../random.ts";
import { byScale } from "../../scale.ts";
import { calendarOf, event, read, WINDOW } from "./documents.ts";

/** Names that other programs take for zones far away. */
const NAMES = ["BST", "AST", "CST", "IST", "NST", "ECT", "ART", "ACT", "SST", "MIT", "PST", "EST", "GMT", "Home"];
const SUMMERS = [
  ["BYMONTH=3;BYDAY=2SU", "BYMONTH=11;BYDAY=1SU"],
  ["BYMONTH=3;BYDAY=-1SU", "BYMONTH=10;BYDAY=-1SU"],
  ["BYMONTH=10;BYDAY=1SU", "BYMONTH=4;BYDAY=1SU"],
];

function randomZone({ below, chance, one }: SeededRandom) {
  const standard = below(24) * 60 - 11 * 60 + one([0, 0, 30, 45]);
  const offset = (minutes: number) => {
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    return `${minutes < 0 ? "-" : "+"}${String(hours * 100 + rest).padStart(4, "0")}`;
  };
  const part = (name: string, from: number, to: number, rule?: string) => [
    ...[`BEGIN:${name}`, "DTSTART:20100101T020000", `TZOFFSETFROM:${offset(from)}`, `TZOFFSETTO:${offset(to)}`],
    ...rule ? [`RRULE:FREQ=YEARLY;${rule}`] : [],
    `END:${name}`,
  ];
  const summer = chance(0.7) ? one(SUMMERS) : undefined;
  const name = one(NAMES);
  const lines = [
    ...["BEGIN:VTIMEZONE", `TZID:${name}`],
    ...part("STANDARD", summer ? standard + 60 : standard, standard, summer?.[1]),
    ...summer ? part("DAYLIGHT", standard, standard + 60, summer[0]) : [],
    "END:VTIMEZONE",
  ];
  return { name, lines };
}

const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const basic = (time: string) => time.replaceAll(/[-:]/g, "");

const MAX_OCCURRENCES = 100;

/** A calendar with one series, whose exceptions are those of its occurrences. */
function randomCalendar(random: SeededRandom): string {
  const { below, chance, one } = random;
  const zone = randomZone(random);
  const isDate = chance(0.2), isUtc = !isDate && chance(0.2);
  const form = isDate ? ";VALUE=DATE" : isUtc ? "" : `;TZID=${zone.name}`;
  const day = new Date(Date.UTC(2026, 1 + below(2), 1 + below(28))).toISOString().slice(0, 10);
  const clock = `T${String(4 + below(18)).padStart(2, "0")}${one(["00", "15", "30"])}00`; // no time that a change skips
  const write = (date: string) => `${basic(date)}${isDate ? "" : clock}${isUtc ? "Z" : ""}`;
  const parts = [`FREQ=${one(["DAILY", "WEEKLY", "MONTHLY"])}`, `INTERVAL=${1 + below(3)}`];
  const weekday = WEEKDAYS[new Date(day).getUTCDay()]; // programs differ in rules that do not include the start
  if (parts[0] === "FREQ=WEEKLY" && chance(0.7)) parts.push(`BYDAY=${weekday},${one(WEEKDAYS)}`);
  if (chance(0.5)) parts.push(`COUNT=${1 + below(40)}`);
  const length = isDate ? "P1D" : one(["PT30M", "PT1H", "PT90M"]);
  const series = ["UID:1", `DTSTART${form}:${write(day)}`, `DURATION:${length}`, `RRULE:${parts.join(";")}`];

  const known = toEvents(calendarOf(...zone.lines, ...event(...series)))[0];
  const iterator = known.iterator(), starts: ICAL.Time[] = [];
  for (let next; starts.length < MAX_OCCURRENCES && (next = iterator.next());) starts.push(next);
  const some = starts.filter(() => chance(0.15));
  const written = (start: ICAL.Time) => write(start.toString().slice(0, 10));
  const exceptions = some.filter(() => chance(0.5));
  const moved = some.filter((start) => !exceptions.includes(start));
  return calendarOf(
    ...zone.lines,
    ...event(
      ...series,
      ...exceptions.map((start) => {
        if (isDate || chance(0.5)) return `EXDATE${form}:${written(start)}`;
        return `EXDATE:${basic(new Date(start.toUnixTime() * 1000).toISOString().slice(0, 19))}Z`;
      }),
    ),
    ...moved.flatMap((start) =>
      event(
        "UID:1",
        `RECURRENCE-ID${form}:${written(start)}`,
        ...isDate
          ? [`DTSTART;VALUE=DATE:${basic(start.toString().slice(0, 8))}${10 + below(18)}`]
          : [`DTSTART:202603${20 + below(10)}T${10 + below(10)}0000Z`, "DURATION:PT20M"],
        ...chance(0.3) ? ["STATUS:CANCELLED"] : [],
      )
    ),
  );
}

/** The series of a calendar. */
function toEvents(document: string): ICAL.Event[] {
  const root = new ICAL.Component(ICAL.parse(document));
  return root.getAllSubcomponents("vevent").map((one) => new ICAL.Event(one)).filter((one) =>
    !one.isRecurrenceException()
  );
}

/** The minutes of WINDOW that ical.js finds busy. */
function busyMinutes(document: string): Set<number> {
  const [series] = toEvents(document);
  const minutes = new Set<number>();
  const [from, to] = [WINDOW.start, WINDOW.end].map((date) => date.getTime() / 60_000);
  const iterator = series.iterator();
  for (let next, left = MAX_OCCURRENCES; left && (next = iterator.next()); left--) {
    const { item, startDate, endDate } = series.getOccurrenceDetails(next);
    if (item.component.getFirstPropertyValue("status") === "CANCELLED") continue;
    const end = Math.min(to, endDate.toUnixTime() / 60);
    for (let minute = Math.max(from, startDate.toUnixTime() / 60); minute < end; minute += 5) minutes.add(minute);
  }
  return minutes;
}

Deno.test("readIcsBusy() finds what ical.js finds of random series in described zones", async () => {
  const seeds = [1, ...byScale(0, 1) ? [2, Math.floor(Math.random() * 2 ** 31)] : []];
  let busyCalendars = 0;
  for (const seed of seeds) {
    const random = seededRandom(seed);
    for (let i = 0; i < byScale(80, 500); i++) {
      const document = randomCalendar(random);
      const expected = busyMinutes(document), found = new Set<number>();
      const { busy, warnings } = await read(document, { timeZone: "UTC", calendarTimeZone: UTC });
      equal(warnings.length, 0, document);
      for (const span of busy.split(" ").filter((one) => one)) {
        const [start, end] = span.split("/").map((time) => Date.parse(`2026-${time}Z`) / 60_000);
        for (let minute = start; minute < end; minute += 5) found.add(minute);
      }
      const differing = [...found.symmetricDifference(expected)].map((minute) =>
        new Date(minute * 60_000).toISOString()
      );
      equal(differing.sort().join(" "), "", `seed ${seed}, ${i}: ${differing.slice(0, 3)}\n${document}`);
      if (expected.size) busyCalendars++;
    }
  }
  equal(busyCalendars > byScale(60, 1200), true, `${busyCalendars} busy calendars`);
});

/** ical.js reads days in UTC. */
const UTC = calendarOf(
  ...["BEGIN:VTIMEZONE", "TZID:Etc/UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000"],
  ...["TZOFFSETFROM:+0000", "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE"],
);
