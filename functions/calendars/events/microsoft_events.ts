/** Events of sessions in Microsoft's calendars (Graph). https://learn.microsoft.com/en-us/graph/api/resources/event */
import { z } from "zod";
import { env } from "../../runtime/env.ts";
import { parseResponse } from "../calendar.ts";
import type { Attendee, EventApi, EventPlace, SessionEvent } from "./event_api.ts";
import { readPages } from "../providers/microsoft.ts";
import { type ProviderRequest, requestJson } from "../providers/http.ts";

const PROVIDER = "Microsoft";

/** An extended property of events, with the id of the booking. */
const BOOKING_PROPERTY = "String {6f3b4d2c-1b7e-4a55-9a3e-8d0c7c1f5e21} Name castbaseBookingId";

/** Without the body, into which its owner may have put megabytes. */
const SELECT = "$select=id,attendees";

/** Moving an event keeps its id. */
const PREFER = 'IdType="ImmutableId"';

const GraphEvent = z.object({
  id: z.string().min(1).max(1024),
  "@odata.etag": z.string().min(1).max(1024),
  attendees: z.array(z.looseObject({ emailAddress: z.looseObject({ address: z.string().nullish() }).optional() }))
    .default([]),
});

const GraphEvents = z.object({ value: z.array(GraphEvent), "@odata.nextLink": z.string().optional() });

export function microsoftEvents(token: string): EventApi {
  const request = ({ headers, ...options }: Omit<ProviderRequest, "provider" | "token">) =>
    requestJson({
      provider: PROVIDER,
      token,
      headers: { prefer: PREFER, ...headers },
      ...options,
    });

  async function get(eventId: string) {
    const { status, body } = await request({ url: `${eventUrl(eventId)}?${SELECT}`, handledStatuses: [404] });
    return status === 404 ? undefined : parseResponse(PROVIDER, GraphEvent, body);
  }

  async function search({ calendarId, bookingId }: EventPlace) {
    const filter =
      `singleValueExtendedProperties/Any(ep: ep/id eq '${BOOKING_PROPERTY}' and ep/value eq '${bookingId}')`;
    const url = `${calendarUrl(calendarId)}?$filter=${encodeURIComponent(filter)}&${SELECT}`;
    const [event] = await readPages(GraphEvents, url, { token, maxItems: 1, prefer: PREFER });
    return event;
  }

  return {
    rejectsLateCreations: false, // a transactionId is compared with the events that exist

    async find(place) {
      const event = place.eventId && await get(place.eventId) || await search(place);
      if (!event) return null;
      return {
        id: event.id,
        etag: event["@odata.etag"],
        isCancelled: false,
        attendees: event.attendees.map(({ status: _, ...entry }) => ({
          email: (entry.emailAddress?.address ?? "").toLowerCase(),
          entry,
        })),
      };
    },

    async create(place, event) {
      const { status, body } = await request({
        url: calendarUrl(place.calendarId),
        body: {
          ...contentOf(event),
          attendees: event.attendees.map(attendeeOf),
          transactionId: place.creationKey,
          singleValueExtendedProperties: [{ id: BOOKING_PROPERTY, value: place.bookingId }],
        },
        handledStatuses: [409],
      });
      return status === 409 ? null : parseResponse(PROVIDER, GraphEvent, body).id;
    },

    async update(_place, { id, etag }, event, { kept, added }) {
      const { status } = await request({
        method: "PATCH",
        url: eventUrl(id),
        headers: { "if-match": etag },
        body: { ...contentOf(event), attendees: [...kept, ...added.map(attendeeOf)] },
        handledStatuses: [404, 409, 412],
      });
      return status < 300;
    },

    async remove(_place, { id, etag }) {
      const { status } = await request({
        method: "DELETE",
        url: eventUrl(id),
        headers: { "if-match": etag },
        handledStatuses: [404, 409, 412],
      });
      return status < 300 || status === 404;
    },
  };
}

const calendarUrl = (calendarId: string) =>
  `${env.MICROSOFT_GRAPH_URL}/me/calendars/${encodeURIComponent(calendarId)}/events`;

const eventUrl = (eventId: string) => `${env.MICROSOFT_GRAPH_URL}/me/events/${encodeURIComponent(eventId)}`;

const contentOf = ({ summary, description, location, start, end }: SessionEvent) => ({
  subject: summary,
  location: { displayName: location },
  body: { contentType: "text", content: description },
  isAllDay: false, // its owner may have moved it to whole days
  start: timeOf(start),
  end: timeOf(end),
});

/** Graph's times have no offset. */
const timeOf = (utc: string) => ({ dateTime: utc.replace(/Z$/, ""), timeZone: "UTC" });

const attendeeOf = ({ email, name }: Attendee) => ({ type: "required", emailAddress: { address: email, name } });
