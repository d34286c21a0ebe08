// /api/bookings/guest: what guests do by the token of their emails.
import assert from "node:assert/strict";
import { assertError, person, podcast, sql } from "../harness.ts";
import { emailsTo, type InboxEmail, parsedEmail } from "../inbox.ts";
import { waitFor } from "../../wait_for.ts";
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

Deno.test("POST /api/bookings/guest, …/verify, …/reschedule and …/cancel return the booking, link and podcast", async () => {
  const own = await openLink(show), { id, accessToken, guestEmail } = await booked(own, 2);
  let verifiedAt: string | null = null;
  for (
    const [path, more, expected] of [
      ["", {}, { start: slot(2), end: slot(3) }],
      ["/verify", {}, { start: slot(2), end: slot(3) }],
      ["/reschedule", { startTime: slot(5) }, { start: slot(5), end: slot(6) }],
      ["/cancel", { message: "Ill" }, {
        start: slot(5),
        end: slot(6),
        status: "cancelled",
        statusMessage: "Ill",
        cancelledBy: "guest",
      }],
    ] as const
  ) {
    const { status, body, text } = await post(`/guest${path}`, { accessToken, ...more });
    assert.equal(status, 200, text);
    const { booking: { createdAt: _, expiresAt: __, guestVerifiedAt, ...booking }, ...data } = body.data;
    if (path === "/verify") verifiedAt = guestVerifiedAt;
    assert.equal(guestVerifiedAt, verifiedAt, path);
    assert.deepEqual(booking, {
      id,
      name: "Interview",
      status: "pending",
      guestName: "Gus Gray",
      guestEmail,
      guestTimezone: "UTC",
      notes: null,
      answers: {},
      location: null,
      requiresConfirmation: true,
      statusMessage: null,
      cancelledBy: null,
      ...expected,
    });
    assert.deepEqual(data, {
      link: { id: own, name: "Interview", duration_minutes: 60, timezone: "UTC" },
      podcast: { id: show.id, slug: show.slug, title: "Night Trains", coverImageUrl: null },
    });
  }
  assert.match(verifiedAt!, /Z$/);
  assertError(await post("/guest/cancel", { accessToken }), 409, { code: "INVALID_STATUS_CHANGE" });
  assertError(await post("/guest/reschedule", { accessToken }), 400, { details: /^startTime: / });
});

Deno.test("POST /api/bookings/guest/verify confirms a booking that needs no host, with its place", async () => {
  const location = { type: "link", value: "https://meet.example/room" };
  const own = await openLink(show, { requires_confirmation: false, location });
  const { accessToken, guestEmail } = await booked(own, 2);
  const before = (await post("/guest", { accessToken })).body.data.booking;
  assert.deepEqual([before.status, before.requiresConfirmation, before.location.value], ["pending", false, null]);
  assert.match((await emailNumber(1, guestEmail)).Text, /confirm your email address\. Then the time is yours/);
  const { status, body } = await post("/guest/verify", { accessToken });
  assert.equal(status, 200);
  assert.deepEqual([body.data.booking.status, body.data.booking.location], ["confirmed", location]);
  assert.match((await emailNumber(2, guestEmail)).Text, /Where: https:\/\/meet\.example\/room/);
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

/** The email to a host that names the guest, with its calendar entry. */
async function emailToHost(who: string, subject: RegExp, guestEmail: string) {
  await sql`select private.enqueue_due_deliveries()`;
  const { email: address } = await person(who);
  let found: InboxEmail | undefined;
  await waitFor(`an email about ${guestEmail} to ${address} arrives`, async () => {
    found = (await emailsTo(address)).find(({ Subject, Text }) => subject.test(Subject) && Text.includes(guestEmail));
    return found !== undefined;
  });
  return { text: found!.Text, ...await mailParts(found!) };
}

async function mailParts(email: InboxEmail) {
  const { replyTo, attachments } = await parsedEmail(email);
  const part = attachments.find(({ mimeType }) => mimeType === "text/calendar");
  return {
    replyTo: replyTo?.map(({ address }) => address) ?? [],
    calendar: part && new TextDecoder().decode(part.content as ArrayBuffer).replace(/\r?\n /g, "").replaceAll("\r", ""),
  };
}

Deno.test("hosts get the guest's data and a calendar entry, and guest and host can answer each other", async () => {
  const own = await openLink(show, { questions: [{ id: "topic", label: "Your topic?", isRequired: false }] });
  const guestEmail = newGuest(), host = await person("admin");
  const { body: { data: { booking } } } = await request(
    fieldsOf(own, 40, { guestEmail, guestTimezone: "Asia/Tokyo", notes: "No video.", answers: { topic: "Trains" } }),
  );
  const question = await emailToHost("admin", /request/, guestEmail);
  assert.match(question.text, /Time zone: Asia\/Tokyo\n\nNotes:\n> No video.\n\nYour topic\?\n> Trains/);
  assert.deepEqual([question.replyTo, question.calendar], [[guestEmail], undefined]);
  assert.deepEqual((await mailParts(await emailNumber(1, guestEmail))).replyTo, []);

  assert.equal((await post(`/${booking.id}/confirm`, {}, "admin")).status, 200);
  const guests = await mailParts(await emailNumber(2, guestEmail));
  assert.deepEqual(guests.replyTo, [host.email]);
  const uid = /^UID:(\S+)/m.exec(guests.calendar!)![1],
    organizer = /^ORGANIZER.*:mailto:(\S+)/m.exec(guests.calendar!)![1];
  const { email: owner } = await person("owner");
  for (const [who, address] of [["admin", host.email], ["owner", owner]]) {
    const { calendar, replyTo } = await emailToHost(who, /confirmed/, guestEmail);
    assert.deepEqual(replyTo, [guestEmail]);
    for (
      const line of [`UID:${uid}`, "METHOD:REQUEST", "SEQUENCE:1", `ORGANIZER;CN=Night Trains:mailto:${organizer}`]
    ) {
      assert.ok(calendar!.includes(`${line}\n`), `${line} in ${calendar}`);
    }
    assert.match(calendar!, new RegExp(`^ATTENDEE.*:mailto:${address}$`, "m"));
  }

  assert.equal((await post(`/${booking.id}/cancel`, {}, "owner")).status, 200);
  const ended = await emailToHost("owner", /canceled/, guestEmail);
  assert.match(ended.calendar!, /^METHOD:CANCEL$/m);
  assert.ok(ended.calendar!.includes(`UID:${uid}\n`));
});
