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
  scheduleDeletion,
  sendRequest,
  sql,
  stackInfo,
} from "../harness.ts";
import { assertAccessMatrix, assertReachable } from "../access_matrix.ts";
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
};
for (const [route, options] of Object.entries(HOST_ROUTES)) {
  assertAccessMatrix(route, options, { anon: 401, stranger: 403, member: 403 });
  assertReachable(route, options);
}
assertReachable(`POST ${BASE}`, () => Promise.resolve({ path: BASE, json: fieldsOf(link, -2) }));
for (const path of ["/guest", "/guest/verify", "/guest/cancel", "/guest/reschedule"]) {
  assertReachable(
    `POST ${BASE}${path}`,
    () => Promise.resolve({ path: BASE + path, json: { accessToken: "x", startTime: slot(1) } }),
  );
}

Deno.test("POST /api/bookings returns 201 with the booking, the link and the podcast to anyone", async () => {
  const own = await openLink(show, {
    questions: [{ id: "topic", label: "Topic?", isRequired: true }],
    duration_minutes: 30,
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

Deno.test("POST /api/bookings takes a slot that availability then no longer offers", async () => {
  const own = await openLink(show), date = slot(50).slice(0, 10);
  const offered = async () => {
    const path = `/api/availability?bookingLinkId=${own}&date=${date}`;
    const { body } = await sendRequest({ method: "GET", path });
    return body.data.slots.map(({ start }: { start: string }) => start) as string[];
  };
  const before = await offered();
  assert.ok(before.includes(slot(50)));
  assert.equal((await request(fieldsOf(own, 50))).status, 201);
  assert.deepEqual(await offered(), before.filter((start) => start !== slot(50)));
  assertError(await request(fieldsOf(own, 50)), 409, { code: "SLOT_UNAVAILABLE" });
});

Deno.test("POST /api/bookings returns 409 for a time that is not a slot", async () => {
  for (const startTime of [slot(0.5), slot(-5), "9999-12-31T23:59:59Z", slot(24 * 63)]) {
    assertError(await request(fieldsOf(link, 0, { startTime })), 409, { code: "SLOT_UNAVAILABLE" });
  }
});

Deno.test("POST /api/bookings returns 400 for invalid fields and names them", async () => {
  for (
    const [fields, message] of [
      [{ startTime: "tomorrow" }, /startTime/],
      [{ startTime: "2026-12-01T10:00:00" }, /startTime/],
      [{ guestEmail: "nobody" }, /guest_email/],
      [{ guestEmail: "a@b.test, c@d.test" }, /guest_email/],
      [{ guestName: " \n" }, /guest_name/],
      [{ guestName: "x".repeat(201) }, /guest_name/],
      [{ guestTimezone: "Mars/Olympus" }, /guest_timezone/],
      [{ locale: "no language" }, /locale must be a BCP 47 tag/],
      [{ notes: "x".repeat(4001) }, /notes/],
      [{ answers: { unknown: "x" } }, /unknown question unknown/],
      [{ answers: { unknown: 1 } }, /answers/],
      [{ answers: "x" }, /answers/],
      [{ bookingLinkId: "x" }, /bookingLinkId/],
      [{ status: "confirmed" }, /status/],
    ] as const
  ) {
    const response = await request(fieldsOf(link, 3, fields));
    assertError(response, 400);
    assert.match(response.text, message, JSON.stringify(fields));
  }
  assertError(await request(undefined), 400);
});

Deno.test("POST /api/bookings returns 404 for unknown and inactive links, deleted podcasts and foreign episodes", async () => {
  const other = await podcast("Other"), foreign = await episode(other);
  assertError(await request(fieldsOf(crypto.randomUUID(), 3)), 404);
  assertError(await request(fieldsOf(await openLink(show, { is_active: false }), 3)), 404);
  assertError(await request(fieldsOf(link, 3, { episodeId: foreign.id })), 404);
  const theirs = await openLink(other);
  await scheduleDeletion(other);
  assertError(await request(fieldsOf(theirs, 3)), 404);
});

Deno.test("of fifty requests for one slot at once, one returns 201 and the others 409", async () => {
  const own = await openLink(show), json = Array.from({ length: 50 }, () => fieldsOf(own, 9));
  await sql`select private.set_setting('max_bookings_per_hour', '1000')`;
  try {
    const statuses = (await Promise.all(json.map((one) => request(one)))).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(49).fill(409)]);
  } finally {
    await sql`select private.set_setting('max_bookings_per_hour', null)`;
  }
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

Deno.test("POST /api/bookings returns 429 for the sixth email a day of a network to an unverified address", async () => {
  const own = await openLink(show), guestEmail = newGuest();
  for (let n = 0; n < 5; n++) assert.equal((await request(fieldsOf(own, n, { guestEmail }))).status, 201);
  const response = await request(fieldsOf(own, 5, { guestEmail }));
  assertError(response, 429, { code: "RATE_LIMITED", error: /emails/, rate_limit_reset_at: /Z$/ });
});

Deno.test("POST /api/bookings says when the email is sent if many wrote to the address", async () => {
  const own = await openLink(show), guestEmail = newGuest();
  await sql`select private.recipient_email_time('podcast:x', ${guestEmail}, now()) from generate_series(1, 20)`;
  const { status, body } = await request(fieldsOf(own, 48, { guestEmail }));
  assert.equal(status, 201);
  assert.equal(body.data.email.status, "waiting");
  const { booking: { id, createdAt }, email: { dueAt } } = body.data;
  const wait = Date.parse(dueAt) - Date.parse(createdAt);
  assert.ok(wait > 86_000_000 && wait <= 86_400_000, `${wait}`);
  const [{ due_at }] = await sql`
    select d.due_at from private.delivery_addresses a join public.notification_deliveries d on d.id = a.delivery_id
    where a.access ->> 'subject_id' = ${id}`;
  assert.equal(due_at.toISOString(), dueAt);
});

Deno.test("POST /api/bookings returns 401 for an invalid token, and 201 to an anonymous user", async () => {
  const response = await sendRequest({ method: "POST", path: BASE, json: fieldsOf(link, 0), as: { token: "a.b.c" } });
  assertError(response, 401);
  const { body } = await post("", fieldsOf(await openLink(show), 0), "anonymous");
  assert.equal(body.data.booking.guestVerifiedAt, null);
});

Deno.test("POST /api/bookings repeats the first response for an Idempotency-Key", async () => {
  const own = await openLink(show), json = fieldsOf(own, 5), key = { "idempotency-key": "order/1" };
  const first = await request(json, key);
  assert.equal(first.status, 201);
  const again = await request(json, key);
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assertError(await request({ ...json, startTime: slot(6) }, key), 409, { code: "IDEMPOTENCY_KEY_REUSED" });
  assertError(await request(json), 409, { code: "SLOT_UNAVAILABLE" });
  for (const bad of ["", "a b", "x".repeat(201)]) {
    assertError(await request(json, { "idempotency-key": bad }), 400, { error: /idempotency key/ });
  }
  const [{ bookings }] = await sql`
    select count(*)::int as bookings from public.bookings where booking_link_id = ${own}`;
  assert.equal(bookings, 1);
});

Deno.test("preflight of POST /api/bookings allows the header Idempotency-Key", async () => {
  const { headers } = await sendRequest({ method: "OPTIONS", path: BASE });
  assert.ok(headers.get("access-control-allow-headers")!.split(", ").includes("idempotency-key"));
});

Deno.test("POST /api/bookings/{id}/confirm returns the booking", async () => {
  const { id, guestEmail } = await booked(link, 10);
  const { status, body, text } = await post(`/${id}/confirm`, { episodeId: pilot.id }, "admin");
  assert.equal(status, 200, text);
  const { createdAt: _, updatedAt: _updated, guestToldAt, ...data } = body.data;
  assert.match(guestToldAt, /Z$/);
  assert.deepEqual(data, {
    id,
    podcastId: show.id,
    bookingLinkId: link,
    episodeId: pilot.id,
    name: "Interview",
    status: "confirmed",
    start: slot(10),
    end: slot(11),
    guestName: "Gus Gray",
    guestEmail,
    guestVerifiedAt: null,
    guestTimezone: "UTC",
    guestLocale: "en",
    notes: null,
    answers: {},
    statusMessage: null,
    cancelledBy: null,
    expiresAt: null,
  });
  assertError(await post(`/${id}/confirm`, {}, "owner"), 409, { code: "INVALID_STATUS_CHANGE" });
  assertError(await post(`/${id}/decline`, {}, "owner"), 409, { code: "INVALID_STATUS_CHANGE" });
  const foreign = await episode(await podcast("Another"));
  assertError(await post(`/${(await booked(link, 12)).id}/confirm`, { episodeId: foreign.id }, "admin"), 404);
});

Deno.test("POST /api/bookings/{id}/decline and /cancel return the booking with the message", async () => {
  for (const [path, status, n] of [["decline", "declined", 14], ["cancel", "cancelled", 16]] as const) {
    const { id } = await booked(link, n);
    assertError(await post(`/${id}/${path}`, { message: "x".repeat(2001) }, "admin"), 400, { error: /message/ });
    const { body } = await post(`/${id}/${path}`, { message: "Sorry" }, "admin");
    assert.deepEqual([body.data.status, body.data.statusMessage], [status, "Sorry"]);
    assert.equal(body.data.cancelledBy, path === "cancel" ? "host" : null);
  }
});

Deno.test("POST /api/bookings/{id}/reschedule moves a booking to any free time", async () => {
  const own = await openLink(show), { id } = await booked(own, 18);
  await booked(own, 20);
  const { body } = await post(`/${id}/reschedule`, { startTime: slot(18.25) }, "admin");
  assert.deepEqual([body.data.start, body.data.end, body.data.status], [slot(18.25), slot(19.25), "pending"]);
  const offset = slot(30).replace("Z", "+00:00");
  assert.equal((await post(`/${id}/reschedule`, { startTime: offset }, "admin")).body.data.start, slot(30));
  assertError(await post(`/${id}/reschedule`, { startTime: slot(20.5) }, "admin"), 409, { code: "SLOT_UNAVAILABLE" });
  assertError(await post(`/${id}/reschedule`, { startTime: slot(-3) }, "admin"), 400, { error: /start_time/ });
  assertError(await post(`/${id}/reschedule`, {}, "admin"), 400);
});

Deno.test("the changes of an unknown booking return 404", async () => {
  for (
    const [path, json] of [["confirm", {}], ["decline", {}], ["cancel", {}], ["reschedule", { startTime: slot(1) }]]
  ) {
    assertError(await post(`/${crypto.randomUUID()}/${path}`, json, "admin"), 404);
  }
});

Deno.test("GET /api/bookings lists a podcast's bookings by time, in pages", async () => {
  const own = await podcast("Listed"), open = await openLink(own);
  const ids = [];
  for (const n of [3, 1, 2]) ids.unshift((await booked(open, n)).id);
  const [second, first, third] = ids;
  await post(`/${first}/confirm`, { episodeId: (await episode(own)).id }, "admin");
  const page = async (query: Record<string, string>) => {
    const { body } = await list({ podcastId: own.id, ...query });
    return [body.data.map(({ id }: { id: string }) => id), body.pagination.hasMore, body.pagination.nextCursor];
  };
  const [ids1, hasMore, cursor] = await page({ limit: "2" });
  assert.deepEqual([ids1, hasMore], [[first, second], true]);
  assert.deepEqual(await page({ limit: "2", cursor }), [[third], false, null]);
  assert.deepEqual((await page({ status: "confirmed" }))[0], [first]);
  assert.deepEqual((await page({ from: slot(2), to: slot(3) }))[0], [second]);
  for (const query of [{ limit: "0" }, { limit: "101" }, { cursor: "x" }, { status: "x" }, { from: "x" }] as const) {
    assertError(await list(query as unknown as Record<string, string>), 400);
  }
  assertError(await list({ podcastId: crypto.randomUUID() }), 404);
});

Deno.test("supabase-js reads, confirms, moves, cancels and lists bookings as an admin", async () => {
  const { client } = await person("admin"), { id } = await booked(link, 40), other = await booked(link, 44);
  const rows = await client.from("bookings").select("id, status").eq("id", id);
  assert.deepEqual(rows.data, [{ id, status: "pending" }]);
  for (
    const [name, args, status] of [
      ["confirm_booking", { booking_id: id }, "confirmed"],
      ["reschedule_booking", { booking_id: id, start_time: slot(42) }, "confirmed"],
      ["cancel_booking", { booking_id: id, message: "Sorry" }, "cancelled"],
      ["decline_booking", { booking_id: other.id }, "declined"],
    ] as const
  ) {
    const { data, error } = await client.rpc(name, args);
    assert.equal(data?.status, status, error?.message);
  }
  const { data } = await client.rpc("list_bookings", { podcast_id: show.id, from: slot(42), to: slot(43) });
  assert.deepEqual(data.data.map((one: { id: string }) => one.id), [id]);
  const { client: member } = await person("member");
  assert.deepEqual((await member.from("bookings").select("id").eq("id", id)).data, []);
});
