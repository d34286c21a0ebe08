// /api/booking-links: admins manage what guests can book.
import assert from "node:assert/strict";
import { assertError, assertKeys, podcast, type RequestOptions, sendRequest } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";

const BASE = "/api/booking-links";
const show = await podcast("Links");
const RULE = { dayOfWeek: 1, startTime: "09:00", endTime: "24:00" };
const FIELDS = [
  ..."id podcast_id slug name description duration_minutes timezone buffer_before_minutes buffer_after_minutes".split(
    " ",
  ),
  ..."date_overrides conflict_scope".split(" "),
  ..."min_notice_hours max_advance_days availability_rules questions location requires_confirmation is_active".split(
    " ",
  ),
  "created_at",
  "updated_at",
];

const create = (json: object = {}, as: RequestOptions["as"] = "admin") =>
  sendRequest({
    method: "POST",
    path: BASE,
    as,
    json: { podcast_id: show.id, name: "Interview", timezone: "Europe/Berlin", ...json },
  });
const update = (id: string, json: object, as: RequestOptions["as"] = "admin") =>
  sendRequest({ method: "PUT", path: `${BASE}/${id}`, as, json });
const remove = (id: string, as: RequestOptions["as"] = "admin") =>
  sendRequest({ method: "DELETE", path: `${BASE}/${id}`, as });
const list = (podcastId = show.id, as: RequestOptions["as"] = "admin") =>
  sendRequest({ method: "GET", path: `${BASE}?podcastId=${podcastId}`, as });
const newLink = async (json: object = {}): Promise<string> => (await create(json)).body.data.id;

const listing = () => Promise.resolve({ path: `${BASE}?podcastId=${show.id}` });
const creating = () =>
  Promise.resolve({ path: BASE, json: { podcast_id: show.id, name: "Interview", timezone: "UTC" } });
const kept = await newLink();
const changing = () => Promise.resolve({ path: `${BASE}/${kept}`, json: { name: "Interview" } });
const removing = async () => ({ path: `${BASE}/${await newLink()}` });
const explaining = () => Promise.resolve({ path: `${BASE}/${kept}/explanation?date=2026-12-07` });
const ROUTES = {
  [`GET ${BASE}`]: listing,
  [`POST ${BASE}`]: creating,
  [`PUT ${BASE}/:id`]: changing,
  [`DELETE ${BASE}/:id`]: removing,
  [`GET ${BASE}/:id/explanation`]: explaining,
};
for (const [route, request] of Object.entries(ROUTES)) {
  assertAccessMatrix(route, request, { anon: 401, stranger: 403, member: 403 });
}

Deno.test("POST /api/booking-links creates a link with defaults, and all fields come back", async () => {
  const { status, body } = await create({ name: "A  chat" }, "owner");
  assert.equal(status, 201);
  assertKeys(body, "success", "data");
  assertKeys(body.data, ...FIELDS);
  const { id: _, created_at, updated_at, ...rest } = body.data;
  for (const time of [created_at, updated_at]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    podcast_id: show.id,
    slug: "a-chat",
    name: "A chat",
    description: "",
    duration_minutes: 60,
    timezone: "Europe/Berlin",
    buffer_before_minutes: 0,
    buffer_after_minutes: 0,
    min_notice_hours: null,
    max_advance_days: null,
    availability_rules: [],
    questions: [],
    date_overrides: [],
    conflict_scope: "link",
    location: null,
    requires_confirmation: true,
    is_active: true,
  });
  const all = {
    name: "Everything",
    slug: "all",
    description: "Line\nbreaks",
    duration_minutes: 5,
    timezone: "Pacific/Apia",
    buffer_before_minutes: 1,
    buffer_after_minutes: 720,
    min_notice_hours: 0,
    max_advance_days: 365,
    availability_rules: [RULE, RULE],
    questions: [{ id: "bio", label: "Who are you?", isRequired: true }],
    date_overrides: [
      { date: "2026-12-24", windows: [] },
      { date: "2026-12-31", windows: [{ startTime: "09:00", endTime: "24:00" }] },
    ],
    conflict_scope: "podcast",
    location: { type: "in_person", value: "Studio 1" },
    requires_confirmation: false,
    is_active: false,
  };
  const { id: __, podcast_id: ___, created_at: ____, updated_at: _____, ...made } = (await create(all)).body.data;
  assert.deepEqual(made, all);
});

Deno.test("PUT /api/booking-links/:id changes the named fields alone", async () => {
  const { body: { data: before } } = await create({ min_notice_hours: 3, availability_rules: [RULE] });
  const { status, body } = await update(before.id, { duration_minutes: 15, min_notice_hours: null });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    success: true,
    data: { ...before, duration_minutes: 15, min_notice_hours: null, updated_at: body.data.updated_at },
  });
  assertError(await update(before.id, {}), 400, { error: /^Provide at least one of: / });
});

Deno.test("GET /api/booking-links lists a podcast's links, oldest first", async () => {
  const { id } = await podcast("Listed");
  assert.deepEqual((await list(id)).body, { success: true, data: [] });
  const first = await newLink({ podcast_id: id, name: "First" });
  const second = await newLink({ podcast_id: id, name: "Second", is_active: false });
  const { body } = await list(id);
  assert.deepEqual(body.data.map(({ id }: { id: string }) => id), [first, second]);
  for (const link of body.data) assertKeys(link, ...FIELDS);
});

Deno.test("DELETE /api/booking-links/:id returns the id", async () => {
  const id = await newLink(), { status, body } = await remove(id);
  assert.deepEqual([status, body], [200, { success: true, data: { id } }]);
});

Deno.test("GET /api/booking-links/:id/explanation returns each time of a date with the step that drops it", async () => {
  const day = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
  const id = await newLink({
    timezone: "UTC",
    date_overrides: [{ date: day, windows: [{ startTime: "09:00", endTime: "11:00" }] }],
  });
  const explain = (date: string) =>
    sendRequest({ method: "GET", path: `${BASE}/${id}/explanation?date=${date}`, as: "admin" });
  const request = await sendRequest({
    method: "POST",
    path: "/api/bookings",
    json: { bookingLinkId: id, startTime: `${day}T10:00:00Z`, guestName: "Gil", guestEmail: "gil@guests.test" },
  });
  assert.equal(request.status, 201);
  const free = { reason: null, calendar: null, booking: null };
  const start = `${day}T10:00:00.000Z`, end = `${day}T11:00:00.000Z`;
  const { status, body } = await explain(day);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    success: true,
    data: {
      date: day,
      bookingLinkTimezone: "UTC",
      reason: null,
      times: [{ start: `${day}T09:00:00.000Z`, end: start, ...free }, {
        start,
        end,
        reason: "booking",
        calendar: null,
        booking: {
          id: request.body.data.booking.id,
          bookingLinkId: id,
          guestName: "Gil",
          status: "pending",
          start,
          end,
        },
      }],
    },
  });
  assert.deepEqual((await explain("2026-01-01")).body.data, {
    date: "2026-01-01",
    bookingLinkTimezone: "UTC",
    reason: "no_rule",
    times: [],
  });
  assertError(await explain("2026-02-30"), 400, { details: /^date: / });
});

Deno.test("booking links return 400 that names what is wrong, 404 and 409", async () => {
  for (
    const [json, details] of [
      [{ name: 5 }, /^name: /],
      [{ timezone: "Mars/Base" }, /^timezone: must be an IANA time zone/],
      [{ duration_minutes: 4 }, /^duration_minutes: /],
      [{ max_advance_days: 366 }, /^max_advance_days: /],
      [{ availability_rules: [RULE, { ...RULE, dayOfWeek: 7 }] }, /^availability_rules\[1\]\.dayOfWeek: /],
      [{ availability_rules: [{ ...RULE, endTime: "25:00" }] }, /^availability_rules\[0\]\.endTime: /],
      [{ questions: [{ id: "a b", label: "A" }] }, /^questions\[0\]\.id: /],
      [{ date_overrides: [{ date: "2026-02-30", windows: [] }] }, /^date_overrides\[0\]\.date: /],
      [
        { date_overrides: [{ date: "2026-12-24", windows: [{ startTime: "9:00", endTime: "10:00" }] }] },
        /^date_overrides/,
      ],
      [{ conflict_scope: "user" }, /^conflict_scope: /],
      [{ location: { type: "zoom", value: "A" } }, /^location\.type: /],
      [{ location: { type: "link", value: "ftp://a.test" } }, /^location\.value: must be an http or https URL/],
    ] as const
  ) {
    assertError(await create(json), 400, { details });
    assertError(await update(kept, json), 400, { details });
  }
  assertError(await create({ name: undefined }), 400, { details: /^name: / });
  for (const [id, status] of [["x", 400], [crypto.randomUUID(), 404]] as const) {
    for (const response of [await update(id, { name: "New" }), await remove(id), await list(id)]) {
      assertError(response, status);
    }
  }
  await newLink({ slug: "used" });
  assertError(await create({ slug: "Used" }), 409, { code: "SLUG_TAKEN" });
});
