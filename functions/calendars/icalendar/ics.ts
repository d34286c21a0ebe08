/** Calendars at ICS URLs, read-only. */
import type { BusyInterval, ReadWindow } from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import { type CalendarRequestOptions, readText, requestCalendar } from "../calendar_request.ts";
import { authorizationOf, type CalendarLogin, requireEncryption } from "../login.ts";
import { type IcsOptions, readDocuments } from "./reading.ts";

export type { IcsOptions } from "./reading.ts";

/**
 * The busy times of an iCalendar document inside a window: merged, in order, cut to the window. `onWarnings` receives
 * what cannot be read; the rest counts. Throws CalendarError, also for a document that is cut off or exceeds a bound,
 * because the events that are missing would free their times.
 */
export async function readIcsBusy(
  document: ReadableStream<Uint8Array>,
  window: ReadWindow,
  options: IcsOptions,
): Promise<BusyInterval[]> {
  return await readDocuments(window, options, async ({ computation, add, endDocument }) => {
    for await (const text of readText(document, computation)) add(text);
    endDocument();
  });
}

/**
 * Requests an ICS URL and returns its body for readIcsBusy. `webcal:` means https. A login is sent to the server of the
 * URL alone: redirects elsewhere go without. Throws CalendarError; reading the body does not.
 */
export async function fetchIcs(
  url: string,
  options: CalendarRequestOptions,
  login?: CalendarLogin,
): Promise<ReadableStream<Uint8Array>> {
  const target = url.trim().replace(/^webcals?:\/\//i, "https://");
  if (login) requireEncryption(target, options.allowedHosts);
  const { status, body } = await requestCalendar(target, {
    ...options,
    headers: { accept: "text/calendar, */*;q=0.1", ...login && { authorization: authorizationOf(login) } },
  }).catch((error) => Promise.reject(login ? error : withoutLogin(error)));
  if (status < 300) return body;
  body.cancel().catch(() => {});
  throw new CalendarError("malformed", `The calendar server responded with the unexpected status ${status}`, {
    status,
  });
}

/** A 401 to a request without a login says what is missing. */
function withoutLogin(error: unknown): unknown {
  if (!(error instanceof CalendarError) || error.status !== 401) return error;
  const { kind, status, retryAfterSeconds } = error;
  const message = "The calendar needs a login; connect the calendar again with a username and a password";
  return new CalendarError(kind, message, { status, retryAfterSeconds });
}
