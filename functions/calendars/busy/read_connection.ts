/** Reads the busy times of a connection from its provider. */
import { getFetchSettings } from "../../database/fetch_settings.ts";
import { logInfo } from "../../runtime/log.ts";
import { routeSql } from "../../database/db.ts";
import { withAccessToken } from "../accounts/access_token.ts";
import { readCaldavBusy } from "../caldav/caldav.ts";
import type { BusyInterval, BusyTimes, CalendarToRead, CalendarWarning, ReadWindow } from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import type { CalendarRequestOptions } from "../calendar_request.ts";
import * as google from "../providers/google.ts";
import { fetchIcs, type IcsOptions, readIcsBusy } from "../icalendar/ics.ts";
import * as microsoft from "../providers/microsoft.ts";

type Provider = "google" | "microsoft" | "caldav" | "ics";

/** A connection with some of its calendars, and the window to read. */
export interface ConnectionToRead {
  connectionId: string;
  provider: Provider;
  /** Of the user or of their booking links (IANA): dates without a zone are days there. */
  timeZone?: string;
  window: ReadWindow;
  calendars: CalendarToRead[];
}

export type Reader = (connection: ConnectionToRead, signal: AbortSignal) => Promise<BusyTimes>;

const accountReader =
  (readBusy: typeof microsoft.readBusy): Reader => ({ connectionId, calendars, window, timeZone }, signal) =>
    withAccessToken(connectionId, (token) => readBusy(token, calendars, window, signal, timeZone), { signal });

/** URL and login of a connection, and its user's address. */
interface UrlConnection {
  secret: { url: string; username?: string; password?: string };
  email: string | null;
}

type UrlOptions = CalendarRequestOptions & IcsOptions;

/** Of one server at a time: a calendar can take megabytes of memory and tenths of a second to compute. */
const MAX_CONCURRENT_URLS = 3;
/** The budget of the caller ends requests before. */
const TIMEOUT_MS = 10_000;

type UrlReader = (
  calendar: CalendarToRead,
  secret: UrlConnection["secret"],
  window: ReadWindow,
  options: UrlOptions,
) => Promise<BusyInterval[]>;

const urlReader =
  (readCalendar: UrlReader): Reader => async ({ connectionId, calendars, window, timeZone }, signal) => {
    const [[connection], settings] = await Promise.all([findConnection(connectionId), getFetchSettings()]);
    if (!connection) throw new CalendarError("not_found", "The calendar connection was removed");
    const results: BusyTimes = new Map(), waiting = [...calendars];
    const { secret, email } = connection;
    async function readNext() {
      for (let calendar = waiting.shift(); calendar; calendar = waiting.shift()) {
        const { id } = calendar;
        const onWarnings = (warnings: CalendarWarning[]) =>
          warnings.forEach(({ text, count }) => logInfo({ calendar_id: id, warning: text, count }));
        const ownerEmails = [email, secret.username].filter((one) => typeof one === "string");
        const options = { timeoutMs: TIMEOUT_MS, signal, ...settings, timeZone, ownerEmails, onWarnings };
        const result = await readCalendar(calendar, secret, window, options).catch(toCalendarError);
        results.set(id, result);
        const isRejected = result instanceof CalendarError && result.kind === "revoked";
        // many wrong logins would lock the account
        if (isRejected) waiting.splice(0).forEach((other) => results.set(other.id, result));
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_URLS }, readNext));
    return results;
  };

const findConnection = (id: string) =>
  routeSql<UrlConnection[]>`
    select private.read_calendar_secret(connection_id => n.id) as secret, u.email
    from public.calendar_connections n
    join auth.users u on u.id = n.user_id
    where n.id = ${id}`;

function toCalendarError(error: unknown): CalendarError {
  if (error instanceof CalendarError) return error;
  throw error;
}

const readers: Record<Provider, Reader> = {
  google: accountReader(google.readBusy),
  microsoft: accountReader(microsoft.readBusy),
  ics: urlReader(async (_, { url }, window, options) => readIcsBusy(await fetchIcs(url, options), window, options)),
  caldav: urlReader(({ externalId }, { username = "", password = "" }, window, options) =>
    readCaldavBusy(externalId, { username, password }, window, options)
  ),
};

/** The result of each calendar. Throws CalendarError if the connection as a whole fails. */
export const readConnection: Reader = (connection, signal) => readers[connection.provider](connection, signal);
