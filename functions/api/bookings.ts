/** /api/bookings: requests of guests, their calls by access token, and the hosts' answers. The rules are in sql/60_bookings. */
import {
  BookingMessageRequest,
  BookingPathParams,
  BookingResponse,
  CancelGuestBookingRequest,
  ConfirmBookingRequest,
  GuestBookingRequest,
  GuestBookingResponse,
  ListBookingsQuery,
  ListBookingsResponse,
  RequestBookingHeaders,
  RequestBookingRequest,
  RequestBookingResponse,
  RescheduleBookingRequest,
  RescheduleGuestBookingRequest,
  SetBookingLocationRequest,
} from "../../types/bookings.ts";
import { authenticatedRouter, optionalUser, publicRouter, subRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { operation } from "../app/operation.ts";
import { flatReply, parseResult, reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";
import { refreshLinkBusy } from "../calendars/busy/refresh_busy.ts";

/** Routes of a booking: `:id` is the argument `bookingId`. */
const ofBooking = { params: BookingPathParams, rename: { id: "bookingId" } } as const;

const hostRoutes = authenticatedRouter([
  operation("GET", "/", "list_bookings", {
    summary: "List a podcast's bookings by the time of their sessions",
    query: ListBookingsQuery,
    reply: flatReply,
    response: ListBookingsResponse,
    errors: [403, 404],
  }),
  operation("POST", "/:id/confirm", "confirm_booking", {
    summary: "Confirm a requested booking",
    ...ofBooking,
    json: ConfirmBookingRequest,
    response: BookingResponse,
    errors: [403, 404, 409],
  }),
  operation("POST", "/:id/decline", "decline_booking", {
    summary: "Decline a requested booking",
    ...ofBooking,
    json: BookingMessageRequest,
    response: BookingResponse,
    errors: [403, 404, 409],
  }),
  operation("POST", "/:id/cancel", "cancel_booking", {
    summary: "Cancel a pending or confirmed booking",
    ...ofBooking,
    json: BookingMessageRequest,
    response: BookingResponse,
    errors: [403, 404, 409],
  }),
  operation("POST", "/:id/reschedule", "reschedule_booking", {
    summary: "Move a booking to another time",
    ...ofBooking,
    json: RescheduleBookingRequest,
    response: BookingResponse,
    errors: [403, 404, 409, 429],
  }),
  operation("PUT", "/:id/location", "set_booking_location", {
    summary: "Set the place of a booking",
    ...ofBooking,
    json: SetBookingLocationRequest,
    response: BookingResponse,
    errors: [403, 404, 409, 429],
  }),
]);

// The hosts' routes come last, because their router requires a login
export const bookings = publicRouter([
  subRouter().post(
    "/",
    optionalUser,
    describeRoute({
      operationId: "requestBooking",
      summary: "Request a booking of an available slot",
      description: "Signed-in callers who book with their own confirmed address are verified at once. Other guests " +
        "verify the address on the page that the email links to.",
      response: RequestBookingResponse,
      status: 201,
      errors: [403, 404, 409, 429],
      headers: RequestBookingHeaders,
    }),
    valid("json", RequestBookingRequest),
    async (c) => {
      const request = c.req.valid("json"), idempotencyKey = c.req.header("idempotency-key");
      await refreshLinkBusy(request.bookingLinkId);
      return reply(await c.var.db.call("request_booking", { ...request, idempotencyKey }));
    },
  ),
  operation("POST", "/guest", "get_guest_booking", {
    summary: "Get the booking of an access token",
    json: GuestBookingRequest,
    response: GuestBookingResponse,
    errors: [401],
  }),
  operation("POST", "/guest/verify", "verify_guest_booking", {
    summary: "Verify the email address of a booking as its guest",
    description: "For a button of the page that the emails link to. Mail scanners open the page, so opening it " +
      "must not call this.",
    json: GuestBookingRequest,
    response: GuestBookingResponse,
    errors: [401, 409],
  }),
  operation("POST", "/guest/cancel", "cancel_guest_booking", {
    summary: "Cancel a booking as its guest",
    json: CancelGuestBookingRequest,
    response: GuestBookingResponse,
    errors: [401, 409],
  }),
  subRouter().post(
    "/guest/reschedule",
    describeRoute({
      operationId: "rescheduleGuestBooking",
      summary: "Move a booking to another available slot as its guest",
      response: GuestBookingResponse,
      errors: [401, 409, 429],
    }),
    valid("json", RescheduleGuestBookingRequest),
    async (c) => {
      const request = c.req.valid("json"), { accessToken } = request;
      const { link } = parseResult(await c.var.db.call("get_guest_booking", { accessToken }));
      if (link) await refreshLinkBusy(link.id);
      return reply(await c.var.db.call("reschedule_guest_booking", request));
    },
  ),
  hostRoutes,
]);
