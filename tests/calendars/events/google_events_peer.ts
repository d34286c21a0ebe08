// Events of Google Calendar, as routes of the peer: ids that are never free again, etags, and deleted events that stay.
import {
  allEvents,
  type BookedEvent,
  type EventsState,
  isWrite,
  merge,
  nextVersion,
  parseEventRequest,
  type StoredEvent,
} from "./events_peer.ts";
import { googleError, type GooglePeer } from "../providers/google_peer.ts";
import type { AuthorizedRequest, PeerAccount } from "../providers/provider_peer.ts";

const PATH = /^\/calendar\/v3\/calendars\/([^/]+)\/events(?:\/([^/]+))?$/;
const MAX_DESCRIPTION_CHARS = 8192;

/** Adds the routes to a peer. Returns what tests watch and control. */
export function addGoogleEvents(peer: GooglePeer) {
  const state: EventsState = { beforeWrite: () => {}, emails: [] };

  function check({ start, end, description = "" }: StoredEvent): Response | undefined {
    if (!(Date.parse(start?.dateTime) < Date.parse(end?.dateTime)) || start.date || end.date) {
      return googleError(400, "timeRangeEmpty");
    }
    if (description.length > MAX_DESCRIPTION_CHARS) return googleError(400, "invalid");
  }

  function save(request: AuthorizedRequest, events: Map<string, StoredEvent>, event: StoredEvent): Response {
    const stored = { ...event, etag: `"${nextVersion()}"` };
    events.set(event.id, stored);
    if (request.query.get("sendUpdates") !== "none") {
      for (const { email } of event.attendees ?? []) state.emails.push(`${request.method} ${email}`);
    }
    return request.method === "DELETE" ? new Response(null, { status: 204 }) : Response.json(stored);
  }

  function insert(request: AuthorizedRequest, events: Map<string, StoredEvent>, body: StoredEvent): Response {
    if (!/^[a-v0-9]{5,1024}$/.test(body.id)) return googleError(400, "invalid");
    if (events.has(body.id)) return googleError(409, "duplicate", "The requested identifier already exists.");
    return check(body) ?? save(request, events, { kind: "calendar#event", status: "confirmed", ...body });
  }

  peer.extraRoutes.push(async (request) => {
    const target = parseEventRequest(request, PATH);
    if (!target) return;
    if (isWrite(request)) await state.beforeWrite(request);
    const { calendar, eventId, body } = target, { method, headers } = request;
    if (!calendar) return googleError(404, "notFound");
    const { events } = calendar, stored = events.get(eventId ?? "");
    if (isWrite(request) && !calendar.isWritable) return googleError(403, "requiredAccessLevel");
    if (method === "POST" && eventId === undefined) return insert(request, events, body);
    if (!stored) return googleError(404, "notFound");
    if (method === "GET") return Response.json(stored);
    if (method === "DELETE" && stored.status === "cancelled") return googleError(410, "deleted");
    if (![null, stored.etag].includes(headers.get("if-match"))) return googleError(412, "conditionNotMet");
    if (method === "DELETE") return save(request, events, { ...stored, status: "cancelled" });
    if (method !== "PATCH") return;
    const changed = merge(stored, body);
    return check(changed) ?? save(request, events, changed);
  });

  const bookingIdOf = (event: StoredEvent) => event.extendedProperties.private.castbaseBookingId;

  /** The events of bookings that the account's calendars show. */
  function bookedEvents(account: PeerAccount): BookedEvent[] {
    return allEvents(account).filter(({ status }) => status === "confirmed").map((event) => ({
      bookingId: bookingIdOf(event),
      summary: event.summary,
      description: event.description,
      location: event.location,
      start: event.start.dateTime,
      end: event.end.dateTime,
      attendees: (event.attendees ?? []).map(({ email }: { email: string }) => email).sort(),
    }));
  }

  /** The calendar's user changes the events of a booking, or all. */
  function edit(account: PeerAccount, change: (event: StoredEvent) => void, bookingId?: string) {
    for (const event of allEvents(account)) {
      if (bookingId !== undefined && bookingIdOf(event) !== bookingId) continue;
      change(event);
      event.etag = `"${nextVersion()}"`;
    }
  }

  return {
    state,
    bookedEvents,
    edit,
    invite: (event: StoredEvent, email: string) =>
      void event.attendees.push({ email, displayName: "Invited", responseStatus: "accepted" }),
    /** The calendar's user deletes the events of a booking, or all. */
    remove: (account: PeerAccount, bookingId?: string) =>
      edit(account, (event) => event.status = "cancelled", bookingId),
  };
}
