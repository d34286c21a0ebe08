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
} from "../../types/bookings.ts";
import { authenticatedRouter, optionalUser, publicRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { flatReply, reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";
import { refreshLinkBusy } from "../calendars/busy/refresh_busy.ts";

const hostRoutes = authenticatedRouter()
  .get(
    "/",
    describeRoute({
      operationId: "listBookings",
      summary: "List a podcast's bookings by the time of their sessions",
      response: ListBookingsResponse,
      errors: [403, 404],
    }),
    valid("query", ListBookingsQuery),
    async (c) => {
      return flatReply(await c.var.db.call("list_bookings", c.req.valid("query")));
    },
  )
  .post(
    "/:id/confirm",
    describeRoute({
      operationId: "confirmBooking",
      summary: "Confirm a requested booking",
      response: BookingResponse,
      errors: [403, 404, 409],
    }),
    valid("param", BookingPathParams),
    valid("json", ConfirmBookingRequest),
    async (c) => {
      const { id: bookingId } = c.req.valid("param");
      return reply(await c.var.db.call("confirm_booking", { bookingId, ...c.req.valid("json") }));
    },
  )
  .post(
    "/:id/decline",
    describeRoute({
      operationId: "declineBooking",
      summary: "Decline a requested booking",
      response: BookingResponse,
      errors: [403, 404, 409],
    }),
    valid("param", BookingPathParams),
    valid("json", BookingMessageRequest),
    async (c) => {
      const { id: bookingId } = c.req.valid("param");
      return reply(await c.var.db.call("decline_booking", { bookingId, ...c.req.valid("json") }));
    },
  )
  .post(
    "/:id/cancel",
    describeRoute({
      operationId: "cancelBooking",
      summary: "Cancel a pending or confirmed booking",
      response: BookingResponse,
      errors: [403, 404, 409],
    }),
    valid("param", BookingPathParams),
    valid("json", BookingMessageRequest),
    async (c) => {
      const { id: bookingId } = c.req.valid("param");
      return reply(await c.var.db.call("cancel_booking", { bookingId, ...c.req.valid("json") }));
    },
  )
  .post(
    "/:id/reschedule",
    describeRoute({
      operationId: "rescheduleBooking",
      summary: "Move a booking to another time",
      response: BookingResponse,
      errors: [403, 404, 409, 429],
    }),
    valid("param", BookingPathParams),
    valid("json", RescheduleBookingRequest),
    async (c) => {
      const { id: bookingId } = c.req.valid("param");
      return reply(await c.var.db.call("reschedule_booking", { bookingId, ...c.req.valid("json") }));
    },
  );

// The hosts' routes come last, because their router requires a login
export const bookings = publicRouter()
  .post(
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
  )
  .post(
    "/guest",
    describeRoute({
      operationId: "getGuestBooking",
      summary: "Get the booking of an access token",
      response: GuestBookingResponse,
      errors: [401],
    }),
    valid("json", GuestBookingRequest),
    async (c) => {
      return reply(await c.var.db.call("get_guest_booking", c.req.valid("json")));
    },
  )
  .post(
    "/guest/verify",
    describeRoute({
      operationId: "verifyGuestBooking",
      summary: "Verify the email address of a booking as its guest",
      description: "For a button of the page that the emails link to. Mail scanners open the page, so opening it " +
        "must not call this.",
      response: GuestBookingResponse,
      errors: [401, 409],
    }),
    valid("json", GuestBookingRequest),
    async (c) => {
      return reply(await c.var.db.call("verify_guest_booking", c.req.valid("json")));
    },
  )
  .post(
    "/guest/cancel",
    describeRoute({
      operationId: "cancelGuestBooking",
      summary: "Cancel a booking as its guest",
      response: GuestBookingResponse,
      errors: [401, 409],
    }),
    valid("json", CancelGuestBookingRequest),
    async (c) => {
      return reply(await c.var.db.call("cancel_guest_booking", c.req.valid("json")));
    },
  )
  .post(
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
      const { link } = JSON.parse((await c.var.db.call("get_guest_booking", { accessToken })).text);
      if (link) await refreshLinkBusy(link.id);
      return reply(await c.var.db.call("reschedule_guest_booking", request));
    },
  )
  .route("/", hostRoutes);
