/** Makes the event of a booking in a host's calendar agree with the booking. The rules are in sql/60_bookings. */
import { createHash } from "node:crypto";
import { RequeueJob } from "../../runtime/job_run.ts";
import { service } from "../../database/service.ts";
import { withAccessToken } from "../accounts/access_token.ts";
import type { OAuthProvider } from "../accounts/oauth.ts";
import { CalendarError, LateCreationError } from "../calendar_error.ts";
import type { AttendeeChange, EventApi, FoundEvent, SessionEvent } from "./event_api.ts";
import { googleEvents } from "./google_events.ts";
import { microsoftEvents } from "./microsoft_events.ts";

/** The result of begin_calendar_sync. */
type BeginResult = null | { state: "busy" } | { state: "begun" } & Attempt;

interface Attempt {
  attemptId: string;
  /** No earlier attempt may have created the event. */
  isFirst: boolean;
  provider: OAuthProvider;
  connectionId: string;
  calendarId: string;
  eventId: string | null;
  creationKey: string;
  /** Null: the event is to be removed. */
  event: SessionEvent | null;
  digest: string | null;
  attendeeDigests: string[];
}

const apis: Record<OAuthProvider, (token: string) => EventApi> = { google: googleEvents, microsoft: microsoftEvents };

/** An event that moves to another calendar needs two, a calendar that rejects it one more. */
const MAX_ATTEMPTS = 4;
/** Of readings and writes in an attempt: each change by others needs another. */
const MAX_ROUNDS = 6;
/** Until the next look at a booking that another worker writes. */
const BUSY_DELAY_SECONDS = 2;

/**
 * Reads and writes the calendar until nothing is left to do. An interruption at any point is harmless: the next run
 * finds what was written.
 */
export async function syncEvent(bookingId: string, requireTime: () => void = () => {}): Promise<void> {
  let rejection: CalendarError | undefined;
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    requireTime();
    const begun = await service("begin_calendar_sync", { bookingId }) as BeginResult;
    if (!begun) return;
    if (begun.state === "busy") throw new RequeueJob(BUSY_DELAY_SECONDS);
    try {
      const eventId = await withAccessToken(
        begun.connectionId,
        (token) => write(bookingId, begun, apis[begun.provider](token)),
      );
      await record(bookingId, begun, eventId);
    } catch (error) {
      if (error instanceof LateCreationError || error instanceof RequeueJob) throw error;
      const { kind } = error as CalendarError;
      const isRejection = kind === "forbidden" || kind === "not_found";
      await fail(bookingId, begun, isRejection ? (error as CalendarError).message : null);
      if (!isRejection && kind !== "revoked") throw error;
      rejection = error as CalendarError; // its user reads it; another calendar may take the event
    }
  }
  throw rejection ?? new CalendarError("unavailable", "The booking and its calendar keep changing");
}

/** Writes or removes the event. Returns its id, or null if there is none. */
async function write(bookingId: string, attempt: Attempt, api: EventApi): Promise<string | null> {
  const { event, calendarId, eventId, creationKey } = attempt;
  const place = { bookingId, calendarId, eventId, creationKey };
  let conflicts = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await api.find(place);
    if (!event && (found?.isCancelled || !found && (place.eventId !== null || !api.rejectsLateCreations))) return null;
    // after the reading, so that what another attempt writes from now on makes this one's write fail
    place.creationKey = await hold(bookingId, attempt, conflicts > 1);
    if (found && event) {
      if (await api.update(place, found, event, changeAttendees(found, event, attempt))) return found.id;
    } else if (found) {
      if (await api.remove(place, found)) return null;
    } else {
      // an earlier creation may still arrive: it fails after this one, also when this event is removed
      const created = await createEvent(() => api.create(place, event ?? PLACEHOLDER), api);
      if (created === null) conflicts++;
      else if (event && attempt.isFirst && conflicts === 0) return created;
      else place.eventId = created; // may be that of an earlier attempt, with its content
    }
  }
  throw new CalendarError("unavailable", "The event in the calendar keeps changing");
}

const PLACEHOLDER: SessionEvent = {
  summary: "–",
  description: "",
  start: "2000-01-01T00:00:00Z",
  end: "2000-01-01T00:01:00Z",
  location: "",
  attendees: [],
};

async function createEvent<T>(create: () => Promise<T>, { rejectsLateCreations }: EventApi): Promise<T> {
  try {
    return await create();
  } catch (error) {
    // a gateway that gave up may have passed the request on; 503 says that it was not executed
    const isLost = error instanceof CalendarError && error.kind === "unavailable" && error.status !== 503;
    throw isLost && !rejectsLateCreations ? new LateCreationError(error.message) : error;
  }
}

/** Keeps what others added to the event, and the answers of attendees who stay. */
function changeAttendees({ attendees }: FoundEvent, event: SessionEvent, { attendeeDigests }: Attempt): AttendeeChange {
  const wanted = new Set(event.attendees.map(({ email }) => email)), written = new Set(attendeeDigests);
  const kept = attendees.filter(({ email }) => wanted.has(email) || !written.has(digestOf(email)));
  const present = new Set(kept.map(({ email }) => email));
  return {
    kept: kept.map(({ entry }) => entry),
    added: event.attendees.filter(({ email }) => !present.has(email)),
  };
}

const digestOf = (email: string) => createHash("sha256").update(email).digest("hex");

async function hold(bookingId: string, { attemptId }: Attempt, renewsCreationKey: boolean): Promise<string> {
  const key = await service("hold_calendar_sync", { bookingId, attemptId, renewsCreationKey });
  if (key === null) throw new RequeueJob(BUSY_DELAY_SECONDS); // another attempt has begun
  return key;
}

async function record(bookingId: string, { attemptId, digest }: Attempt, eventId: string | null): Promise<void> {
  await service("record_calendar_event", { bookingId, attemptId, externalId: eventId, digest });
}

async function fail(bookingId: string, { attemptId }: Attempt, rejection: string | null): Promise<void> {
  await service("fail_calendar_sync", { bookingId, attemptId, rejection });
}
