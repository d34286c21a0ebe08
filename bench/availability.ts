// Slots of a day with 500 bookings and 500 busy times, and of 31 such days, each one SQL call with its round trip,
// beside loops over slots with Luxon and dayjs, as schedulers write them. The loops get their busy times parsed, in
// objects of their library, and reach no database. All must find the same slots. Goals: a day 3 times as fast as Luxon,
// 10 times as fast as dayjs.
// Before them the dates of a month, at most 2 times `select 1` where the floor allows it: the same call of a function
// that does nothing, which costs as much as the round trip itself on a fast machine. And a day beside 1,000 and 1,000,000
// other bookings of the link, whose ratio stays below 1.2.
// node local/deno.mjs bench/availability.ts [bookings on other days]
import "../functions/database/immediate_writes.ts";
import dayjs from "dayjs";
import timezone from "dayjs/plugin/timezone.js";
import utc from "dayjs/plugin/utc.js";
import { DateTime } from "luxon";
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import postgres from "postgres";
import { loadDeclared } from "../local/database/load.ts";
import { startScratch } from "../local/database/scratch.ts";
import { connected } from "../local/postgres/client.ts";
import { projectPaths } from "../local/host/project.ts";

dayjs.extend(utc);
dayjs.extend(timezone);

const otherBookings = Number(Deno.args[0] ?? 1_000_000);
const ROUNDS = 5, MILLISECONDS = 400; // of calls per run and round
const MINUTE = 60_000, DAY = 24 * 60 * MINUTE;
const ZONE = "Europe/Berlin";
const LINKS = {
  "16 sessions of 30 minutes": { id: "00000000-0000-4000-8000-000000000001", minutes: 30, start: 9, end: 17 },
  "96 sessions of 15 minutes": { id: "00000000-0000-4000-8000-000000000002", minutes: 15, start: 0, end: 24 },
};
/** Of the podcast, its owner and their calendar. */
const OWNER = "00000000-0000-4000-8000-000000000000";
type Link = typeof LINKS[keyof typeof LINKS];

/** The first day of a month without changes of clocks. */
const first = new Date();
first.setUTCMonth(first.getUTCMonth() + 1, 1);
while ([2, 3, 9, 10].includes(first.getUTCMonth())) first.setUTCMonth(first.getUTCMonth() + 1);
const dateOf = (day: number) => new Date(first.getTime() + day * DAY).toISOString().slice(0, 10);

/** 500 bookings of a minute each from midnight, then 500 busy minutes; the evening is free. */
const startOf = (day: number) => DateTime.fromISO(dateOf(day), { zone: ZONE }).toMillis();
const taken = (day: number) =>
  Array.from({ length: 1000 }, (_, n) => ({ start: startOf(day) + n * MINUTE, end: startOf(day) + (n + 1) * MINUTE }));

await using scratch = await startScratch();
const [few, many] = await Promise.all([open("few", 1000), open("many", otherBookings)]);

await reportMonth(); // first, because the libraries leave garbage
await reportGrowth();
for (const [name, link] of Object.entries(LINKS)) await compare(name, link, 1);
await compare("16 sessions of 30 minutes", LINKS["16 sessions of 30 minutes"], 31);
await Promise.all([few.end(), many.end()]);
Deno.exit();

/** A database in which both links have that many bookings on other days, and a host's calendar as many busy times. */
async function open(name: string, others: number): Promise<postgres.Sql> {
  const url = await scratch.create(name);
  await loadDeclared(url, projectPaths().sql);
  await connected(url.replace("//postgres:", "//supabase_admin:"), async (admin) => {
    await admin`set session_replication_role = replica`; // rows without accounts and messages
    await admin`insert into public.podcasts (id, owner_id, slug, title, podcast_guid) values
      (${OWNER}, ${OWNER}, 'show', 'Show', ${OWNER})`;
    await admin`insert into public.podcast_members (podcast_id, user_id, role) values (${OWNER}, ${OWNER}, 'owner')`;
    await admin`insert into public.connected_calendars (id, connection_id, user_id, external_id, name, is_selected)
      values (${OWNER}, ${OWNER}, ${OWNER}, 'a', 'a', true)`;
    for (const { id, minutes, start, end } of Object.values(LINKS)) {
      const rule = { startTime: clock(start), endTime: clock(end) };
      await admin`
        insert into public.booking_links (id, podcast_id, slug, name, timezone, duration_minutes, max_advance_days,
          availability_rules)
        values (${id}, ${OWNER}, ${id}, 'Interview', ${ZONE}, ${minutes}, 365,
          ${admin.json([0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, ...rule })))})`;
      const bookings = Array.from({ length: 31 }, (_, day) => taken(day).slice(0, 500)).flat();
      await admin`
        insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, status, guest_name,
          guest_email)
        select ${id}, ${OWNER}, 'Interview', to_timestamp(s / 1000), to_timestamp(s / 1000 + 60), 'confirmed', 'Gus',
          'gus@test.example'
        from jsonb_array_elements_text(${admin.json(bookings.map(({ start }) => start))}) e (t), cast(e.t as float8) s`;
    }
    // before the month, back to back
    const { id } = LINKS["16 sessions of 30 minutes"];
    await admin`
      insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, status, guest_name,
        guest_email)
      select ${id}, ${OWNER}, 'Interview', t, t + interval '30 minutes', 'confirmed', 'Gus', 'gus@test.example'
      from generate_series(1, ${others}::int) n,
        lateral (select ${first}::timestamptz - interval '2 days' - n * interval '30 minutes') s (t)`;
    const busy = Array.from({ length: 31 }, (_, day) => taken(day).slice(500)).flat();
    await admin`
      insert into private.calendar_busy_intervals
      select ${OWNER}::uuid, tstzrange(to_timestamp(s / 1000), to_timestamp(s / 1000 + 60))
      from jsonb_array_elements_text(${admin.json(busy.map(({ start }) => start))}) e (t), cast(e.t as float8) s
      union all
      select ${OWNER}::uuid, tstzrange(t, t + interval '1 minute')
      from generate_series(1, ${Math.ceil(others / 10)}::int) n,
        lateral (select ${first}::timestamptz - interval '2 days' - n * interval '3 minutes') s (t)`;
    for (const table of ["public.bookings", "private.calendar_busy_intervals", "public.booking_links"]) {
      await admin.unsafe(`vacuum analyze ${table}`);
    }
  });
  return postgres(url, { max: 1, onnotice: () => {} });
}

function clock(hour: number) {
  return `${String(hour).padStart(2, "0")}:00`;
}

/** The slots of days by one call. */
async function ours(sql: postgres.Sql, link: Link, days: number): Promise<string[]> {
  if (days === 1) {
    const [{ data }] = await sql`select public.get_availability(${link.id}, ${dateOf(0)}) as data`;
    return data.slots.map(({ start }: { start: string }) => start);
  }
  const rows = await sql`
    select s.start_time from public.booking_links l,
      private.available_slots(l, ${dateOf(0)}, ${dateOf(days - 1)}, now()) s where l.id = ${link.id}`;
  return rows.map(({ start_time }) => start_time.toISOString());
}

function luxonSlots(link: Link, days: number, busy: { start: DateTime; end: DateTime }[][]): string[] {
  const slots: string[] = [], earliest = DateTime.utc().plus({ hours: 24 });
  for (let day = 0; day < days; day++) {
    const date = DateTime.fromISO(dateOf(day), { zone: ZONE });
    const windowEnd = date.plus({ hours: link.end });
    let start = date.plus({ hours: link.start });
    while (start.plus({ minutes: link.minutes }) <= windowEnd) {
      const end = start.plus({ minutes: link.minutes });
      const isTaken = busy[day].some((one) => one.start < end && one.end > start);
      if (start >= earliest && !isTaken) slots.push(start.toUTC().toISO()!);
      start = end;
    }
  }
  return slots;
}

function dayjsSlots(link: Link, days: number, busy: { start: dayjs.Dayjs; end: dayjs.Dayjs }[][]): string[] {
  const slots: string[] = [], earliest = dayjs().add(24, "hour");
  for (let day = 0; day < days; day++) {
    const date = dayjs.tz(dateOf(day), ZONE);
    const windowEnd = date.add(link.end, "hour");
    let start = date.add(link.start, "hour");
    while (!start.add(link.minutes, "minute").isAfter(windowEnd)) {
      const end = start.add(link.minutes, "minute");
      const isTaken = busy[day].some((one) => one.start.isBefore(end) && one.end.isAfter(start));
      if (!start.isBefore(earliest) && !isTaken) slots.push(start.utc().toISOString());
      start = end;
    }
  }
  return slots;
}

async function compare(name: string, link: Link, days: number) {
  const busy = Array.from({ length: days }, (_, day) => taken(day));
  const luxonBusy = busy.map((of) =>
    of.map(({ start, end }) => ({ start: DateTime.fromMillis(start).toUTC(), end: DateTime.fromMillis(end).toUTC() }))
  );
  const dayjsBusy = busy.map((of) => of.map(({ start, end }) => ({ start: dayjs.utc(start), end: dayjs.utc(end) })));
  const runs = {
    ours: () => ours(few, link, days),
    luxon: () => luxonSlots(link, days, luxonBusy),
    dayjs: () => dayjsSlots(link, days, dayjsBusy),
  };
  const found = await runs.ours();
  ok(found.length > 0 || link.end < 18);
  deepEqual(runs.luxon(), found);
  deepEqual(runs.dayjs(), found);
  const times = await inTurns(runs);
  const goals = days === 1 ? { luxon: 3, dayjs: 10 } : { luxon: 0, dayjs: 0 };
  for (const peer of ["luxon", "dayjs"] as const) {
    const ratios = times[peer].map((time, round) => time / times.ours[round]);
    console.log(
      `${name}, ${days} ${days === 1 ? "day" : "days"}: ${micros(times.ours)}, ${peer} ${micros(times[peer])}: ` +
        `${median(ratios).toFixed(1)} times as fast, worst ${Math.min(...ratios).toFixed(1)}` +
        (goals[peer] ? `; goal ${goals[peer]}` : ""),
    );
  }
}

async function reportMonth() {
  const { id } = LINKS["96 sessions of 15 minutes"];
  const [year, month] = dateOf(0).split("-").map(Number);
  const one = () => few`select 1`;
  // text, as routes get it
  const dates = () => few`select public.get_month_availability(${id}, ${year}, ${month})::text as text`;
  deepEqual(JSON.parse((await dates())[0].text).availableDates.length, new Date(year, month, 0).getDate());
  // the functions of get_month_availability, without what they do
  await few`
    create function private.do_nothing(_booking_link_id uuid, year int, month int, _timezone text) returns json
    language plpgsql stable security definer set search_path = '' set datestyle = 'ISO'
    set plan_cache_mode = 'force_generic_plan' as $$ begin return '{}'; end $$`;
  await few`
    create function public.do_nothing(booking_link_id uuid, year int, month int, timezone text default 'UTC')
    returns json language sql stable security invoker set search_path = ''
    return private.do_nothing(booking_link_id, year, month, timezone)`;
  const nothing = () => few`select public.do_nothing(${id}, ${year}, ${month})::text as text`;
  const single = await inTurns({ one, nothing, dates });
  printRatio("a function that does nothing, round trip", single.nothing, single.one, 0, "`select 1`");
  printRatio("dates of a month, round trip", single.dates, single.one, 2, "`select 1`");
  printRatio("dates of a month, round trip", single.dates, single.nothing, 0, "nothing");
  const pipelined = (query: () => PromiseLike<unknown>) => () => Promise.all(Array.from({ length: 100 }, query));
  const piped = await inTurns({ one: pipelined(one), dates: pipelined(dates) });
  printRatio("dates of a month, 100 calls at once", piped.dates, piped.one, 0, "`select 1`");
}

async function reportGrowth() {
  const link = LINKS["16 sessions of 30 minutes"];
  const times = await inTurns({ few: () => ours(few, link, 1), many: () => ours(many, link, 1) });
  printRatio(`a day, ${otherBookings} other bookings`, times.many, times.few, 1.2, "1,000");
}

/** Microseconds of a call: the median of each round. Runs take turns, because other load on the machine varies. */
async function inTurns<Name extends string>(runs: Record<Name, () => unknown>) {
  const rounds = {} as Record<Name, number[]>;
  for (const name in runs) rounds[name] = [];
  for (let round = -1; round < ROUNDS; round++) {
    for (const name in runs) {
      const times: number[] = [];
      for (const until = performance.now() + MILLISECONDS; performance.now() < until;) {
        const from = performance.now();
        await runs[name]();
        times.push((performance.now() - from) * 1000);
      }
      if (round >= 0) rounds[name].push(median(times));
    }
  }
  return rounds;
}

function printRatio(what: string, times: number[], floors: number[], goal: number, floor: string) {
  const ratios = times.map((time, round) => time / floors[round]);
  console.log(
    `${what}: ${micros(times)}, ${median(ratios).toFixed(2)} times ${floor} (${micros(floors)}), worst ${
      Math.max(...ratios).toFixed(2)
    }` + (goal ? `; goal ${goal}` : ""),
  );
}

function micros(times: number[]) {
  return `${median(times).toFixed(0)} µs`;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
