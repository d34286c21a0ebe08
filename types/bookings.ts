/** Bookings over the wire: requests of guests, and the answers of hosts. */
import { z } from "zod";
import { GuestLocation, Location } from "./booking_links.ts";
import {
  cursorParam,
  Id,
  idParam,
  Instant,
  LanguageTag,
  limitParam,
  pageOf,
  successEnvelope,
  Timestamp,
  TimeZone,
} from "./envelope.ts";

export const BookingStatus = z.enum(["pending", "confirmed", "declined", "cancelled"]);
const Message = z.string().nullable().meta({ maxLength: 2000 }); // the database counts characters, JavaScript UTF-16 units

const Booking = z.strictObject({
  id: Id,
  name: z.string().describe("Of the booking link when it was booked"),
  status: BookingStatus,
  start: Timestamp,
  end: Timestamp,
  guestName: z.string(),
  guestEmail: z.string(),
  guestVerifiedAt: Timestamp.nullable().describe("When the guest showed that the address is theirs; null: not yet"),
  guestTimezone: TimeZone.describe("IANA time zone of the guest"),
  notes: z.string().nullable(),
  answers: z.record(z.string(), z.string()).describe("By question id"),
  location: GuestLocation.nullable(),
  requiresConfirmation: z.boolean().describe("false: it is confirmed once the guest's address is verified"),
  statusMessage: z.string().nullable().describe("From the host or guest who declined or canceled"),
  cancelledBy: z.enum(["host", "guest", "expiry"]).nullable(),
  expiresAt: Timestamp.nullable().describe("Until when a pending booking waits for an answer"),
  createdAt: Timestamp,
});

/** A booking as hosts see it. */
const HostBooking = Booking.extend({
  location: Location.nullable(),
  podcastId: Id,
  bookingLinkId: Id.nullable().describe("null if the link was deleted"),
  episodeId: Id.nullable(),
  guestLocale: LanguageTag,
  guestToldAt: Timestamp.nullable().describe("When the first email to the guest is due; null: no day has room yet"),
  updatedAt: Timestamp,
}).meta({ id: "Booking" });

/** POST /api/bookings */
export const RequestBookingRequest = z.strictObject({
  bookingLinkId: Id,
  startTime: Instant.describe("The start of an available slot"),
  guestName: z.string().meta({ minLength: 1, maxLength: 200 }),
  guestEmail: z.string().meta({ format: "email", maxLength: 254 }),
  guestTimezone: z.string().optional().meta({ format: "time-zone", default: "UTC" }).describe(
    "IANA time zone of the times in emails. An unknown one is UTC",
  ),
  notes: z.string().nullable().meta({ maxLength: 4000 }).optional(),
  answers: z.record(z.string(), z.string().meta({ maxLength: 2000 })).optional().describe("By question id"),
  episodeId: Id.nullable().optional().describe("An episode of the podcast that the session is for"),
  locale: LanguageTag.optional().meta({ default: "en" }).describe("Language of the emails (BCP 47)"),
});
export const RequestBookingHeaders = z.object({
  "idempotency-key": z.string().optional().meta({ minLength: 1, maxLength: 200 })
    .describe("Visible ASCII; a repeated request with the same key returns the first response for 24 hours"),
});

/** What a guest sees. */
const GuestBooking = z.strictObject({
  booking: Booking,
  link: z.strictObject({ id: Id, name: z.string(), duration_minutes: z.int(), timezone: TimeZone }).nullable()
    .describe("null if the link cannot be booked any longer"),
  podcast: z.strictObject({ id: Id, slug: z.string(), title: z.string(), coverImageUrl: z.string().nullable() }),
});
export const GuestBookingResponse = successEnvelope(GuestBooking);
export const RequestBookingResponse = successEnvelope(GuestBooking.extend({
  email: z.strictObject({
    status: z.enum(["queued", "waiting"]).describe("waiting: many wrote to the address, so the email is sent later"),
    dueAt: Timestamp.nullable().describe("null if the request expires before"),
  }).describe("The email with the link to the booking"),
}));

/** POST /api/bookings/guest, …/guest/verify: the token of the email, in the body because URLs are logged. */
export const GuestBookingRequest = z.strictObject({ accessToken: z.string() });

/** POST /api/bookings/guest/cancel */
export const CancelGuestBookingRequest = GuestBookingRequest.extend({
  message: Message.optional().describe("To the hosts"),
});

/** POST /api/bookings/guest/reschedule */
export const RescheduleGuestBookingRequest = GuestBookingRequest.extend({
  startTime: Instant.describe("The start of an available slot"),
});

/** GET /api/bookings */
export const ListBookingsQuery = z.object({
  podcastId: idParam("podcast"),
  status: BookingStatus.optional().describe("Only bookings of this status"),
  from: Instant.optional().describe("Sessions that start then or later"),
  to: Instant.optional().describe("Sessions that start before"),
  episodeId: idParam("episode").optional().describe("Only sessions for this episode"),
  cursor: cursorParam,
  limit: limitParam(100, 50),
});
/** By the time of the session. */
export const ListBookingsResponse = pageOf(HostBooking);

/** The path /api/bookings/{id}/… */
export const BookingPathParams = z.object({ id: idParam("booking") });
export const BookingResponse = successEnvelope(HostBooking);

/** POST /api/bookings/{id}/confirm */
export const ConfirmBookingRequest = z.strictObject({
  episodeId: Id.nullable().optional().describe("Links the session with an episode of the podcast"),
}).default({});

/** POST /api/bookings/{id}/decline, …/cancel */
export const BookingMessageRequest = z.strictObject({ message: Message.optional().describe("To the guest") })
  .default({});

/** PUT /api/bookings/{id}/location */
export const SetBookingLocationRequest = z.strictObject({ location: Location.nullable().describe("null removes it") });

/** POST /api/bookings/{id}/reschedule */
export const RescheduleBookingRequest = z.strictObject({
  startTime: Instant.describe("Any time at which the link has no other open booking"),
});
