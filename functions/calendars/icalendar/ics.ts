/** Calendars at ICS URLs, read-only. */
import type { BusyInterval, ReadWindow } from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import { type CalendarRequestOptions, readText, requestCalendar } from "../calendar_request.ts";
import { createIcsReading, type IcsOptions } from "./reading.ts";

export type { IcsOptions } from "./reading.ts";

/**
 * The busy times of an iCalendar document inside a window: merged, in order, cut to the window. An event that cannot be
 * read is reported to `onProblem`, the others count. Throws CalendarError, also for a document that is cut off or
 * exceeds a bound, because the events that are missing would free their times.
 */
export async function readIcsBusy(
  document: ReadableStream<Uint8Array>,
  window: ReadWindow,
  options: IcsOptions,
): Promise<BusyInterval[]> {
  const reading = await createIcsReading(window, options);
  for await (const text of readText(document)) reading.add(text);
  reading.endDocument();
  return await reading.finish();
}

/**
 * Requests an ICS URL and returns its body for readIcsBusy. `webcal:` means https. Throws CalendarError; reading the
 * body does not.
 */
export async function fetchIcs(url: string, options: CalendarRequestOptions): Promise<ReadableStream<Uint8Array>> {
  const { status, body } = await requestCalendar(url.trim().replace(/^webcals?:\/\//i, "https://"), {
    ...options,
    headers: { accept: "text/calendar, */*;q=0.1" },
  });
  if (status < 300) return body;
  body.cancel().catch(() => {});
  throw new CalendarError("malformed", `The calendar server responded with the unexpected status ${status}`, {
    status,
  });
}
