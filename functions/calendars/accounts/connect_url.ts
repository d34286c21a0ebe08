/** Connects calendars by URL. The server is read before anything is stored, so that a wrong URL is an error at once. */
import { getFetchSettings } from "../../database/fetch_settings.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { routeService } from "../../database/service.ts";
import { FetchError } from "../../safe_fetch/fetch_error.ts";
import { discoverCalendars } from "../caldav/caldav.ts";
import { limitCalendars, type ProviderCalendar } from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import type { CalendarRequestOptions } from "../calendar_request.ts";
import { type StoredConnection, toApiError } from "./connect_account.ts";
import { fetchIcs, readIcsBusy } from "../icalendar/ics.ts";

const TIMEOUT_MS = 20_000;
/** What is read of an ICS URL to see that it is one. */
const TRIAL_MS = 24 * 3600_000;

interface CalendarUrl {
  provider: "caldav" | "ics";
  url: string;
  username?: string;
  password?: string;
}

export async function addCalendarUrl(userId: string, given: CalendarUrl): Promise<StoredConnection> {
  const url = (await routeService("begin_calendar_url", { userId, ...given }))!; // checked and normalized
  const calendars = await listCalendars({ ...given, url });
  return await routeService("add_calendar_url", { userId, ...given, url, calendars }) as StoredConnection;
}

async function listCalendars({ provider, url, username = "", password = "" }: CalendarUrl) {
  const options = { timeoutMs: TIMEOUT_MS, ...await getFetchSettings() };
  try {
    const found = provider === "ics"
      ? [await readIcsCalendar(url, options)]
      : await discoverCalendars(url, { username, password }, options);
    if (found.length === 0) throw new CalendarError("not_found", "The server has no calendars at this URL");
    return limitCalendars(found);
  } catch (error) {
    if (error instanceof CalendarError && error.cause instanceof FetchError && error.cause.code === "BLOCKED_URL") {
      throw new ApiError(400, error.message, { code: "BLOCKED_URL", cause: error.cause }); // as for a URL that says so
    }
    // an unknown host or a slow server is likely to be a wrong URL
    if (!(error instanceof CalendarError) || error.kind !== "unavailable") throw toApiError(error);
    throw new ApiError(422, error.message, { code: "CALENDAR_UNREADABLE", cause: error.cause });
  }
}

async function readIcsCalendar(url: string, options: CalendarRequestOptions): Promise<ProviderCalendar> {
  const start = new Date();
  let name = "";
  await readIcsBusy(await fetchIcs(url, options), { start, end: new Date(start.getTime() + TRIAL_MS) }, {
    timeZone: "UTC",
    onName: (found) => name = found,
  });
  return { externalId: "ics", name: name.trim() || new URL(url).hostname, isPrimary: false, isWritable: false };
}
