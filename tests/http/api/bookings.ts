// Booking links that are open day and night, and requests of guests.
import assert from "node:assert/strict";
import { type ApiResponse, callRpc, person, type RequestOptions, sendRequest, sql } from "../harness.ts";
import { emailsTo } from "../inbox.ts";
import { waitFor } from "../../wait_for.ts";

export const BASE = "/api/bookings";

const ALL_DAY = [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime: "00:00", endTime: "24:00" }));

/** A link with slots at each full hour. */
export async function openLink(podcast: { id: string }, fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = await callRpc<{ id: string }>(await person("admin"), "create_booking_link", {
    podcast_id: podcast.id,
    name: "Interview",
    timezone: "UTC",
    min_notice_hours: 0,
    availability_rules: ALL_DAY,
    ...fields,
  });
  return id;
}

/** At least an hour from the start of the tests, so that it is not over before they end. */
const FIRST_HOUR = Math.floor(Date.now() / 3_600_000) + 2;

/** The start of a slot, `n` hours after the second full hour from the start of the tests. */
export const slot = (n: number) => new Date((FIRST_HOUR + n) * 3_600_000).toISOString();

export const newGuest = () => `guest-${crypto.randomUUID()}@guests.test`;

/** A valid request. */
export const fieldsOf = (bookingLinkId: string, n: number, fields: object = {}) => ({
  bookingLinkId,
  startTime: slot(n),
  guestName: "Gus Gray",
  guestEmail: newGuest(),
  ...fields,
});

export const request = (json: unknown, headers: Record<string, string> = {}) =>
  sendRequest({ method: "POST", path: BASE, json, headers });

export const post = (path: string, json: unknown, as: RequestOptions["as"] = "anon"): Promise<ApiResponse> =>
  sendRequest({ method: "POST", path: `${BASE}${path}`, as, json });

/** A pending booking with a token: the email has one, too, but only arrives later. */
export async function booked(link: string, n: number, fields: object = {}) {
  const { status, text, body } = await request(fieldsOf(link, n, fields));
  assert.equal(status, 201, text);
  const { id, guestEmail } = body.data.booking, accessToken = crypto.randomUUID();
  await sql`
    insert into private.access_tokens (digest, kind, subject_id, expires_at)
    values (sha256(${accessToken}::text::bytea), 'booking', ${id}, 'infinity')`;
  return { id: id as string, guestEmail: guestEmail as string, accessToken };
}

/** The last email to a guest, once this many arrived. */
export async function emailNumber(n: number, address: string) {
  await sql`select private.enqueue_due_deliveries()`;
  await waitFor(`email ${n} to ${address} arrives`, async () => (await emailsTo(address)).length >= n);
  return (await emailsTo(address))[n - 1];
}
