// A booking from the offer to the confirmation, by supabase-js alone.
import assert from "node:assert/strict";
import { person, podcast, sql, stackInfo } from "../http/harness.ts";
import { emailsTo } from "../http/inbox.ts";
import { waitFor } from "../wait_for.ts";
import * as app from "./app.ts";
import * as booking from "./booking.ts";

const [owner, stranger] = await Promise.all(["owner", "stranger"].map(person));
const [host, other] = [owner, stranger].map(({ token }) => app.connect(stackInfo.url, stackInfo.publishableKey, token));
const visitor = app.connect(stackInfo.url, stackInfo.publishableKey);

Deno.test("a visitor requests a slot by rpc, the host confirms it, and the guest reads it by the email's token", async () => {
  const show = await podcast("Typed bookings");
  const link = await booking.offerSessions(host, show.id, "Interview");
  assert.deepEqual([link.slug, link.podcasts.title], ["interview", "Typed bookings"]);
  const { bookingLink, podcast: { title } } = await booking.findLink(visitor, show.slug, link.slug);
  assert.deepEqual([bookingLink.id, bookingLink.questions, title], [link.id, [], "Typed bookings"]);

  // from the 2nd to the 4th day on, whose month has a later date in any case
  const [first, second] = await booking.findSlots(visitor, link.id, new Date(Date.now() + 2 * 86_400_000));
  assert.equal(Date.parse(second.start) - Date.parse(first.start), 3_600_000);
  const email = `zoe-${crypto.randomUUID()}@guests.test`, key = crypto.randomUUID();
  const requested = await booking.requestSlot(visitor, link.id, first.start, email, key);
  assert.ok("booking" in requested, JSON.stringify(requested));
  assert.deepEqual(
    await booking.requestSlot(visitor, link.id, first.start, email, key),
    requested,
    "one booking per key",
  );
  assert.deepEqual(await booking.requestSlot(visitor, link.id, second.start, email, key), {
    error: "IDEMPOTENCY_KEY_REUSED",
  });
  assert.deepEqual(await booking.requestSlot(visitor, link.id, first.start, email, crypto.randomUUID()), {
    error: "SLOT_UNAVAILABLE",
  });

  const { id } = requested.booking;
  await assert.rejects(booking.confirm(visitor, id), { code: "42501" });
  await assert.rejects(booking.confirm(other, id), { code: "PT403" });
  const confirmed = await booking.confirm(host, id);
  assert.deepEqual([confirmed.status, confirmed.start, confirmed.guestName], ["confirmed", first.start, "Zoe"]);
  assert.deepEqual(await booking.listConfirmed(host, show.id), [{ id, guest: "Zoe", link: "Interview" }]);
  assert.deepEqual(await booking.listConfirmed(other, show.id), []);

  assert.equal((await booking.readByToken(visitor, await tokenOf(email))).status, "confirmed");
  await assert.rejects(booking.readByToken(visitor, crypto.randomUUID()), { code: "PT401", hint: "INVALID" });
});

Deno.test("a guest confirms a session by rpc and sees its place, and the host reads why its time is not free", async () => {
  const show = await podcast("Typed places"), date = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const link = await booking.offerDate(host, show.id, date), email = `zoe-${crypto.randomUUID()}@guests.test`;
  assert.deepEqual((await booking.findLink(visitor, show.slug, link.slug)).bookingLink.location, { type: "link" });
  const start = `${date}T10:00:00.000Z`, key = crypto.randomUUID();
  const requested = await booking.requestSlot(visitor, link.id, start, email, key);
  assert.ok("booking" in requested, JSON.stringify(requested));
  const { id } = requested.booking, token = await tokenOf(email);
  assert.deepEqual((await booking.readByToken(visitor, token)).location, { type: "link", value: null });
  const { status, location } = await booking.verify(visitor, token);
  assert.deepEqual([status, location], ["confirmed", link.location]);

  const { reason, times } = await booking.explain(host, link.id, date);
  assert.deepEqual(
    [reason, ...times.map((time) => [time.start, time.reason, time.booking?.id])],
    [null, [start, "booking", id], [`${date}T11:00:00.000Z`, null, undefined]],
  );
  assert.equal((await booking.explain(host, link.id, "2026-01-01")).reason, "no_rule");
  await assert.rejects(booking.explain(visitor, link.id, date), { code: "42501" });
  await assert.rejects(booking.explain(other, link.id, date), { code: "PT403" });

  await assert.rejects(booking.setPlace(other, id, null), { code: "PT403" });
  const phone = { type: "phone", value: "+49 30 1" } as const;
  assert.deepEqual(await booking.setPlace(host, id, phone), phone);
  assert.deepEqual((await booking.readByToken(visitor, token)).location, phone);
  assert.equal(await booking.setPlace(host, id, null), null);
});

async function tokenOf(email: string) {
  await sql`select private.enqueue_due_deliveries()`;
  await waitFor("the email", async () => (await emailsTo(email)).length > 0);
  return /#token=(\S+)/.exec((await emailsTo(email)).at(-1)!.Text)![1];
}
