// Events of Microsoft Graph, as routes of the peer: ids of the server, transaction ids, etags, extended properties.
import {
  allEvents,
  type BookedEvent,
  type EventsState,
  isWrite,
  nextVersion,
  parseEventRequest,
  type StoredEvent,
} from "./events_peer.ts";
import { graphError, type MicrosoftPeer } from "../providers/microsoft_peer.ts";
import type { AuthorizedRequest, PeerAccount, PeerCalendar } from "../providers/provider_peer.ts";

const LIST = /^\/v1\.0\/me\/calendars\/([^/]+)\/events$/;
const ITEM = /^\/v1\.0\/me\/events\/([^/]+)$/;
const FILTER = /^singleValueExtendedProperties\/Any\(ep: ep\/id eq '([^']+)' and ep\/value eq '([^']*)'\)$/;

interface MicrosoftState extends EventsState {
  /** How a creation with the transaction id of an event is answered: by the event, or by 409. */
  duplicateStatus: 201 | 409;
  /** The first page of a list is empty and continues. */
  hasEmptyPages: boolean;
}

/** Adds the routes to a peer. Returns what tests watch and control. */
export function addMicrosoftEvents(peer: MicrosoftPeer) {
  const state: MicrosoftState = { beforeWrite: () => {}, emails: [], duplicateStatus: 201, hasEmptyPages: false };

  function check({ start, end }: StoredEvent): Response | undefined {
    const [from, to] = [start, end].map((time) => time?.timeZone === "UTC" ? Date.parse(`${time.dateTime}Z`) : NaN);
    if (!(from < to)) return graphError(400, "ErrorPropertyValidationFailure");
  }

  /** Microsoft sends its invitations and cancellations by itself. */
  function announce({ method }: AuthorizedRequest, { attendees = [] }: StoredEvent) {
    for (const { emailAddress } of attendees) state.emails.push(`${method} ${emailAddress.address}`);
  }

  function save(request: AuthorizedRequest, { events }: PeerCalendar, event: StoredEvent, status = 200): Response {
    const attendees = (event.attendees ?? []).map((attendee: object) => ({
      status: { response: "none", time: "0001-01-01T00:00:00Z" },
      ...attendee,
    }));
    const stored = { ...event, attendees, "@odata.etag": `W/"${nextVersion()}"` };
    events.set(event.id, stored);
    announce(request, stored);
    return Response.json(stored, { status });
  }

  function create(request: AuthorizedRequest, calendar: PeerCalendar, body: StoredEvent): Response {
    const twin = allEvents(request.account).find(({ transactionId }) => transactionId === body.transactionId);
    if (twin) {
      return state.duplicateStatus === 201
        ? Response.json(twin, { status: 201 })
        : graphError(409, "ErrorDuplicateTransactionId");
    }
    return check(body) ?? save(request, calendar, { id: `AAMk=${crypto.randomUUID()}`, ...body }, 201);
  }

  /** Without $expand, Graph leaves extended properties out; the etag is always there. */
  function select({ singleValueExtendedProperties: _, ...event }: StoredEvent, query: URLSearchParams): StoredEvent {
    const names = query.get("$select")?.split(",");
    return Object.fromEntries(
      Object.entries(event).filter(([name]) => !names || [...names, "@odata.etag"].includes(name)),
    );
  }

  function list({ path, query }: AuthorizedRequest, { events }: PeerCalendar): Response {
    const [isMatch, property, value] = FILTER.exec(query.get("$filter") ?? "") ?? [];
    if (isMatch === undefined) return graphError(400, "ErrorInvalidUrlQueryFilter");
    if (state.hasEmptyPages && !query.has("$skip")) {
      const next = `${peer.url}${path}?$filter=${encodeURIComponent(query.get("$filter")!)}&$skip=10`;
      return Response.json({ value: [], "@odata.nextLink": next });
    }
    const found = [...events.values()].filter((event) =>
      event.singleValueExtendedProperties.some((one: StoredEvent) => one.id === property && one.value === value)
    );
    return Response.json({ value: found.map((event) => select(event, query)) });
  }

  peer.extraRoutes.push(async (request) => {
    const { method, path, headers, account } = request;
    const listed = parseEventRequest(request, LIST), [, itemId] = ITEM.exec(path) ?? [];
    if (!listed && itemId === undefined) return;
    if (isWrite(request)) await state.beforeWrite(request);
    if (headers.get("prefer") !== 'IdType="ImmutableId"') return graphError(400, "ErrorInvalidIdMalformed");
    if (listed) {
      if (!listed.calendar) return graphError(404, "ErrorItemNotFound");
      if (method === "GET") return list(request, listed.calendar);
      if (!listed.calendar.isWritable) return graphError(403, "ErrorAccessDenied");
      return create(request, listed.calendar, listed.body);
    }
    const id = decodeURIComponent(itemId);
    const calendar = [...account.calendars.values()].find(({ events }) => events.has(id));
    if (!calendar) return graphError(404, "ErrorItemNotFound");
    const stored = calendar.events.get(id);
    if (method === "GET") return Response.json(select(stored, request.query));
    if (!calendar.isWritable) return graphError(403, "ErrorAccessDenied");
    if (![null, stored["@odata.etag"]].includes(headers.get("if-match"))) {
      return graphError(412, "ErrorIrresolvableConflict");
    }
    if (method === "DELETE") {
      calendar.events.delete(id);
      announce(request, stored);
      return new Response(null, { status: 204 });
    }
    const changed = { ...stored, ...JSON.parse(request.text) };
    return check(changed) ?? save(request, calendar, changed);
  });

  const bookingIdOf = (event: StoredEvent) => event.singleValueExtendedProperties[0].value;

  /** The events of bookings that the account's calendars show. */
  function bookedEvents(account: PeerAccount): BookedEvent[] {
    return allEvents(account).map((event) => ({
      bookingId: bookingIdOf(event),
      summary: event.subject,
      description: event.body.content,
      location: event.location.displayName,
      start: `${event.start.dateTime}Z`,
      end: `${event.end.dateTime}Z`,
      attendees: event.attendees.map(({ emailAddress }: StoredEvent) => emailAddress.address).sort(),
    }));
  }

  /** The calendar's user changes the events of a booking, or all. */
  function edit(account: PeerAccount, change: (event: StoredEvent) => void, bookingId?: string) {
    for (const event of allEvents(account)) {
      if (bookingId !== undefined && bookingIdOf(event) !== bookingId) continue;
      change(event);
      event["@odata.etag"] = `W/"${nextVersion()}"`;
    }
  }

  return {
    state,
    bookedEvents,
    edit,
    invite: (event: StoredEvent, email: string) =>
      void event.attendees.push({
        type: "optional",
        emailAddress: { address: email, name: "Invited" },
        status: { response: "accepted", time: "2026-01-01T00:00:00Z" },
      }),
    /** The calendar's user deletes the events of a booking, or all. */
    remove({ calendars }: PeerAccount, bookingId?: string) {
      for (const { events } of calendars.values()) {
        for (const [id, event] of events) {
          if (bookingId === undefined || bookingIdOf(event) === bookingId) events.delete(id);
        }
      }
    },
  };
}
