// /api/availability: slots and dates for anyone.
import assert from "node:assert/strict";
import { assertError, assertKeys, callRpc, person, podcast, scheduleDeletion, sendRequest, sql } from "../harness.ts";

const BASE = "/api/availability";
const show = await podcast("Bookable");
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime: "09:00", endTime: "11:00" }));

async function bookingLink(fields: Record<string, unknown> = {}, podcastId = show.id): Promise<string> {
  const { id } = await callRpc<{ id: string }>(await person("admin"), "create_booking_link", {
    podcast_id: podcastId,
    name: "Interview",
    timezone: "Asia/Kathmandu",
    availability_rules: EVERY_DAY,
    ...fields,
  });
  return id;
}

const link = await bookingLink({ description: "About trains" });
const get = (query: Record<string, string>, path = BASE) =>
  sendRequest({ method: "GET", path: `${path}?${new URLSearchParams(query)}` });

/** A date in some days, as clocks in Kathmandu (UTC+5:45) show it. */
const dateIn = (days: number) => new Date(Date.now() + (days * 24 + 5.75) * 3_600_000).toISOString().slice(0, 10);
const date = dateIn(7);
const day = () => Promise.resolve({ path: `${BASE}?bookingLinkId=${link}&date=${date}` });
const month = () => Promise.resolve({ path: `${BASE}/month?bookingLinkId=${link}&year=2026&month=2` });

Deno.test("GET /api/availability returns the slots of a date to anyone", async () => {
  const { status, body } = await get({ bookingLinkId: link, date, timezone: "America/Havana" });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    success: true,
    data: {
      date,
      timezone: "America/Havana",
      bookingLinkTimezone: "Asia/Kathmandu",
      bookingLink: {
        id: link,
        name: "Interview",
        duration_minutes: 60,
        description: "About trains",
        timezone: "Asia/Kathmandu",
      },
      podcast: { id: show.id, slug: show.slug, title: "Bookable" },
      slots: [
        { start: `${date}T03:15:00.000Z`, end: `${date}T04:15:00.000Z`, available: true },
        { start: `${date}T04:15:00.000Z`, end: `${date}T05:15:00.000Z`, available: true },
      ],
    },
  });
  assert.equal((await get({ bookingLinkId: link, date })).body.data.timezone, "UTC");
});

Deno.test("GET /api/availability ignores an invalid token and unknown parameters", async () => {
  const path = `${BASE}?bookingLinkId=${link}&date=${date}&utm_source=mail`;
  assert.equal((await sendRequest({ method: "GET", path, as: { token: "junk" } })).status, 200);
});

Deno.test("GET /api/availability returns date, slots and message alone for a date that cannot be booked", async () => {
  for (
    const [days, message] of [
      [-1, /in the past/],
      [0, /at least 24 hours ahead/],
      [61, /at most 60 days ahead/],
    ] as const
  ) {
    const day = dateIn(days), { status, body } = await get({ bookingLinkId: link, date: day });
    assert.equal(status, 200);
    assertKeys(body.data, "date", "slots", "message");
    assert.deepEqual([body.data.date, body.data.slots], [day, []]);
    assert.match(body.data.message, message);
  }
  const none = await bookingLink({ availability_rules: [] });
  assert.match((await get({ bookingLinkId: none, date })).body.data.message, /not offered on \w+days/);
});

Deno.test("GET /api/availability equals rpc, also by GET, without slots that are busy or booked", async () => {
  const id = await bookingLink({ min_notice_hours: 0 });
  const anyone = (await person("stranger")).client;
  await sql`
    insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, status, guest_name, guest_email)
    values (${id}, ${show.id}, 'Interview', ${`${date}T04:15:00Z`}, ${`${date}T05:15:00Z`}, 'confirmed', 'Gus',
      'gus@people.test')`;
  const { body } = await get({ bookingLinkId: id, date });
  assert.deepEqual(body.data.slots.map(({ start }: { start: string }) => start), [`${date}T03:15:00.000Z`]);
  for (const get of [true, false]) {
    const { data, error } = await anyone.rpc("get_availability", { booking_link_id: id, date }, { get });
    assert.deepEqual([data, error], [body.data, null]);
  }
  await sql`
    with connection as (
      insert into public.calendar_connections (user_id, provider, account_name)
      select owner_id, 'google', 'me' from public.podcasts where id = ${show.id} returning id, user_id),
    calendar as (
      insert into public.connected_calendars (connection_id, user_id, external_id, name, is_selected)
      select id, user_id, 'work', 'Work', true from connection returning id)
    insert into private.calendar_busy_intervals
    select id, tstzrange(${`${date}T03:00:00Z`}, ${`${date}T03:16:00Z`}) from calendar`;
  assert.deepEqual((await get({ bookingLinkId: id, date })).body.data.slots, []);
  await sql`delete from public.calendar_connections where account_name = 'me'`;
});

Deno.test("GET /api/availability/month lists the dates whose weekday has a rule", async () => {
  const id = await bookingLink({ availability_rules: EVERY_DAY.filter(({ dayOfWeek }) => dayOfWeek === 1) });
  const { status, body } = await get({ bookingLinkId: id, year: "2024", month: "2" }, `${BASE}/month`);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    success: true,
    data: {
      year: 2024,
      month: 2,
      timezone: "UTC",
      bookingLinkTimezone: "Asia/Kathmandu",
      bookingLink: { id, name: "Interview", duration_minutes: 60, timezone: "Asia/Kathmandu" },
      availableDates: ["05", "12", "19", "26"].map((day) => ({ date: `2024-02-${day}`, slots: 1 })),
    },
  });
});

Deno.test("GET /api/availability/link returns what guests may know, by ID or slugs, to anyone and by rpc", async () => {
  const questions = [{ id: "topic", label: "Topic?", isRequired: true }, { id: "more", label: "More?" }];
  const id = await bookingLink({ description: "About trains", slug: "Talk", questions, buffer_before_minutes: 5 });
  const { status, body } = await get({ bookingLinkId: id }, `${BASE}/link`);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    success: true,
    data: {
      bookingLink: {
        id,
        slug: "talk",
        name: "Interview",
        description: "About trains",
        duration_minutes: 60,
        timezone: "Asia/Kathmandu",
        questions,
      },
      podcast: { id: show.id, slug: show.slug, title: "Bookable", coverImageUrl: null },
    },
  });
  assert.deepEqual((await get({ podcast: show.slug, link: "talk" }, `${BASE}/link`)).body, body);
  const names = { podcast_slug: show.slug, link_slug: "talk" };
  const { data } = await (await person("stranger")).client.rpc("get_public_booking_link", names, { get: true });
  assert.deepEqual(data, body.data);
});

Deno.test("availability returns 400 that names the wrong parameter", async () => {
  const day = { bookingLinkId: link, date };
  for (
    const [query, details] of [
      [{ date }, /^bookingLinkId: /],
      [{ ...day, bookingLinkId: "7" }, /^bookingLinkId: /],
      [{ bookingLinkId: link }, /^date: /],
      [{ ...day, date: "2026-02-30" }, /^date: must be a date as YYYY-MM-DD/],
      [{ ...day, date: "07.12.2026" }, /^date: /],
      [{ ...day, date: "0000-01-01" }, /^date: /],
      [{ ...day, timezone: "Mars/Base" }, /^timezone: must be an IANA time zone/],
      [{ ...day, timezone: "" }, /^timezone: /],
      [{ ...day, timezone: "a".repeat(5000) }, /^timezone: /],
    ] as const
  ) assertError(await get(query), 400, { details });
  const month = { bookingLinkId: link, year: "2026", month: "2" };
  for (
    const [query, details] of [
      [{ ...month, year: "1969" }, /^year: must be an integer from 1970 to 9999/],
      [{ ...month, year: "26" }, /^year: /],
      [{ ...month, month: "13" }, /^month: must be an integer from 1 to 12/],
      [{ ...month, month: "0" }, /^month: /],
      [{ bookingLinkId: link, year: "2026" }, /^month: /],
      [{ ...month, timezone: "Mars/Base" }, /^timezone: /],
    ] as const
  ) assertError(await get(query, `${BASE}/month`), 400, { details });
  for (
    const [query, details] of [
      [{ bookingLinkId: "7" }, /^bookingLinkId: /],
      [{}, /either the ID of the booking link, or the slugs/],
      [{ podcast: show.slug }, /^Provide either/],
      [{ link: "talk" }, /^Provide either/],
      [{ bookingLinkId: link, podcast: show.slug, link: "talk" }, /^Provide either/],
    ] as const
  ) assertError(await get(query, `${BASE}/link`), 400, { details });
});

Deno.test("availability returns 404 for links that do not exist for guests", async () => {
  assertError(await get({ podcast: show.slug, link: "unknown" }, `${BASE}/link`), 404);
  const inactive = await bookingLink({ is_active: false });
  const leaving = await podcast("Leaving");
  const theirs = await bookingLink({}, leaving.id);
  await scheduleDeletion(leaving);
  for (const bookingLinkId of [crypto.randomUUID(), inactive, theirs]) {
    assertError(await get({ bookingLinkId, date }), 404, { error: "Booking link not found" });
    assertError(await get({ bookingLinkId, year: "2026", month: "2" }, `${BASE}/month`), 404);
    assertError(await get({ bookingLinkId }, `${BASE}/link`), 404, { error: "Booking link not found" });
  }
});

Deno.test("GET /api/availability returns 500 without an owner or admin", async () => {
  const orphaned = await podcast("Orphaned");
  const id = await bookingLink({}, orphaned.id);
  await sql.begin(async (sql) => {
    await sql`alter table public.podcast_members disable trigger t310_guard_owner`;
    await sql`delete from public.podcast_members where podcast_id = ${orphaned.id}`;
    await sql`alter table public.podcast_members enable trigger t310_guard_owner`;
  });
  assertError(await get({ bookingLinkId: id, date }), 500);
});
