/** The calendar file of an email: an invitation or a cancellation as calendar programs read it (RFC 5545, RFC 5546). */
import type { Attachment } from "./email.ts";
import { toHeaderText } from "./header_text.ts";

interface Person {
  name?: string | null;
  email: string;
}

/** As private.invite_to_calendar() attaches it. Times are ISO 8601. */
export interface CalendarEvent {
  uid: string;
  method: "REQUEST" | "CANCEL";
  status: "TENTATIVE" | "CONFIRMED" | "CANCELLED";
  sequence: number;
  start: string;
  end: string;
  summary: string;
  description?: string | null;
  location?: string | null;
  organizer: Person;
  attendee: Person;
  url?: string | null;
  /** Of the delivery, so that each attempt attaches the same file. */
  createdAt: string;
}

const MAX_SUMMARY_LENGTH = 250, MAX_LOCATION_LENGTH = 2000, MAX_NAME_LENGTH = 100;
/** Without the space that begins the rest of a folded line, which the library does not count: 75 bytes with it. */
const FOLD_LENGTH = 74;

export async function renderCalendarFile(event: CalendarEvent): Promise<Attachment> {
  const { default: ICAL } = await import("ical.js"); // most isolates need no calendar
  ICAL.foldLength = FOLD_LENGTH;
  const calendar = new ICAL.Component("vcalendar"), entry = new ICAL.Component("vevent");
  const time = (iso: string) => ICAL.Time.fromJSDate(new Date(iso), true);
  const addPerson = (name: string, person: Person, parameters: Record<string, string>) => {
    const property = new ICAL.Property(name);
    // a quote in a parameter has an escape (RFC 6868) that few programs know
    const label = toHeaderText(person.name ?? "", MAX_NAME_LENGTH).replaceAll('"', "'");
    for (const [key, value] of Object.entries({ ...label ? { cn: label } : {}, ...parameters })) {
      property.setParameter(key, value);
    }
    property.setValue(`mailto:${person.email}`);
    entry.addProperty(property);
  };

  calendar.addPropertyWithValue("version", "2.0");
  calendar.addPropertyWithValue("prodid", "-//Castbase//Castbase//EN");
  calendar.addPropertyWithValue("method", event.method);
  calendar.addSubcomponent(entry);
  entry.addPropertyWithValue("uid", event.uid);
  entry.addPropertyWithValue("dtstamp", time(event.createdAt));
  entry.addPropertyWithValue("dtstart", time(event.start));
  entry.addPropertyWithValue("dtend", time(event.end));
  entry.addPropertyWithValue("sequence", event.sequence);
  entry.addPropertyWithValue("status", event.status);
  entry.addPropertyWithValue("summary", toHeaderText(event.summary, MAX_SUMMARY_LENGTH));
  const description = toMultilineText(event.description ?? "");
  if (description) entry.addPropertyWithValue("description", description);
  const location = toHeaderText(event.location ?? "", MAX_LOCATION_LENGTH);
  if (location) entry.addPropertyWithValue("location", location);
  if (event.url) entry.addPropertyWithValue("url", event.url);
  addPerson("organizer", event.organizer, {});
  // the guest chose the time, and changes it by the link: no program has to ask, nor to reply by email
  addPerson("attendee", event.attendee, { role: "REQ-PARTICIPANT", partstat: "ACCEPTED", rsvp: "FALSE" });
  return {
    filename: "invite.ics",
    contentType: `text/calendar; charset=utf-8; method=${event.method}`,
    content: `${calendar}\r\n`,
  };
}

/** Without characters that programs reject in a calendar, or that reorder the text around them. */
const toMultilineText = (text: string) =>
  text.toWellFormed().replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, "").trim();
