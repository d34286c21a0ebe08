/** /api/booking-links: what a podcast offers for booking. The rules are in sql/60_bookings. */
import { NoFields } from "../../types/envelope.ts";
import {
  BookingLinkPathParams,
  BookingLinkResponse,
  CreateBookingLinkRequest,
  DeleteBookingLinkResponse,
  ListBookingLinksQuery,
  ListBookingLinksResponse,
  UpdateBookingLinkRequest,
} from "../../types/booking_links.ts";
import { authenticatedRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const bookingLinks = authenticatedRouter()
  .get(
    "/",
    describeRoute({
      operationId: "listBookingLinks",
      summary: "List a podcast's booking links, inactive ones too",
      response: ListBookingLinksResponse,
      errors: [403, 404],
    }),
    valid("query", ListBookingLinksQuery),
    async (c) => {
      return reply(await c.var.db.call("list_booking_links", c.req.valid("query")));
    },
  )
  .post(
    "/",
    describeRoute({
      operationId: "createBookingLink",
      summary: "Create a booking link",
      response: BookingLinkResponse,
      status: 201,
      errors: [403, 404, 409],
    }),
    valid("json", CreateBookingLinkRequest),
    async (c) => {
      const { podcast_id: podcastId, ...fields } = c.req.valid("json");
      return reply(await c.var.db.call("create_booking_link", { podcastId, ...fields }));
    },
  )
  .put(
    "/:id",
    describeRoute({
      operationId: "updateBookingLink",
      summary: "Update fields of a booking link",
      response: BookingLinkResponse,
      errors: [403, 404, 409],
    }),
    valid("param", BookingLinkPathParams),
    valid("json", UpdateBookingLinkRequest),
    async (c) => {
      const { id: bookingLinkId } = c.req.valid("param");
      return reply(await c.var.db.call("update_booking_link", { bookingLinkId, changes: c.req.valid("json") }));
    },
  )
  .delete(
    "/:id",
    describeRoute({
      operationId: "deleteBookingLink",
      summary: "Delete a booking link without sessions ahead",
      response: DeleteBookingLinkResponse,
      errors: [403, 404, 409],
    }),
    valid("param", BookingLinkPathParams),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("delete_booking_link", { bookingLinkId: c.req.valid("param").id }));
    },
  );
