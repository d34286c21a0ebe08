/** What sync_event.ts needs of a provider: one event per booking, read and written on condition. */

/** The result of session_event in sql/60_bookings/tables/14_calendar_events.sql. Texts are plain. */
export interface SessionEvent {
  summary: string;
  description: string;
  /** ISO 8601 in UTC. */
  start: string;
  end: string;
  /** Empty without a place. */
  location: string;
  attendees: Attendee[];
}

export interface Attendee {
  /** In lower case. */
  email: string;
  name: string;
}

/** Where the event of a booking is, or will be. */
export interface EventPlace {
  bookingId: string;
  /** The provider's id of the calendar. */
  calendarId: string;
  /** The provider's id of the event; null if its creation is not confirmed. */
  eventId: string | null;
  /** A UUID by which the provider recognizes a repeated creation. */
  creationKey: string;
}

export interface FoundEvent {
  id: string;
  etag: string;
  /** Google keeps deleted events, and their ids cannot be used again. */
  isCancelled: boolean;
  /** As the provider writes them, with the address of each. */
  attendees: { email: string; entry: object }[];
}

/** Which attendees an update replaces. */
export interface AttendeeChange {
  /** Attendees that others added, with what they answered, and wanted ones that are in the event. */
  kept: object[];
  added: Attendee[];
}

/** The events of one provider, with an access token. Each method throws CalendarError and TokenRejectedError. */
export interface EventApi {
  /**
   * Whether the provider rejects a creation that arrives after its event was deleted. If not, nothing may follow a
   * creation whose response was lost until it can no longer arrive.
   */
  rejectsLateCreations: boolean;
  find(place: EventPlace): Promise<FoundEvent | null>;
  /** The id of the new event; null if an event with the key exists, or existed. */
  create(place: EventPlace, event: SessionEvent): Promise<string | null>;
  /** False if the event has changed since it was found. */
  update(place: EventPlace, found: FoundEvent, event: SessionEvent, attendees: AttendeeChange): Promise<boolean>;
  /** False if the event has changed since it was found. */
  remove(place: EventPlace, found: FoundEvent): Promise<boolean>;
}
