/** /api/availability: what guests can book. The rules are in sql/60_bookings. */
import {
  GetAvailabilityQuery,
  GetAvailabilityResponse,
  GetMonthAvailabilityQuery,
  GetMonthAvailabilityResponse,
  GetPublicBookingLinkQuery,
  GetPublicBookingLinkResponse,
} from "../../types/availability.ts";
import { publicRouter, subRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { operation } from "../app/operation.ts";
import { reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";
import { refreshLinkBusy } from "../calendars/busy/refresh_busy.ts";

export const availability = publicRouter([
  subRouter().get(
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
  ),
  operation("GET", "/month", "get_month_availability", {
    summary: "List the dates of a month that have an availability rule or special hours",
    query: GetMonthAvailabilityQuery,
    response: GetMonthAvailabilityResponse,
    errors: [404, 503],
  }),
  operation("GET", "/link", "get_public_booking_link", {
    summary: "Get a booking link with its questions, by its ID or by slugs",
    query: GetPublicBookingLinkQuery,
    rename: { podcast: "podcastSlug", link: "linkSlug" },
    response: GetPublicBookingLinkResponse,
    errors: [404, 503],
  }),
]);
