/** Events of sessions in Google Calendar. https://developers.google.com/workspace/calendar/api/v3/reference/events */
import { z } from "zod";
import { env } from "../../runtime/env.ts";
import { parseResponse } from "../calendar.ts";
import type { Attendee, EventApi, EventPlace, SessionEvent } from "./event_api.ts";
import { type ProviderRequest, requestJson } from "../providers/http.ts";

const PROVIDER = "Google";
const MAX_DESCRIPTION_CHARS = 8192;

const GoogleEvent = z.object({
  id: z.string().min(1).max(1024),
  etag: z.string().min(1).max(1024),
  status: z.string().optional(),
  attendees: z.array(z.looseObject({ email: z.string().optional() })).default([]),
});

export function googleEvents(token: string): EventApi {
  const request = (options: Omit<ProviderRequest, "provider" | "token">) =>
    requestJson({ provider: PROVIDER, token, ...options });

  return {
    rejectsLateCreations: true,

    async find(place) {
      const url = eventUrl(place, place.eventId ?? googleEventId(place.creationKey));
      const { status, body } = await request({ url, handledStatuses: [404, 410] });
      if (status !== 200) return null;
      const { id, etag, status: state, attendees } = parseResponse(PROVIDER, GoogleEvent, body);
      return {
        id,
        etag,
        isCancelled: state === "cancelled",
        attendees: attendees.map((entry) => ({ email: (entry.email ?? "").toLowerCase(), entry })),
      };
    },

    async create(place, event) {
      const { status, body } = await request({
        url: eventUrl(place),
        body: {
          id: googleEventId(place.creationKey),
          ...contentOf(place, event),
          start: { dateTime: event.start },
          end: { dateTime: event.end },
          attendees: event.attendees.map(attendeeOf),
        },
        handledStatuses: [409],
      });
      return status === 409 ? null : parseResponse(PROVIDER, GoogleEvent, body).id;
    },

    async update(place, { id, etag }, event, { kept, added }) {
      const { status } = await request({
        method: "PATCH",
        url: eventUrl(place, id),
        headers: { "if-match": etag },
        body: {
          ...contentOf(place, event),
          status: "confirmed", // also of an event that was deleted in the calendar
          start: { dateTime: event.start, date: null }, // its owner may have moved it to whole days
          end: { dateTime: event.end, date: null },
          attendees: [...kept, ...added.map(attendeeOf)],
        },
        handledStatuses: [404, 410, 412],
      });
      return status < 300;
    },

    async remove(place, { id, etag }) {
      const { status } = await request({
        method: "DELETE",
        url: eventUrl(place, id),
        headers: { "if-match": etag },
        handledStatuses: [404, 410, 412],
      });
      return status !== 412;
    },
  };
}

/** Google's ids are digits of base 32 (RFC 2938); a UUID has 26. */
const googleEventId = (uuid: string) => BigInt(`0x${uuid.replaceAll("-", "")}`).toString(32).padStart(26, "0");

/** An event of a place, or its list of events. Google sends no emails about what is written there. */
function eventUrl({ calendarId }: EventPlace, eventId?: string): string {
  const events = `${env.GOOGLE_CALENDAR_API_URL}/calendars/${encodeURIComponent(calendarId)}/events`;
  return `${events}${eventId === undefined ? "" : `/${encodeURIComponent(eventId)}`}?sendUpdates=none`;
}

const contentOf = ({ bookingId }: EventPlace, { summary, description, location }: SessionEvent) => ({
  summary,
  location,
  description: toHtml(description),
  extendedProperties: { private: { castbaseBookingId: bookingId } },
});

const attendeeOf = ({ email, name }: Attendee) => ({ email, displayName: name });

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Google shows a description as HTML; a guest wrote parts of it. */
function toHtml(text: string): string {
  let html = "";
  for (const character of text) {
    const encoded = ENTITIES[character] ?? character;
    if (html.length + encoded.length > MAX_DESCRIPTION_CHARS) break;
    html += encoded;
  }
  return html;
}
