// Bookings as a front end makes and answers them: supabase-js, the generated types and the schemas of types/.
import {
  GetAvailabilityResponse,
  GetMonthAvailabilityResponse,
  GetPublicBookingLinkResponse,
} from "../../types/availability.ts";
import { ExplainAvailabilityResponse } from "../../types/booking_links.ts";
import { BookingResponse, GuestBookingResponse, RequestBookingResponse } from "../../types/bookings.ts";
import type { Client } from "./app.ts";

/** A host offers an hour on each day. */
export async function offerSessions(host: Client, podcastId: string, name: string) {
  const { data } = await host.rpc("create_booking_link", {
    podcast_id: podcastId,
    name,
    timezone: "Europe/Berlin",
    availability_rules: [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime: "10:00", endTime: "12:00" })),
  }).throwOnError();
  const { data: link } = await host.from("booking_links").select("id, slug, podcasts(title)").eq(
    "podcast_id",
    podcastId,
  )
    .eq("name", name).single().throwOnError();
  return { ...link, created: data };
}

/** What a booking page knows of its link, by the slugs of its address. */
export async function findLink(visitor: Client, podcastSlug: string, linkSlug: string) {
  const names = { podcast_slug: podcastSlug, link_slug: linkSlug };
  const { data } = await visitor.rpc("get_public_booking_link", names).throwOnError();
  return GetPublicBookingLinkResponse.shape.data.parse(data);
}

/** The first slots that a visitor without a session can request: those of the link's dates, the next days. */
export async function findSlots(visitor: Client, bookingLinkId: string, from: Date) {
  const { data } = await visitor.rpc("get_month_availability", {
    booking_link_id: bookingLinkId,
    year: from.getUTCFullYear(),
    month: from.getUTCMonth() + 1,
  }).throwOnError();
  const { availableDates } = GetMonthAvailabilityResponse.shape.data.parse(data);
  for (const { date } of availableDates.filter((each) => each.date >= from.toISOString().slice(0, 10))) {
    const response = await visitor.rpc("get_availability", { booking_link_id: bookingLinkId, date }).throwOnError();
    const { slots } = GetAvailabilityResponse.shape.data.parse(response.data);
    if (slots.length > 0) return slots;
  }
  return [];
}

export async function requestSlot(visitor: Client, bookingLinkId: string, start: string, email: string, key: string) {
  const { data, error } = await visitor.rpc("request_booking", {
    booking_link_id: bookingLinkId,
    start_time: start,
    guest_name: "Zoe",
    guest_email: email,
    guest_timezone: "Asia/Kolkata",
    idempotency_key: key,
  });
  return error ? { error: error.hint } : RequestBookingResponse.shape.data.parse(data);
}

export async function confirm(host: Client, bookingId: string) {
  const { data } = await host.rpc("confirm_booking", { booking_id: bookingId }).throwOnError();
  return BookingResponse.shape.data.parse(data);
}

export async function listConfirmed(host: Client, podcastId: string) {
  const { data } = await host.from("bookings").select("id, guest_name, start_time, booking_links(name)")
    .eq("podcast_id", podcastId).eq("status", "confirmed").order("start_time").throwOnError();
  return data.map(({ id, guest_name, booking_links }) => ({ id, guest: guest_name, link: booking_links?.name }));
}

export async function readByToken(visitor: Client, accessToken: string) {
  const { data } = await visitor.rpc("get_guest_booking", { access_token: accessToken }).throwOnError();
  return GuestBookingResponse.shape.data.parse(data).booking;
}

/** The times of a date, each with the reason why guests cannot book it. */
export async function explain(host: Client, bookingLinkId: string, date: string) {
  const { data } = await host.rpc("explain_availability", { booking_link_id: bookingLinkId, date }).throwOnError();
  return ExplainAvailabilityResponse.shape.data.parse(data);
}

/** A link with special hours on one date, and with a place. Guests confirm its bookings themselves. */
export async function offerDate(host: Client, podcastId: string, date: string) {
  const { data } = await host.from("booking_links").insert({
    podcast_id: podcastId,
    name: "Open studio",
    timezone: "UTC",
    date_overrides: [{ date, windows: [{ startTime: "10:00", endTime: "12:00" }] }],
    conflict_scope: "podcast",
    location: { type: "link", value: "https://meet.example.com/studio" },
    requires_confirmation: false,
  }).select().single().throwOnError();
  return data;
}

export async function verify(visitor: Client, accessToken: string) {
  const { data } = await visitor.rpc("verify_guest_booking", { access_token: accessToken }).throwOnError();
  return GuestBookingResponse.shape.data.parse(data).booking;
}

/** Null removes the place. */
export async function setPlace(host: Client, bookingId: string, location: { type: "phone"; value: string } | null) {
  const { data } = await host.rpc("set_booking_location", { booking_id: bookingId, location }).throwOnError();
  return BookingResponse.shape.data.parse(data).location;
}
