/** /api/availability: what guests can book. The rules are in sql/60_bookings. */
import {
  GetAvailabilityQuery,
  GetAvailabilityResponse,
  GetMonthAvailabilityQuery,
  GetMonthAvailabilityResponse,
  GetPublicBookingLinkQuery,
  GetPublicBookingLinkResponse,
} from "../../types/availability.ts";
import { publicRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";
import { refreshLinkBusy } from "../calendars/busy/refresh_busy.ts";

export const availability = publicRouter()
  .get(
    "/",
    describeRoute({
      operationId: "getAvailability",
      summary: "List the slots that can be booked on a date",
      response: GetAvailabilityResponse,
      errors: [404, 500, 503],
    }),
    valid("query", GetAvailabilityQuery),
    async (c) => {
      const query = c.req.valid("query");
      await refreshLinkBusy(query.bookingLinkId);
      return reply(await c.var.db.call("get_availability", query));
    },
  )
  .get(
    "/month",
    describeRoute({
      operationId: "getMonthAvailability",
      summary: "List the dates of a month whose weekday has an availability rule",
      response: GetMonthAvailabilityResponse,
      errors: [404, 503],
    }),
    valid("query", GetMonthAvailabilityQuery),
    async (c) => {
      return reply(await c.var.db.call("get_month_availability", c.req.valid("query")));
    },
  )
  .get(
    "/link",
    describeRoute({
      operationId: "getPublicBookingLink",
      summary: "Get a booking link with its questions, by its ID or by slugs",
      response: GetPublicBookingLinkResponse,
      errors: [404, 503],
    }),
    valid("query", GetPublicBookingLinkQuery),
    async (c) => {
      const { bookingLinkId, podcast: podcastSlug, link: linkSlug } = c.req.valid("query");
      return reply(await c.var.db.call("get_public_booking_link", { bookingLinkId, podcastSlug, linkSlug }));
    },
  );
