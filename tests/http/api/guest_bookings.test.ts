// /api/bookings/guest: what guests do by the token of their emails.
import assert from "node:assert/strict";
import { assertError, person, podcast, sql } from "../harness.ts";
import { booked, emailNumber, fieldsOf, newGuest, openLink, post, request, slot } from "./bookings.ts";

const show = await podcast("Night Trains"), link = await openLink(show);

Deno.test("POST /api/bookings/guest, …/verify, …/cancel and …/reschedule return 401 without a valid token", async () => {
  const { id } = await booked(link, 0);
  await sql`
    insert into private.access_tokens (digest, kind, subject_id, expires_at)
    values (sha256('expired booking'), 'booking', ${id}, now())`;
  for (const path of ["/guest", "/guest/verify", "/guest/cancel", "/guest/reschedule"]) {
    const more = path.endsWith("reschedule") ? { startTime: slot(1) } : {};
    assertError(await post(path, { accessToken: "x", ...more }), 401, { code: "INVALID" });
    assertError(await post(path, { accessToken: "expired booking", ...more }), 401, { code: "EXPIRED" });
    assertError(await post(path, more), 400);
    assertError(await post(path, { accessToken: "x", more: 1, ...more }), 400);
  }
});

Deno.test("POST /api/bookings/guest returns the booking, and verifies nothing, because scanners open links", async () => {
  const { id, accessToken, guestEmail } = await booked(link, 2);
  const { status, body } = await post("/guest", { accessToken });
  assert.equal(status, 200);
  const { booking, ...data } = body.data;
  assert.deepEqual([booking.id, booking.status, booking.guestEmail], [id, "pending", guestEmail]);
  assert.deepEqual(data, {
    link: { id: link, name: "Interview", duration_minutes: 60, timezone: "UTC" },
    podcast: { id: show.id, slug: show.slug, title: "Night Trains", coverImageUrl: null },
  });
  assert.equal(booking.guestVerifiedAt, null);
});

Deno.test("POST /api/bookings/guest/verify verifies the guest, whom hosts see as verified", async () => {
  const { id, accessToken } = await booked(link, 4);
  const { status, body } = await post("/guest/verify", { accessToken });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.data).sort(), ["booking", "link", "podcast"]);
  const { guestVerifiedAt } = body.data.booking;
  assert.match(guestVerifiedAt, /Z$/);
  assert.equal((await post("/guest/verify", { accessToken })).body.data.booking.guestVerifiedAt, guestVerifiedAt);
  assert.equal((await post(`/${id}/confirm`, {}, "admin")).body.data.guestVerifiedAt, guestVerifiedAt);
});

Deno.test("strangers' requests do not keep a user from booking with their own confirmed address", async () => {
  const own = await openLink(show), { client, email: guestEmail } = await person("stranger");
  for (let n = 0; n < 5; n++) assert.equal((await request(fieldsOf(own, n, { guestEmail }))).status, 201);
  const sixth = await request(fieldsOf(own, 5, { guestEmail }));
  assertError(sixth, 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
  for (let n = 6; n < 11; n++) {
    const { status, body } = await post("", fieldsOf(own, n, { guestEmail }), "stranger");
    assert.equal(status, 201);
    assert.match(body.data.booking.guestVerifiedAt, /Z$/);
    assert.equal(body.data.email.status, "queued");
  }
  const eleventh = await post("", fieldsOf(own, 11, { guestEmail }), "stranger");
  assertError(eleventh, 429, { code: "RATE_LIMITED", error: /5 requests/, rate_limit_reset_at: /Z$/ });
  const { data } = await client.rpc("request_booking", {
    booking_link_id: own,
    start_time: slot(12),
    guest_name: "Gus",
    guest_email: newGuest(),
  });
  assert.equal(data.booking.guestVerifiedAt, null);
});

Deno.test("POST /api/bookings/guest/reschedule moves a booking to an available slot", async () => {
  const own = await openLink(show), { accessToken } = await booked(own, 1);
  await booked(own, 3);
  const { body } = await post("/guest/reschedule", { accessToken, startTime: slot(2) });
  assert.deepEqual([body.data.booking.start, body.data.booking.status], [slot(2), "pending"]);
  for (const n of [3, 4.5, -3]) {
    const response = await post("/guest/reschedule", { accessToken, startTime: slot(n) });
    assertError(response, 409, { code: "SLOT_UNAVAILABLE" });
  }
  assertError(await post("/guest/reschedule", { accessToken }), 400);
});

Deno.test("POST /api/bookings/guest/cancel cancels once, and the hosts read the message", async () => {
  const own = await openLink(show), { id, accessToken } = await booked(own, 1);
  const { body } = await post("/guest/cancel", { accessToken, message: "Ill" });
  const { status, cancelledBy, statusMessage } = body.data.booking;
  assert.deepEqual([status, cancelledBy, statusMessage], ["cancelled", "guest", "Ill"]);
  assertError(await post("/guest/cancel", { accessToken }), 409, { code: "INVALID_STATUS_CHANGE" });
  const { client } = await person("owner");
  const { data } = await client.from("notifications").select("title, body").eq("type", "booking.cancelled")
    .eq("metadata->>booking_id", id);
  assert.match(data![0].body, /Gus Gray[^]*Ill/);
  assert.doesNotMatch(data![0].title, /Gus/);
});

Deno.test("supabase-js reads, verifies, moves and cancels a booking by its token", async () => {
  const own = await openLink(show), { accessToken: access_token } = await booked(own, 1);
  const { client } = await person("stranger");
  const read = await client.rpc("get_guest_booking", { access_token });
  assert.equal(read.data.booking.status, "pending");
  const verified = await client.rpc("verify_guest_booking", { access_token });
  assert.match(verified.data.booking.guestVerifiedAt, /Z$/);
  const moved = await client.rpc("reschedule_guest_booking", { access_token, start_time: slot(5) });
  assert.equal(moved.data.booking.start, slot(5));
  const cancelled = await client.rpc("cancel_guest_booking", { access_token });
  assert.equal(cancelled.data.booking.status, "cancelled");
  const unknown = await client.rpc("get_guest_booking", { access_token: "x" });
  assert.deepEqual([unknown.status, unknown.error?.hint], [401, "INVALID"]);
});

Deno.test("a guest gets the token by email, and the calendar entry once a host confirms", async () => {
  const own = await openLink(show), guestEmail = newGuest();
  const { body: { data: { booking } } } = await request(
    fieldsOf(own, 30, { guestEmail, guestName: "Gus <b>Gray</b>" }),
  );
  const requested = await emailNumber(1, guestEmail);
  const accessToken = /\/booking#token=(\S+)/.exec(requested.Text)![1];
  assert.doesNotMatch(requested.HTML + requested.Text, /Gray/);
  assert.match(requested.Text, /open your booking and confirm your email address/);
  assert.equal((await post("/guest", { accessToken })).body.data.booking.id, booking.id);
  assert.equal((await post(`/${booking.id}/confirm`, {}, "admin")).status, 200);
  const confirmed = await emailNumber(2, guestEmail);
  assert.match(confirmed.Subject, /Night Trains/);
  assert.doesNotMatch(requested.Subject + confirmed.Subject, /Gus/);
  const later = /\/booking#token=(\S+)/.exec(confirmed.Text)![1];
  for (const token of [accessToken, later]) {
    assert.equal((await post("/guest", { accessToken: token })).body.data.booking.status, "confirmed");
  }
});
