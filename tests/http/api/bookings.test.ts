// /api/bookings: requests of guests, and what hosts do with them.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import {
  assertError,
  assertKeys,
  episode,
  person,
  podcast,
  type RequestOptions,
  sendRequest,
  sql,
  stackInfo,
} from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, booked, fieldsOf, newGuest, openLink, post, request, slot } from "./bookings.ts";

const show = await podcast("Booked"), pilot = await episode(show), link = await openLink(show);
const list = (query: Record<string, string>, as: RequestOptions["as"] = "admin") =>
  sendRequest({ method: "GET", path: `${BASE}?${new URLSearchParams({ podcastId: show.id, ...query })}`, as });

const known = await booked(link, 1);
const HOST_ROUTES: Record<string, () => Promise<{ path: string; json?: unknown }>> = {
  [`GET ${BASE}`]: () => Promise.resolve({ path: `${BASE}?podcastId=${show.id}` }),
  [`POST ${BASE}/:id/confirm`]: () => Promise.resolve({ path: `${BASE}/${known.id}/confirm` }),
  [`POST ${BASE}/:id/decline`]: () => Promise.resolve({ path: `${BASE}/${known.id}/decline`, json: { message: "No" } }),
  [`POST ${BASE}/:id/cancel`]: () => Promise.resolve({ path: `${BASE}/${known.id}/cancel`, json: {} }),
  [`POST ${BASE}/:id/reschedule`]: () =>
    Promise.resolve({ path: `${BASE}/${known.id}/reschedule`, json: { startTime: slot(2) } }),
  [`PUT ${BASE}/:id/location`]: () =>
    Promise.resolve({ path: `${BASE}/${known.id}/location`, json: { location: { type: "phone", value: "+49 1" } } }),
};
for (const [route, options] of Object.entries(HOST_ROUTES)) {
  assertAccessMatrix(route, options, { anon: 401, stranger: 403, member: 403 });
  if (!route.includes(":id")) continue;
  Deno.test(`${route} returns 404 for an unknown booking and 400 for a malformed id`, async () => {
    const { path, json } = await options();
    for (const [id, status] of [[crypto.randomUUID(), 404], ["x", 400]] as const) {
      const unknown = path.replace(known.id, id);
      assertError(await sendRequest({ method: route.split(" ")[0], path: unknown, as: "admin", json }), status);
    }
  });
}

Deno.test("POST /api/bookings returns 201 with the booking, the link and the podcast to anyone", async () => {
  const own = await openLink(show, {
    questions: [{ id: "topic", label: "Topic?", isRequired: true }],
    duration_minutes: 30,
    location: { type: "link", value: "https://meet.example/room" },
  });
  const guestEmail = newGuest();
  const { status, body, text } = await request(fieldsOf(own, 100, {
    guestEmail: ` ${guestEmail.toUpperCase()} `,
    guestTimezone: "Europe/Berlin",
    notes: "Hi\r\nthere",
    answers: { topic: "Trains" },
    episodeId: pilot.id,
    locale: "de-AT",
  }));
  assert.equal(status, 201, text);
  const { booking: { id, createdAt, expiresAt, ...booking }, ...data } = body.data;
  assertKeys(body, "success", "data");
  assert.deepEqual(booking, {
    name: "Interview",
    status: "pending",
    start: slot(100),
    end: slot(100.5),
    guestName: "Gus Gray",
    guestEmail,
    guestVerifiedAt: null,
    guestTimezone: "Europe/Berlin",
    notes: "Hi\nthere",
    answers: { topic: "Trains" },
    location: { type: "link", value: null },
    requiresConfirmation: true,
    statusMessage: null,
    cancelledBy: null,
  });
  assert.deepEqual(data, {
    link: { id: own, name: "Interview", duration_minutes: 30, timezone: "UTC" },
    podcast: { id: show.id, slug: show.slug, title: "Booked", coverImageUrl: null },
    email: { status: "queued", dueAt: createdAt },
  });
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 72 * 3_600_000);
  const [row] = await sql`select episode_id, guest_locale from public.bookings where id = ${id}`;
  assert.deepEqual({ ...row }, { episode_id: pilot.id, guest_locale: "de-AT" });
});

Deno.test("POST /api/bookings returns 400 that names an invalid field, 404 and 409", async () => {
  for (
    const [fields, details] of [
      [{ startTime: "2026-12-01T10:00:00" }, /^startTime: /],
      [{ answers: { unknown: 1 } }, /^answers\.unknown: /],
      [{ bookingLinkId: "x" }, /^bookingLinkId: /],
      [{ status: "confirmed" }, /status/],
    ] as const
  ) assertError(await request(fieldsOf(link, 3, fields)), 400, { details });
  assertError(await request(fieldsOf(link, 3, { guestEmail: "nobody" })), 400, { error: /^guest_email must be/ });
  assertError(await request(undefined), 400);
  assertError(await request(fieldsOf(crypto.randomUUID(), 3)), 404);
  assertError(await request(fieldsOf(link, 0.5)), 409, { code: "SLOT_UNAVAILABLE" });
});

Deno.test("POST /api/bookings verifies a signed-in guest, and returns 401 for an invalid token", async () => {
  const invalid = { method: "POST", path: BASE, json: fieldsOf(link, 4), as: { token: "a.b.c" } };
  assertError(await sendRequest(invalid), 401);
  const own = await openLink(show), { email: guestEmail } = await person("stranger");
  const { status, body } = await post("", fieldsOf(own, 0, { guestEmail }), "stranger");
  assert.equal(status, 201);
  assert.match(body.data.booking.guestVerifiedAt, /Z$/);
  const anonymous = await post("", fieldsOf(own, 1), "anonymous");
  assert.equal(anonymous.body.data.booking.guestVerifiedAt, null);
});

Deno.test("POST /api/bookings repeats the first response for an Idempotency-Key", async () => {
  const json = fieldsOf(await openLink(show), 5), key = { "idempotency-key": "order/1" };
  const first = await request(json, key), again = await request(json, key);
  assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text]);
  assertError(await request({ ...json, startTime: slot(6) }, key), 409, { code: "IDEMPOTENCY_KEY_REUSED" });
  assertError(await request(json, { "idempotency-key": "" }), 400, { error: /idempotency key/ });
});

Deno.test("POST /api/bookings returns 429 over ten requests of an IP address, by HTTP or RPC", async () => {
  const own = await openLink(show),
    client = createClient(stackInfo.url, stackInfo.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false },
    });
  for (let n = 0; n < 5; n++) {
    const forged = { "x-forwarded-for": `192.0.2.${n}` };
    assert.equal((await request(fieldsOf(own, 2 * n), forged)).status, 201);
    const { status, error } = await client.rpc("request_booking", {
      booking_link_id: own,
      start_time: slot(2 * n + 1),
      guest_name: "Gus",
      guest_email: newGuest(),
    });
    assert.equal(status, 201, error?.message);
  }
  const response = await request(fieldsOf(own, 20));
  assertError(response, 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
  const rejected = await client.rpc("request_booking", {
    booking_link_id: own,
    start_time: slot(21),
    guest_name: "Gus",
    guest_email: newGuest(),
  });
  assert.deepEqual([rejected.status, rejected.error?.hint], [429, "RATE_LIMITED"]);
});

Deno.test("preflight of POST /api/bookings allows the header Idempotency-Key", async () => {
  const { headers } = await sendRequest({ method: "OPTIONS", path: BASE });
  assert.ok(headers.get("access-control-allow-headers")!.split(", ").includes("idempotency-key"));
});

Deno.test("POST /api/bookings/{id}/confirm, …/reschedule, …/decline and …/cancel return the booking", async () => {
  const confirmed = await booked(link, 10), moved = await booked(link, 12), declined = await booked(link, 14);
  const common = {
    podcastId: show.id,
    bookingLinkId: link,
    episodeId: null,
    name: "Interview",
    guestName: "Gus Gray",
    guestVerifiedAt: null,
    guestTimezone: "UTC",
    guestLocale: "en",
    notes: null,
    answers: {},
    location: null,
    requiresConfirmation: true,
    statusMessage: null,
    cancelledBy: null,
  };
  const done = (status: string, n: number, more = {}) => ({ status, start: slot(n), end: slot(n + 1), ...more });
  for (
    const [booking, verb, json, expected] of [
      [confirmed, "confirm", { episodeId: pilot.id }, done("confirmed", 10, { episodeId: pilot.id })],
      [moved, "reschedule", { startTime: slot(12.25) }, done("pending", 12.25)],
      [declined, "decline", { message: "Sorry" }, done("declined", 14, { statusMessage: "Sorry" })],
      [moved, "cancel", { message: "Ill" }, done("cancelled", 12.25, { statusMessage: "Ill", cancelledBy: "host" })],
    ] as const
  ) {
    const { status, body, text } = await post(`/${booking.id}/${verb}`, json, "admin");
    assert.equal(status, 200, text);
    const { createdAt: _, updatedAt: __, guestToldAt, expiresAt, ...data } = body.data;
    assert.match(guestToldAt, /Z$/);
    assert.equal(expiresAt === null, data.status !== "pending");
    const { id, guestEmail } = booking;
    assert.deepEqual(data, { ...common, id, guestEmail, ...expected });
  }
  assertError(await post(`/${confirmed.id}/decline`, {}, "admin"), 409, { code: "INVALID_STATUS_CHANGE" });
  assertError(await post(`/${confirmed.id}/cancel`, { message: 5 }, "admin"), 400, { details: /^message: / });
  assertError(await post(`/${confirmed.id}/reschedule`, {}, "admin"), 400, { details: /^startTime: / });
});

Deno.test("PUT /api/bookings/{id}/location returns the booking, whose guest sees the place once it is confirmed", async () => {
  const booking = await booked(link, 16), location = { type: "link", value: "https://meet.example/room" };
  const put = (json: unknown) =>
    sendRequest({ method: "PUT", path: `${BASE}/${booking.id}/location`, as: "admin", json });
  const { status, body } = await put({ location });
  assert.equal(status, 200);
  assert.deepEqual(body.data.location, location);
  assert.deepEqual((await post(`/${booking.id}/confirm`, {}, "admin")).body.data.location, location);
  assert.equal((await put({ location: null })).body.data.location, null);
  assertError(await put({}), 400, { details: /^location: / });
  assertError(await put({ location: { type: "link", value: "x" } }), 400, { details: /^location\.value: must be an/ });
});

Deno.test("GET /api/bookings lists a podcast's bookings by time, in pages, and filters", async () => {
  const own = await podcast("Listed"), open = await openLink(own);
  const later = await booked(open, 3), earlier = await booked(open, 1);
  const page = async (query: Record<string, string>) => {
    const { body: { success: _, data, pagination } } = await list({ podcastId: own.id, ...query });
    return [data.map(({ id }: { id: string }) => id), pagination.hasMore, pagination.nextCursor];
  };
  const [first, hasMore, cursor] = await page({ limit: "1" });
  assert.deepEqual([first, hasMore], [[earlier.id], true]);
  assert.deepEqual(await page({ limit: "1", cursor }), [[later.id], false, null]);
  const range = { status: "pending", from: slot(2), to: slot(4) };
  assert.deepEqual(await page(range), [[later.id], false, null]);
  assert.deepEqual(await page({ ...range, episodeId: pilot.id }), [[], false, null]);
  for (const name of ["limit", "cursor", "status", "from", "to", "episodeId"]) {
    assertError(await list({ podcastId: own.id, [name]: "x" }), 400);
  }
  assertError(await list({ podcastId: crypto.randomUUID() }), 404);
});
