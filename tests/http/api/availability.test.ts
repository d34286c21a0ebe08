// /api/availability: slots and dates for anyone.
import assert from "node:assert/strict";
import { assertError, callRpc, person, podcast, sendRequest } from "../harness.ts";

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

Deno.test("GET /api/availability returns date, slots and message alone for a date that cannot be booked", async () => {
  const day = dateIn(61), { status, body } = await get({ bookingLinkId: link, date: day });
  const message = "This session can be booked at most 60 days ahead; choose an earlier date";
  assert.deepEqual([status, body], [200, { success: true, data: { date: day, slots: [], message } }]);
});

Deno.test("GET /api/availability/link returns what guests may know, by ID or slugs, to anyone", async () => {
  const questions = [{ id: "topic", label: "Topic?", isRequired: true }, { id: "more", label: "More?" }];
  const id = await bookingLink({
    description: "About trains",
    slug: "Talk",
    questions,
    buffer_before_minutes: 5,
    location: { type: "link", value: "https://meet.example/room" },
    requires_confirmation: false,
  });
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
        location: { type: "link" },
        requires_confirmation: false,
      },
      podcast: { id: show.id, slug: show.slug, title: "Bookable", coverImageUrl: null },
    },
  });
  assert.deepEqual((await get({ podcast: show.slug, link: "talk" }, `${BASE}/link`)).body, body);
});

Deno.test("availability returns 400 that names the wrong parameter, and 404 for an unknown link", async () => {
  const day = { bookingLinkId: link, date }, month = { bookingLinkId: link, year: "2026", month: "2" };
  const slugs = { podcast: show.slug, link: "unknown" };
  for (
    const [path, valid, changed, details] of [
      ["", day, { bookingLinkId: "7" }, /^bookingLinkId: /],
      ["", day, { date: "2026-02-30" }, /^date: must be a date as YYYY-MM-DD/],
      ["", day, { date: "0000-01-01" }, /^date: /],
      ["", day, { timezone: "Mars/Base" }, /^timezone: must be an IANA time zone/],
      ["", day, { timezone: "" }, /^timezone: /],
      ["", day, { timezone: "a".repeat(5000) }, /^timezone: /],
      ["/month", month, { year: "26" }, /^year: must be an integer from 1970 to 9999/],
      ["/month", month, { month: "0" }, /^month: must be an integer from 1 to 12/],
      ["/month", month, { timezone: "Mars/Base" }, /^timezone: /],
      ["/link", {}, {}, /either the ID of the booking link, or the slugs/],
      ["/link", {}, { podcast: show.slug }, /^Provide either/],
      ["/link", slugs, { bookingLinkId: link }, /^Provide either/],
    ] as const
  ) assertError(await get({ ...valid, ...changed }, BASE + path), 400, { details });
  const unknown = { bookingLinkId: crypto.randomUUID() };
  for (const [path, query] of [["", day], ["/month", month], ["/link", {}]] as const) {
    assertError(await get({ ...query, ...unknown }, BASE + path), 404, { error: "Booking link not found" });
  }
  assertError(await get(slugs, `${BASE}/link`), 404);
});
