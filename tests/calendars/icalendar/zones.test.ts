// Time zones of calendars: the runtime's, Windows' names, and descriptions.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal, throws } from "node:assert";
import type { Component } from "../../../functions/calendars/icalendar/components.ts";
import { createDescribedZone } from "../../../functions/calendars/icalendar/vtimezone.ts";
import { zoneOfWindows } from "../../../functions/calendars/icalendar/windows_zones.ts";
import { createIanaZone, toInstant, toLocal, type Zone } from "../../../functions/calendars/icalendar/zone.ts";
import { seededRandom } from "../../random.ts";

const zoneOf = (name: string): Zone => createIanaZone(name, () => false)!;
const at = (iso: string) => Date.parse(`${iso}Z`) / 1000;
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16);

Deno.test("createIanaZone() returns the offsets of the runtime, and nothing for an unknown name", () => {
  equal(createIanaZone("Mars/Base", () => false), undefined);
  const random = seededRandom(1);
  const names = Intl.supportedValuesOf("timeZone");
  for (let i = 0; i < 300; i++) {
    const timeZone = random.one(names), zone = zoneOf(timeZone);
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
    const instant = at("1975-01-01T00:00") + random.below(70 * 365 * 86_400);
    equal(toLocal(zone, instant), at(format.format(instant * 1000).replace(" ", "T")), `${timeZone} ${iso(instant)}`);
  }
});

Deno.test("createIanaZone() changes the offset in the minute of the change", () => {
  const cases: [zone: string, change: string, before: number, after: number][] = [
    ["Europe/Berlin", "2026-03-29T01:00", 3600, 7200],
    ["America/New_York", "2026-11-01T06:00", -4 * 3600, -5 * 3600],
    ["Australia/Lord_Howe", "2026-04-04T15:00", 11 * 3600, 10.5 * 3600],
    ["Pacific/Apia", "2011-12-30T10:00", -10 * 3600, 14 * 3600],
  ];
  for (const [name, change, before, after] of cases) {
    const zone = zoneOf(name);
    deepEqual([zone.offsetAt(at(change) - 1), zone.offsetAt(at(change))], [before, after], name);
  }
});

Deno.test("toInstant() is the inverse of toLocal(), takes the first of two instants, and moves skipped times", () => {
  const random = seededRandom(2);
  const names = Intl.supportedValuesOf("timeZone");
  for (let i = 0; i < 300; i++) {
    const zone = zoneOf(random.one(names));
    const instant = at("1990-01-01T00:00") + random.below(40 * 365 * 86_400);
    const back = toInstant(zone, toLocal(zone, instant));
    ok(back === instant || back < instant && toLocal(zone, back) === toLocal(zone, instant));
  }
  const berlin = zoneOf("Europe/Berlin");
  equal(iso(toInstant(berlin, at("2026-10-25T02:30"))), "2026-10-25T00:30");
  equal(iso(toInstant(berlin, at("2026-03-29T02:30"))), "2026-03-29T01:30");
});

Deno.test("zoneOfWindows() gives a zone that the runtime knows for each name of CLDR", () => {
  const text = Deno.readTextFileSync(
    new URL("../../../functions/calendars/icalendar/windows_zones.ts", import.meta.url),
  );
  const rows = [...text.matchAll(/^(.+?)=(\w+\/.+|Etc\/UTC)$/gm)].filter(([line]) => !line.includes("const"));
  ok(rows.length > 120, `${rows.length} names`);
  for (const [, name, zone] of rows) {
    equal(zoneOfWindows(name.toUpperCase()), zone);
    ok(createIanaZone(zone, () => false), zone);
  }
  equal(zoneOfWindows("Europe/Berlin"), undefined);
  deepEqual([zoneOfWindows("UTC+12"), zoneOfWindows("UTC-08")], ["Etc/GMT-12", "Etc/GMT+8"]);
  equal(zoneOf(zoneOfWindows("UTC-08")!).offsetAt(0), -8 * 3600);
});

const partOf = (name: string, lines: Record<string, string>): Component => ({
  name,
  lines: new Map(Object.entries(lines).map(([property, value]) => [property, [`${property}:${value}`]])),
  parts: [],
  calendar: { lines: new Map(), timeZones: [] },
  isIncomplete: false,
});

function describe(...parts: Component[]): Zone {
  const noBudget = () => false;
  const [from, to] = [at("2026-01-01T00:00"), at("2027-01-01T00:00")];
  const component = { ...partOf("VTIMEZONE", { TZID: "x" }), parts };
  return createDescribedZone(component, from, to, noBudget);
}

Deno.test("createDescribedZone() follows rules without an end, and keeps the last offset of rules that ended", () => {
  const summer = (rule: string) =>
    partOf("DAYLIGHT", { DTSTART: "20070311T020000", TZOFFSETFROM: "-0500", TZOFFSETTO: "-0400", RRULE: rule });
  const winter = (rule: string) =>
    partOf("STANDARD", { DTSTART: "20071104T020000", TZOFFSETFROM: "-0400", TZOFFSETTO: "-0500", RRULE: rule });
  const [spring, autumn] = ["FREQ=YEARLY;BYMONTH=3;BYDAY=2SU", "FREQ=YEARLY;BYMONTH=11;BYDAY=1SU"];
  const newYork = zoneOf("America/New_York"), same = describe(summer(spring), winter(autumn));
  for (let hour = at("2026-01-01T00:00"); hour < at("2027-01-01T00:00"); hour += 3600) {
    equal(same.offsetAt(hour), newYork.offsetAt(hour), iso(hour));
  }
  const ended = describe(
    summer(`${spring};UNTIL=20200308T070000Z`),
    winter(`${autumn};UNTIL=20191103T060000Z`),
  );
  equal(ended.offsetAt(at("2026-01-01T00:00")), -4 * 3600);
  const berlin = describe(
    partOf("DAYLIGHT", {
      DTSTART: "20070325T020000",
      TZOFFSETFROM: "+0100",
      TZOFFSETTO: "+0200",
      RRULE: "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20190331T010000Z",
    }),
    partOf("STANDARD", {
      DTSTART: "20071028T030000",
      TZOFFSETFROM: "+0200",
      TZOFFSETTO: "+0100",
      RRULE: "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20191027T010000Z",
    }),
  );
  equal(berlin.offsetAt(at("2026-06-01T00:00")), 3600);
  const fixed = describe(
    partOf("STANDARD", { DTSTART: "19700101T000000", TZOFFSETFROM: "+053000", TZOFFSETTO: "+0530" }),
  );
  equal(fixed.offsetAt(at("2026-06-01T00:00")), 5.5 * 3600);
  equal(fixed.offsetAt(at("1960-06-01T00:00")), 5.5 * 3600);
});

Deno.test("createDescribedZone() rejects descriptions without offsets", () => {
  for (const parts of [[], [partOf("STANDARD", { DTSTART: "19700101T000000" })]]) throws(() => describe(...parts));
});
