// What the peers of Google's and Microsoft's events have in common.
import type { AuthorizedRequest, PeerAccount, PeerRequest } from "../providers/provider_peer.ts";

/** An event as the provider keeps it. */
// deno-lint-ignore no-explicit-any -- each provider has its own form
export type StoredEvent = any;

/** An event of a booking, the same for both providers. */
export interface BookedEvent {
  bookingId: string;
  summary: string;
  description: string;
  location: string;
  start: string;
  end: string;
  /** Addresses, sorted. */
  attendees: string[];
}

export interface EventsState {
  /** Runs before a write is executed: a promise delays it, as a slow provider does. */
  beforeWrite: (request: AuthorizedRequest) => Promise<void> | void;
  /** Emails that the provider sent to attendees, as "POST ana@team.test". */
  emails: string[];
}

export const isWrite = ({ method }: PeerRequest) => method !== "GET";

let lastVersion = 0;
/** A new value of an etag. */
export const nextVersion = () => String(++lastVersion);

/** The calendar of a path, the event's id, if it names one, and what the request says. */
export function parseEventRequest({ account, path, text }: AuthorizedRequest, pattern: RegExp) {
  const [isMatch, calendarId, eventId] = pattern.exec(path) ?? [];
  return isMatch === undefined ? undefined : {
    calendar: account.calendars.get(decodeURIComponent(calendarId)),
    eventId: eventId === undefined ? undefined : decodeURIComponent(eventId),
    body: text ? JSON.parse(text) : {},
  };
}

/** JSON merge patch (RFC 7396). */
export function merge(target: StoredEvent, patch: StoredEvent): StoredEvent {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result = { ...typeof target === "object" && target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

/** The events of an account's calendars, with those that the provider shows as deleted. */
export const allEvents = ({ calendars }: PeerAccount): StoredEvent[] =>
  [...calendars.values()].flatMap(({ events }) => [...events.values()]);
