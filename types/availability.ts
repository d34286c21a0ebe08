/** Availability over the wire: what guests can book. */
import { z } from "zod";
import { BookingQuestion, OfferedLocation } from "./booking_links.ts";
import { Id, idParam, integerParam, successEnvelope, Timestamp, TimeZone } from "./envelope.ts";

const Timezone = TimeZone.describe("IANA time zone");

/** Parameters of slots and dates. */
const AvailabilityQuery = z.object({
  bookingLinkId: idParam("booking link"),
  timezone: TimeZone.default("UTC").describe("IANA time zone of the guest; the response repeats it"),
});

/** A booking link as guests see it. */
const OfferedLink = z.strictObject({
  id: Id,
  name: z.string(),
  duration_minutes: z.int(),
  timezone: Timezone,
});

const OfferedPodcast = z.strictObject({ id: Id, slug: z.string(), title: z.string() });

/** GET /api/availability */
export const GetAvailabilityQuery = AvailabilityQuery.extend({
  date: z.iso.date("must be a date as YYYY-MM-DD").describe("Date of the booking link's time zone"),
});
export const GetAvailabilityResponse = successEnvelope(z.union([
  z.strictObject({
    date: z.iso.date(),
    timezone: Timezone,
    bookingLinkTimezone: Timezone,
    bookingLink: OfferedLink.extend({ description: z.string() }),
    podcast: OfferedPodcast,
    slots: z.array(z.strictObject({ start: Timestamp, end: Timestamp, available: z.literal(true) })),
  }),
  z.strictObject({
    date: z.iso.date(),
    slots: z.array(z.never()),
    message: z.string().describe("Why the date cannot be booked"),
  }),
]));

/** GET /api/availability/month */
export const GetMonthAvailabilityQuery = AvailabilityQuery.extend({
  year: integerParam(1970, 9999).describe("Of the booking link's time zone"),
  month: integerParam(1, 12).describe("1 is January"),
});
export const GetMonthAvailabilityResponse = successEnvelope(z.strictObject({
  year: z.int(),
  month: z.int(),
  timezone: Timezone,
  bookingLinkTimezone: Timezone,
  bookingLink: OfferedLink,
  availableDates: z.array(z.strictObject({ date: z.iso.date(), slots: z.literal(1) }))
    .describe("Dates whose weekday has a rule, or that have special hours; no days off; past ones too"),
}));

/** GET /api/availability/link */
export const GetPublicBookingLinkQuery = z.object({
  bookingLinkId: Id.optional().describe("The booking link, unless podcast and link name it"),
  podcast: z.string().optional().describe("Slug of the podcast"),
  link: z.string().optional().describe("Slug of the booking link"),
});
export const GetPublicBookingLinkResponse = successEnvelope(z.strictObject({
  bookingLink: OfferedLink.extend({
    slug: z.string(),
    description: z.string(),
    questions: z.array(BookingQuestion).describe("Guests answer them by id in a request"),
    location: OfferedLocation.nullable().describe("Confirmed bookings have the place itself"),
    requires_confirmation: z.boolean().describe("false: a request is confirmed once the guest's address is verified"),
  }),
  podcast: OfferedPodcast.extend({ coverImageUrl: z.string().nullable() }),
}));
