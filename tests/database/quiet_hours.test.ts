// private.end_of_quiet_hours() beside a reference with the time zones of Intl, around changes of clocks.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

/** With changes by an hour, by half an hour, at midnight, of a whole day, of the standard time, and none. */
const ZONES = [
  ..."Europe/Berlin Europe/London Europe/Dublin Europe/Lisbon Europe/Moscow Atlantic/Azores Asia/Beirut".split(" "),
  ..."Asia/Tehran Asia/Amman Asia/Kolkata Asia/Kathmandu Asia/Pyongyang Asia/Tokyo Asia/Yerevan".split(" "),
  ..."Africa/Cairo Africa/Casablanca Africa/Tripoli Africa/Windhoek Africa/Lagos".split(" "),
  ..."America/New_York America/Los_Angeles America/St_Johns America/Havana America/Asuncion America/Santiago".split(
    " ",
  ),
  ..."America/Caracas America/Sao_Paulo America/Mexico_City America/Phoenix America/Halifax".split(" "),
  ..."Australia/Lord_Howe Australia/Adelaide Australia/Sydney Antarctica/Troll Pacific/Apia Pacific/Auckland".split(
    " ",
  ),
  ..."Pacific/Chatham Pacific/Fiji Pacific/Kiritimati UTC".split(" "),
];

const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds by which the clocks of a zone are ahead of UTC. */
function offsetAt(zone: string, moment: number): number {
  let format = formats.get(zone);
  if (!format) {
    const options = { hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" } as const;
    format = new Intl.DateTimeFormat("en", {
      ...options,
      timeZone: zone,
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  const part = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - moment;
}

/** The moment at which clocks show `wall` (its UTC fields), as RFC 5545 says. */
function momentOf(zone: string, wall: number): number {
  const offsets = [-2, -1, 0, 1, 2].map((days) => offsetAt(zone, wall + days * 14 * HOUR));
  const shown = offsets.map((offset) => wall - offset).filter((moment) => moment + offsetAt(zone, moment) === wall);
  return shown.length ? Math.min(...shown) : wall - offsets[0];
}

/** The end of the quiet hours of the night or nights into which a moment falls. Minutes are of the day. */
function referenceEnd(zone: string, moment: number, startMinute: number, endMinute: number): number | null {
  const today = Math.floor((moment + offsetAt(zone, moment)) / DAY) * DAY;
  const nights = [-2, -1, 0, 1, 2].map((n) => today + n * DAY).map((day) => ({
    from: momentOf(zone, day + startMinute * MINUTE),
    to: momentOf(zone, day + endMinute * MINUTE + (endMinute < startMinute ? DAY : 0)),
  }));
  for (let end: number | null = null;;) {
    const at: number = end ?? moment, night = nights.find(({ from, to }) => from <= at && at < to);
    if (!night) return end;
    end = night.to;
  }
}

/** The moments between two at which the offset changes, to the minute. */
function* clockChanges(zone: string, from: number, to: number): Generator<number> {
  for (let moment = from; moment < to; moment += 20 * DAY) {
    let [low, high] = [moment, Math.min(moment + 20 * DAY, to)];
    if (offsetAt(zone, low) === offsetAt(zone, high)) continue;
    while (high - low > MINUTE) {
      const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
      if (offsetAt(zone, middle) === offsetAt(zone, low)) low = middle;
      else high = middle;
    }
    yield high;
  }
}

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

Deno.test("end_of_quiet_hours agrees with a reference around changes of clocks in 40 time zones", async () => {
  const random = seededRandom(13);
  const cases: { zone: string; moment: number; start: number; end: number }[] = [];
  const [from, to] = [Date.UTC(1995, 0, 1), Date.UTC(2022, 0, 1)]; // without years on which time zone data may differ
  equal(ZONES.length, 40);
  for (const zone of ZONES) {
    const changes = [...clockChanges(zone, from, to)];
    for (let n = 0; n < byScale(40, 150); n++) {
      const change = changes.length ? random.one(changes) : from + random.below(to - from);
      // half of the bounds are within three hours of the change, on the clocks before or after it
      const minuteNear = () => {
        const local = change + offsetAt(zone, change + random.one([-MINUTE, MINUTE]));
        const near = Math.floor((((local % DAY) + DAY) % DAY) / MINUTE) + (random.below(73) - 36) * 5;
        return random.chance(0.5) ? (near + 1440) % 1440 : random.below(1440);
      };
      const start = minuteNear(), end = minuteNear();
      if (start === end) continue;
      cases.push({ zone, start, end, moment: change + (random.below(48 * 60) - 24 * 60) * MINUTE });
    }
  }
  ok(cases.length > byScale(1400, 5000));
  const expected = cases.map(({ zone, moment, start, end }) => referenceEnd(zone, moment, start, end));
  ok(expected.filter((end) => end !== null).length > byScale(500, 2000));

  await using database = await createFeedDatabase();
  const rows = await database.sql<{ ends: string | null; again: string | null }[]>`
    select extract(epoch from e.ends) as ends, private.end_of_quiet_hours(e.ends, c.zone, c.start, c.end) as again
    from rows from (unnest(
        ${cases.map(({ moment }) => new Date(moment).toISOString())}::timestamptz[],
        ${cases.map(({ zone }) => zone)}::text[],
        ${cases.map(({ start }) => clock(start))}::time[],
        ${cases.map(({ end }) => clock(end))}::time[])) with ordinality c (moment, zone, start, "end", n)
    cross join lateral (select private.end_of_quiet_hours(c.moment, c.zone, c.start, c.end) as ends) e
    order by c.n`;
  const differences = cases.flatMap((one, i) => {
    const ends = rows[i].ends === null ? null : Number(rows[i].ends) * 1000;
    const describe = (moment: number | null) => moment === null ? "none" : new Date(moment).toISOString();
    return ends === expected[i] && rows[i].again === null ? [] : [
      `${one.zone} at ${describe(one.moment)}, ${clock(one.start)} to ${clock(one.end)}: ` +
      `${describe(ends)} instead of ${describe(expected[i])}, then ${rows[i].again}`,
    ];
  });
  deepEqual(differences.slice(0, 10), []);
});

Deno.test("end_of_quiet_hours ends at the first pass of a repeated time, and after a skipped one", async () => {
  await using database = await createFeedDatabase();
  const end = async (moment: string, zone: string, start: string | null, end: string | null) =>
    (await database.sql<{ ends: Date | null }[]>`
      select private.end_of_quiet_hours(${moment}, ${zone}, ${start}, ${end}) as ends`)[0].ends?.toISOString() ?? null;
  const berlin = "Europe/Berlin", lordHowe = "Australia/Lord_Howe";
  deepEqual(
    [
      await end("2026-10-24T22:00:00Z", berlin, "22:00", "02:30"), // repeated: 2:30 summer time
      await end("2026-10-25T01:10:00Z", berlin, "22:00", "02:30"), // the second 2:10
      await end("2026-03-29T00:30:00Z", berlin, "22:00", "02:30"), // skipped
      await end("2026-04-04T14:40:00Z", lordHowe, "22:00", "01:45"), // half an hour repeated
      await end("2026-04-04T15:10:00Z", lordHowe, "22:00", "01:45"), // the second 1:40
      await end("2026-10-03T15:00:00Z", lordHowe, "22:00", "02:15"), // half an hour skipped
      await end("2026-01-01T12:00:00Z", "UTC", "09:00", "17:00"), // by day
      await end("2026-01-01T17:00:00Z", "UTC", "09:00", "17:00"),
      await end("2026-01-01T09:00:00Z", "UTC", "09:00", "17:00"),
      await end("2026-01-01T00:00:00Z", "UTC", null, null),
    ],
    [
      "2026-10-25T00:30:00.000Z",
      null,
      "2026-03-29T01:30:00.000Z",
      "2026-04-04T14:45:00.000Z",
      null,
      "2026-10-03T15:45:00.000Z",
      "2026-01-01T17:00:00.000Z",
      null,
      "2026-01-01T17:00:00.000Z",
      null,
    ],
  );
});
