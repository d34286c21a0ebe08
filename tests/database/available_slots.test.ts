// private.available_slots() and private.candidate_times() beside a reference that walks through the minutes of a date,
// with the time zones of a Temporal polyfill: thousands of random cases, most of them around changes of clocks.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { Temporal } from "temporal-polyfill";
import postgres, { connected } from "../../local/postgres/client.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { type SeededRandom, seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";

const SCENES = byScale(40, 100), CASES_PER_SCENE = 50;
const LINKS_PER_PODCAST = 3; // each case is a link; the podcasts of a scene have one host
const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const DAY_MINUTES = 24 * 60;
const seed = Number(Deno.env.get("CASTBASE_SEED") ?? 14);

/** Changes by an hour, half an hour, two hours, of the standard time, at midnight; a skipped date; none. */
const CHANGES: [zone: string, near: string][] = [
  ["Pacific/Apia", "2011-12-30T10:00Z"], // skips a date
  ["Pacific/Kwajalein", "1993-08-21T12:00Z"], // skips a date
  ["Pacific/Kiritimati", "1994-12-31T10:00Z"], // skips a date, to UTC+14
  ["Asia/Kathmandu", "1985-12-31T18:30Z"], // by 15 minutes
  ["Asia/Pyongyang", "2015-08-14T15:00Z"], // by 30 minutes
  ["America/Caracas", "2007-12-09T07:00Z"],
  ["Europe/Lisbon", "1996-03-31T01:00Z"],
  ["Africa/Monrovia", "1972-01-10T00:00Z"],
  ["America/Santiago", "2018-05-13T03:00Z"], // repeats the last hour of a date
  ["America/Recife", "2000-10-08T03:00Z"], // and back within 7 days, which is the shortest since 1970
];
const ZONES = [
  ..."Australia/Lord_Howe America/Havana Asia/Beirut America/Santiago Antarctica/Troll Africa/Casablanca".split(" "),
  ..."America/St_Johns Asia/Gaza Europe/Dublin Africa/Cairo America/Asuncion Pacific/Chatham Asia/Tehran".split(" "),
  ..."Europe/Berlin America/New_York Pacific/Kiritimati Pacific/Pago_Pago Etc/GMT-14 Etc/GMT+12 UTC".split(" "),
];

interface Interval {
  start: number;
  end: number;
}

/** Eight days of a zone with a host's busy times, or eight weeks. */
interface Scene {
  zone: string;
  from: number;
  /** What the zone's clocks show in each minute from `from`, as minutes from 1970-01-01T00:00. */
  minutes: Int32Array;
  /** The dates that they show, each with the minutes from `first` to before `end`. */
  dates: { day: number; first: number; end: number }[];
  busy: Interval[];
  /** The minutes of `busy`. */
  busyMinutes: Set<number>;
  cases: Case[];
}

interface Hours {
  startTime: string;
  endTime: string;
}

interface Case {
  id: string;
  podcastId: string;
  duration: number;
  before: number;
  after: number;
  noticeHours: number | null;
  advanceDays: number | null;
  rules: (Hours & { dayOfWeek: number })[];
  overrides: { date: string; windows: Hours[] }[];
  scope: "link" | "podcast";
  bookings: (Interval & { id: string; isOpen: boolean })[];
  exceptId: string | null;
  firstDate: string;
  lastDate: string;
  at: number;
}

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
const zoned = (zone: string, moment: number) => Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone);
const offsetAt = (zone: string, moment: number) => Math.round(zoned(zone, moment).offsetNanoseconds / 1e6);
const dateOf = (minute: number) => new Date(minute * MINUTE).toISOString().slice(0, 10);
const dayOf = (date: string) => Date.parse(date) / DAY;
const overlaps = (a: Interval, b: Interval) => a.start < b.end && b.start < a.end;
const newId = (random: SeededRandom) =>
  `${"0123456".replace(/./g, () => random.below(16).toString(16))}0-0000-4000-8000-${
    "012345678901".replace(/./g, () => random.below(16).toString(16))
  }`;

/** What clocks show in each minute of the days. Within an hour of one offset they run evenly. */
function minutesOf(zone: string, from: number, days: number): Scene["minutes"] {
  const minutes = new Int32Array(days * DAY_MINUTES);
  let offset = offsetAt(zone, from);
  for (let hour = 0; hour < minutes.length; hour += 60) {
    const start = from + hour * MINUTE, next = offsetAt(zone, start + HOUR);
    for (let n = 0; n < 60; n++) {
      const moment = start + n * MINUTE;
      minutes[hour + n] = Math.floor((moment + (offset === next ? offset : offsetAt(zone, moment))) / MINUTE);
    }
    offset = next;
  }
  return minutes;
}

function datesOf(minutes: Scene["minutes"]): Scene["dates"] {
  const dates: Scene["dates"] = [];
  minutes.forEach((minute, n) => {
    const day = Math.floor(minute / DAY_MINUTES), last = dates.at(-1);
    if (last?.day === day) last.end = n + 1;
    else dates.push({ day, first: n, end: n + 1 });
  });
  return dates;
}

function randomScene(random: SeededRandom, number: number): Scene {
  const [zone, near] = CHANGES[number % (CHANGES.length * 4)] ??
    [random.chance(0.6) ? random.one(ZONES) : random.one(Intl.supportedValuesOf("timeZone")), undefined];
  let change = near ? Date.parse(near) : Date.UTC(1975, 0, 1) + random.below(60 * 365) * DAY;
  if (!near && random.chance(0.8)) {
    change = zoned(zone, change).getTimeZoneTransition("next")?.epochMilliseconds ?? change;
  }
  const days = number % CHANGES.length === CHANGES.length - 1 ? 56 : 8;
  const from = Math.floor(change / DAY) * DAY - (4 + random.below(days - 7)) * DAY;
  const busy = Array.from({ length: random.below(12) }, () => {
    const start = from + random.below(days * DAY_MINUTES) * MINUTE;
    return { start, end: start + (1 + random.below(random.one([20, 120, 900]))) * MINUTE };
  });
  const minutes = minutesOf(zone, from, days), busyMinutes = new Set<number>();
  for (const { start, end } of busy) {
    for (let minute = start; minute < end; minute += MINUTE) busyMinutes.add(minute);
  }
  let podcastId = "";
  const cases = Array.from({ length: CASES_PER_SCENE }, (_, n) => {
    if (n % LINKS_PER_PODCAST === 0) podcastId = newId(random);
    return randomCase(random, podcastId);
  });
  return { zone, from, minutes, dates: datesOf(minutes), busy, busyMinutes, cases };

  function randomCase(random: SeededRandom, podcastId: string): Case {
    const dayNumber = 2 + random.below(4); // the change is on one of the days between
    const firstDate = dateOf(minutes[dayNumber * DAY_MINUTES]);
    const length = random.one(days === 8 ? [0, 0, 1, 2] : [6, 7, 20, 31, 45]);
    const lastDate = dateOf(minutes[(dayNumber + length) * DAY_MINUTES]);
    const weekday = new Date(firstDate).getUTCDay();
    const minute = () => random.chance(0.5) ? random.below(48) * 30 : random.below(24 * 60);
    const hours = (): Hours => {
      const start = random.chance(0.2) ? 0 : minute();
      return {
        startTime: clock(start),
        endTime: clock(random.chance(0.3) ? 24 * 60 : Math.max(start + 1, minute())),
      };
    };
    const rules = Array.from({ length: 1 + random.below(4) }, () => ({
      dayOfWeek: (weekday + random.one([0, 0, 0, 1, 2, 6])) % 7,
      ...hours(),
    }));
    if (random.chance(0.3) && rules[0].endTime !== "24:00") { // touches the first
      rules.push({ ...rules[0], startTime: rules[0].endTime, endTime: "24:00" });
    }
    const special = new Map(
      Array.from({ length: random.chance(0.5) ? 0 : 1 + random.below(4) }, () => [
        dateOf((dayOf(firstDate) + random.below(length + 3) - 1) * DAY_MINUTES),
        Array.from({ length: random.below(4) }, hours),
      ]),
    );
    const bookings: Case["bookings"] = [];
    for (let n = random.below(6); n > 0; n--) {
      const start = from + (dayNumber * 24 * 60 + random.below((days - 5) * DAY_MINUTES) - 12 * 60) * MINUTE;
      const booking = {
        id: newId(random),
        start,
        end: start + (5 + random.below(120)) * MINUTE,
        isOpen: random.chance(0.8),
      };
      if (!bookings.some((other) => overlaps(other, booking))) bookings.push(booking);
    }
    return {
      id: newId(random),
      podcastId,
      overrides: [...special].map(([date, windows]) => ({ date, windows })),
      scope: random.one(["link", "link", "podcast"] as const),
      duration: random.one([5, 15, 20, 30, 45, 60, 90, 5 + random.below(716)]),
      before: random.chance(0.5) ? 0 : random.below(60),
      after: random.chance(0.5) ? 0 : random.below(60),
      noticeHours: random.one([null, 0, 1, 48]),
      advanceDays: random.one([null, 1, 3, 365]),
      rules,
      bookings,
      exceptId: random.chance(0.2) && bookings.length ? random.one(bookings).id : null,
      firstDate,
      lastDate,
      at: from + random.below(6 * 24 * 3600) * 1000 - (random.chance(0.5) ? 5 * DAY : 0),
    };
  }
}

/** The rules of the issue, minute by minute: the times of a case, each with the step that drops it. */
function referenceTimes(scene: Scene, one: Case): Map<number, string | null> {
  const { from, minutes } = scene;
  const today = zoned(scene.zone, one.at).toPlainDate();
  const lastBookable = dayOf(today.add({ days: one.advanceDays ?? 60 }).toString());
  const firstDay = dayOf(one.firstDate), lastDay = dayOf(one.lastDate);
  const excepted = one.bookings.find(({ id }) => id === one.exceptId);
  const others = scene.cases
    .filter(({ id, podcastId }) => one.scope === "podcast" ? podcastId === one.podcastId : id === one.id)
    .flatMap((link) => link.bookings.map((booking) => ({ link, booking })))
    .filter(({ booking: { isOpen, id } }) => isOpen && id !== one.exceptId);
  const isBusy = ({ start, end }: Interval) => {
    for (let minute = start; minute < end; minute += MINUTE) {
      const now = { start: minute, end: minute + MINUTE };
      if (scene.busyMinutes.has(minute) && !(excepted && overlaps(excepted, now))) return true;
    }
    return false;
  };
  const withBuffers = (link: Case, { start, end }: Interval) => ({
    start: start - link.before * MINUTE,
    end: end + link.after * MINUTE,
  });
  const reasonOf = (day: number, bare: Interval): string | null => {
    if (bare.start < one.at) return "past";
    if (bare.start < one.at + (one.noticeHours ?? 24) * HOUR) return "notice";
    if (day > lastBookable) return "advance";
    if (isBusy(withBuffers(one, bare))) return "calendar";
    const isBooked = others.some(({ link, booking }) =>
      [one, link].some((buffers) =>
        overlaps(withBuffers(buffers, bare), booking) || overlaps(bare, withBuffers(buffers, booking))
      )
    );
    return isBooked ? "booking" : null;
  };
  const found = new Map<number, string | null>();
  for (const { day, first, end } of scene.dates) {
    if (day < firstDay || day > lastDay) continue;
    const override = one.overrides.find(({ date }) => dayOf(date) === day);
    const rules = one.rules.filter(({ dayOfWeek }) => (day + 4) % 7 === dayOfWeek); // day 0 was a Thursday
    for (const hours of override?.windows ?? rules) {
      const [startMinute, endMinute] = [hours.startTime, hours.endTime].map((time) =>
        Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
      );
      const isOpen = (n: number) => {
        const ofDay = minutes[n] % DAY_MINUTES;
        return ofDay >= startMinute && ofDay < endMinute;
      };
      for (let start = first; start < end; start++) {
        let windowEnd = start;
        while (windowEnd < end && isOpen(windowEnd)) windowEnd++;
        for (let n = start; n + one.duration <= windowEnd; n += one.duration + one.before + one.after) {
          const bare = { start: from + n * MINUTE, end: from + (n + one.duration) * MINUTE };
          found.set(bare.start, reasonOf(day, bare));
        }
        start = windowEnd; // not open, or the next date
      }
    }
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

/** What the database computes for a case. */
interface Computed {
  times: [start: number, reason: string | null][];
  starts: string[];
  /** Times whose reason and explanation differ. */
  unexplained: number;
}

function computeTimes(sql: postgres.Sql, cases: Case[]): Promise<Computed[]> {
  return sql`
    select t.times, t.unexplained, array(
      select (extract(epoch from s.start_time) * 1000)::bigint
      from private.available_slots(l, c."firstDate", c."lastDate", to_timestamp(c.at / 1000), c."exceptId") s
      where s.end_time = s.start_time + l.duration_minutes * interval '1 minute') as starts
    from rows from (jsonb_to_recordset(${
    sql.json(cases.map(({ id, firstDate, lastDate, at, exceptId }) => ({ id, firstDate, lastDate, at, exceptId })))
  }) as (id uuid, "firstDate" date, "lastDate" date, at numeric, "exceptId" uuid)) with ordinality
      c (id, "firstDate", "lastDate", at, "exceptId", n)
    join public.booking_links l on l.id = c.id
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_array((extract(epoch from s.start_time) * 1000)::bigint, s.reason)
          order by s.start_time), '[]') as times,
        count(*) filter (where c."exceptId" is null and case s.reason  -- explanations are about all bookings
          when 'calendar' then private.blocking_calendar(l, s.start_time, s.end_time) is null
          when 'booking' then private.blocking_booking(l, s.start_time, s.end_time) is null
          -- of the free times some, because this is slow
          else s.reason is null and extract(minute from s.start_time)::int % 10 = 5 and num_nonnulls(
            private.blocking_calendar(l, s.start_time, s.end_time),
            private.blocking_booking(l, s.start_time, s.end_time)) > 0 end)::int as unexplained
      from private.candidate_times(l, c."firstDate", c."lastDate", to_timestamp(c.at / 1000), c."exceptId") s) t
    order by c.n`;
}

Deno.test("available_slots and candidate_times agree with a walk through the minutes in thousands of cases around changes of clocks", async () => {
  console.log(`CASTBASE_SEED=${seed}`);
  const random = seededRandom(seed);
  const drawn = Array.from({ length: SCENES }, (_, number) => randomScene(random, number));
  await using database = await createFeedDatabase();
  const { sql, url } = database;

  // The time zone data of Postgres and of this runtime differ in age: only scenes whose offsets agree count
  const offsets = await sql<{ offsets: number[] }[]>`
    select array(
      select extract(epoch from (t at time zone s.zone) - (t at time zone 'UTC'))::int
      from generate_series(to_timestamp(s.start / 1000.0), to_timestamp(s.start / 1000.0) + s.hours * interval '1 hour',
        interval '1 hour') t) as offsets
    from unnest(${drawn.map(({ zone }) => zone)}::text[], ${drawn.map(({ from }) => from)}::float8[],
      ${drawn.map(({ minutes }) => minutes.length / 60 - 1)}::int[]) with ordinality s (zone, start, hours, n)
    order by s.n`;
  const scenes = drawn.filter(({ zone, from }, i) =>
    offsets[i].offsets.every((seconds, hour) => seconds * 1000 === offsetAt(zone, from + hour * HOUR))
  );
  ok(scenes.length >= SCENES * 0.97, `${SCENES - scenes.length} of ${SCENES} scenes have other time zone data`);

  const cases = scenes.flatMap((scene) => scene.cases.map((one) => ({ scene, one })));
  const iso = (moment: number) => new Date(moment).toISOString();
  // as a replica, so that rows need no accounts and write no messages
  await connected(url.replace("//postgres:", "//supabase_admin:"), async (admin) => {
    await admin`set session_replication_role = replica`;
    await admin`
      with scene as (
        select gen_random_uuid() as user_id, gen_random_uuid() as calendar_id, s.*
        from jsonb_to_recordset(${
      admin.json(
        scenes.map(({ zone, busy, cases }) => ({
          zone,
          busy: `{${busy.map(({ start, end }) => `[${iso(start)},${iso(end)})`)}}`,
          links: cases,
        })) as never,
      )
    }) s (zone text, busy tstzmultirange, links jsonb)),
      member as (
        insert into public.podcast_members (podcast_id, user_id, role)
        select distinct (l ->> 'podcastId')::uuid, s.user_id, 'owner'::public.podcast_role
        from scene s, jsonb_array_elements(s.links) l),
      calendar as (
        insert into public.connected_calendars (id, connection_id, user_id, external_id, name, is_selected)
        select calendar_id, gen_random_uuid(), user_id, 'a', 'a', true from scene),
      interval as (
        insert into private.calendar_busy_intervals select calendar_id, unnest(busy) from scene),
      link as (
        insert into public.booking_links (id, podcast_id, slug, name, timezone, duration_minutes,
          buffer_before_minutes, buffer_after_minutes, min_notice_hours, max_advance_days, availability_rules,
          date_overrides, conflict_scope)
        select l.id, l."podcastId", l.id, 'A', s.zone, l.duration, l.before, l.after, l."noticeHours",
          l."advanceDays", l.rules, l.overrides, l.scope
        from scene s, jsonb_to_recordset(s.links) l (id uuid, "podcastId" uuid, duration int, before int, after int,
          "noticeHours" int, "advanceDays" int, rules jsonb, overrides jsonb, scope public.conflict_scope))
      insert into public.bookings (id, booking_link_id, podcast_id, name, start_time, end_time, status, guest_name,
        guest_email, cancelled_by)
      select b.id, l.id, l."podcastId", 'A', to_timestamp(b.start / 1000), to_timestamp(b.end / 1000),
        case when b."isOpen" then 'confirmed' else 'cancelled' end::public.booking_status, 'Gus', 'gus@test.example',
        case when not b."isOpen" then 'host' end
      from scene s, jsonb_to_recordset(s.links) l (id uuid, "podcastId" uuid, bookings jsonb),
        jsonb_to_recordset(l.bookings) b (id uuid, start numeric, "end" numeric, "isOpen" boolean)`;
  });

  const rows: Computed[] = [];
  for (const scene of scenes) rows.push(...await computeTimes(sql, scene.cases));

  const expected = cases.map(({ scene, one }) => [...referenceTimes(scene, one)]);
  const isFree = ([, reason]: [number, string | null]) => reason === null;
  const withSlots = expected.filter((times) => times.some(isFree)).length;
  ok(withSlots > cases.length / 3, `a third of the cases have slots: ${withSlots} of ${cases.length}`);
  const differences = cases.flatMap(({ scene, one }, i) => {
    const { times, starts, unexplained } = rows[i], free = expected[i].filter(isFree).map(([start]) => start);
    const isSame = JSON.stringify(times) === JSON.stringify(expected[i]) && starts.map(Number).join() === free.join();
    if (isSame && unexplained === 0) return [];
    const { bookings: _, ...rest } = one;
    const readable = (list: typeof times) => list.map(([start, reason]) => `${iso(start)} ${reason ?? "free"}`);
    return [{
      zone: scene.zone,
      ...rest,
      at: iso(one.at),
      unexplained,
      actual: readable(times),
      expected: readable(expected[i]),
    }];
  });
  const times = expected.flat(), reasons = ["past", "notice", "advance", "calendar", "booking", null];
  console.log(
    `${cases.length} cases, ${withSlots} with slots, ${times.length} times: ${
      reasons.map((reason) => `${times.filter((time) => time[1] === reason).length} ${reason ?? "free"}`).join(", ")
    }; ${differences.length} differences`,
  );
  deepEqual([differences.length, differences.slice(0, 3)], [0, []]);
});
