/** /api/booking-links: what a podcast offers for booking. The rules are in sql/60_bookings. */
import {
  BookingLinkPathParams,
  BookingLinkResponse,
  CreateBookingLinkRequest,
  DeleteBookingLinkResponse,
  ExplainAvailabilityQuery,
  ExplainAvailabilityResponse,
  ListBookingLinksQuery,
  ListBookingLinksResponse,
  UpdateBookingLinkRequest,
} from "../../types/booking_links.ts";
import { authenticatedRouter } from "../app/app.ts";
import { operation } from "../app/operation.ts";

export const bookingLinks = authenticatedRouter([
  operation("GET", "/", "list_booking_links", {
    summary: "List a podcast's booking links, inactive ones too",
    query: ListBookingLinksQuery,
    response: ListBookingLinksResponse,
    errors: [403, 404],
  }),
  operation("POST", "/", "create_booking_link", {
    summary: "Create a booking link",
    json: CreateBookingLinkRequest,
    response: BookingLinkResponse,
    status: 201,
    errors: [403, 404, 409],
  }),
  operation("PUT", "/:id", "update_booking_link", {
    summary: "Update fields of a booking link",
    params: BookingLinkPathParams,
    rename: { id: "bookingLinkId" },
    changes: UpdateBookingLinkRequest,
    response: BookingLinkResponse,
    errors: [403, 404, 409],
  }),
  operation("DELETE", "/:id", "delete_booking_link", {
    summary: "Delete a booking link without sessions ahead",
    params: BookingLinkPathParams,
    rename: { id: "bookingLinkId" },
    response: DeleteBookingLinkResponse,
    errors: [403, 404, 409],
  }),
  operation("GET", "/:id/explanation", "explain_availability", {
    summary: "Explain why guests can or cannot book each time of a date",
    params: BookingLinkPathParams,
    query: ExplainAvailabilityQuery,
    rename: { id: "bookingLinkId" },
    response: ExplainAvailabilityResponse,
    errors: [403, 404, 500],
  }),
]);
