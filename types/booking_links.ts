/** Booking links over the wire. */
import { z } from "zod";
import { atLeastOneOf, Id, idParam, successEnvelope, Timestamp, TimeZone } from "./envelope.ts";

const hours = {
  startTime: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time from 00:00 to 23:59, as HH:MM"),
  endTime: z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "must be a time from 00:01 to 24:00, as HH:MM")
    .describe("After startTime; 24:00 is the end of the day"),
};
const AvailabilityRule = z.strictObject({ dayOfWeek: z.int().min(0).max(6).describe("0 is Sunday"), ...hours })
  .describe("Times of the booking link's time zone; rules may overlap");
const LinkDate = z.iso.date("must be a date as YYYY-MM-DD").describe("Date of the booking link's time zone");
const DateOverride = z.strictObject({
  date: LinkDate,
  windows: z.array(z.strictObject(hours)).max(10).describe("Times of the date; without one it is a day off"),
}).describe("Replaces the weekday's rules on a date");

export const BookingQuestion = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,50}$/, 'must be 1 to 50 letters, digits, "_" or "-"'),
  label: z.string().meta({ minLength: 1, maxLength: 300 }), // the database counts characters, JavaScript UTF-16 units
  isRequired: z.boolean().optional(),
});

const LocationType = z.enum(["link", "phone", "in_person", "custom"]);

/** A place of sessions. Cleared by null. */
export const Location = z.strictObject({
  type: LocationType,
  value: z.string().meta({ minLength: 1, maxLength: 500 }).describe("A text; the http or https URL of a link"),
}).meta({ if: { properties: { type: { const: "link" } } }, then: { properties: { value: { format: "uri" } } } });

/** What strangers may know of a place. */
export const OfferedLocation = z.strictObject({ type: LocationType });

/** A place as the guest of a booking sees it. */
export const GuestLocation = OfferedLocation.extend({
  value: z.string().nullable().describe("null unless the booking is confirmed"),
});

const minutes = (min: number) => z.int().min(min).max(720);

/** What admins write. The database checks lengths, the time zone and the order of times. */
const Fields = z.strictObject({
  name: z.string().meta({ minLength: 1, maxLength: 200 }),
  timezone: TimeZone.describe("IANA time zone of the rules"),
  slug: z.string().max(300).nullable().optional().describe(
    "Unique per podcast; null or absent derives it from the name",
  ),
  description: z.string().meta({ maxLength: 5000 }).optional(),
  duration_minutes: minutes(5).optional().describe("60 by default"),
  buffer_before_minutes: minutes(0).optional().describe("Kept free before each session; 0 by default"),
  buffer_after_minutes: minutes(0).optional().describe("Kept free after each session; 0 by default"),
  min_notice_hours: z.int().min(0).max(8760).nullable().optional().describe("null means 24"),
  max_advance_days: z.int().min(1).max(365).nullable().optional().describe("null means 60"),
  availability_rules: z.array(AvailabilityRule).max(100).optional(),
  questions: z.array(BookingQuestion).max(20).optional().describe("What guests are asked, with different ids"),
  date_overrides: z.array(DateOverride).max(366).optional().describe("Days off and special hours, on different dates"),
  conflict_scope: z.enum(["link", "podcast"]).optional().describe(
    "Whose pending and confirmed bookings take slots: those of this link (default), or of all links of the podcast",
  ),
  location: Location.nullable().optional().describe("Where sessions are; guests see it once they are confirmed"),
  requires_confirmation: z.boolean().optional().describe(
    "true by default; false confirms requests as soon as the guest's address is verified",
  ),
  is_active: z.boolean().optional().describe("Inactive links do not exist for guests"),
});

/** A booking link. */
const BookingLink = Fields.required().extend({
  id: Id,
  podcast_id: Id,
  slug: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const BookingLinkResponse = successEnvelope(BookingLink);

/** GET /api/booking-links */
export const ListBookingLinksQuery = z.object({ podcastId: idParam("podcast") });
export const ListBookingLinksResponse = successEnvelope(z.array(BookingLink).describe("Oldest first"));

/** POST /api/booking-links */
export const CreateBookingLinkRequest = Fields.extend({ podcast_id: Id });

/** PUT /api/booking-links/{id}: at least one field. Absent means unchanged. */
export const BookingLinkPathParams = z.object({ id: idParam("booking link") });
export const UpdateBookingLinkRequest = atLeastOneOf(Fields.partial());

/** DELETE /api/booking-links/{id} */
export const DeleteBookingLinkResponse = successEnvelope(z.strictObject({ id: Id }));

/** GET /api/booking-links/{id}/explanation */
export const ExplainAvailabilityQuery = z.object({ date: LinkDate });
export const ExplainAvailabilityResponse = successEnvelope(z.strictObject({
  date: LinkDate,
  bookingLinkTimezone: TimeZone,
  reason: z.enum(["day_off", "no_rule", "no_room"]).nullable().describe(
    "Why the date has no times: its override closes it, its weekday has no rule, or no window is as long as a session",
  ),
  times: z.array(z.strictObject({
    start: Timestamp,
    end: Timestamp,
    reason: z.enum([
      "link_inactive",
      "podcast_pending_deletion",
      "past",
      "notice",
      "advance",
      "calendar_pending",
      "calendar",
      "booking",
    ]).nullable().describe("The first step that drops the time; null if guests can book it"),
    calendar: z.strictObject({
      userId: Id.describe("The host"),
      id: Id.nullable().describe("null unless the calendar is the caller's"),
      name: z.string().nullable().describe("null unless the calendar is the caller's"),
    }).nullable().describe("A calendar with an event at the time, buffers included"),
    booking: z.strictObject({
      id: Id,
      bookingLinkId: Id,
      guestName: z.string(),
      status: z.enum(["pending", "confirmed"]),
      start: Timestamp,
      end: Timestamp,
    }).nullable().describe("The first booking at the time, buffers included"),
  })).describe("The times that the rules, or the date's override, give"),
}));
