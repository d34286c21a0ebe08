/** Reads the busy times of a connection from its provider. */
import { getAllowedHosts } from "../app/allowed_hosts.ts";
import { logInfo } from "../app/log.ts";
import { serviceSql } from "../database/db.ts";
import { withAccessToken } from "./access_token.ts";
import { readCaldavBusy } from "./caldav.ts";
import type { BusyInterval, BusyTimes, CalendarToRead, ReadWindow } from "./calendar.ts";
import { CalendarError } from "./calendar_error.ts";
import type { CalendarRequestOptions } from "./calendar_request.ts";
import * as google from "./google.ts";
import { fetchIcs, type IcsOptions, readIcsBusy } from "./ics.ts";
import * as microsoft from "./microsoft.ts";

export type Provider = "google" | "microsoft" | "caldav" | "ics";

/** A connection with some of its calendars, and the window to read. */
export interface ConnectionToRead {
  connectionId: string;
  provider: Provider;
  window: ReadWindow;
  calendars: CalendarToRead[];
}

type Reader = (connection: ConnectionToRead, signal: AbortSignal) => Promise<BusyTimes>;

const accountReader =
  ({ readBusy }: typeof google | typeof microsoft): Reader => ({ connectionId, calendars, window }, signal) =>
    withAccessToken(connectionId, (token) => readBusy(token, calendars, window, signal), { signal });

/** URL and login of a connection, and what the times of its events depend on. */
interface UrlConnection {
  secret: { url: string; username?: string; password?: string };
  timeZone: string;
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

const urlReader = (readCalendar: UrlReader): Reader => async ({ connectionId, calendars, window }, signal) => {
  const [[connection], allowedHosts] = await Promise.all([findConnection(connectionId), getAllowedHosts()]);
  if (!connection) throw new CalendarError("not_found", "The calendar connection was removed");
  const results: BusyTimes = new Map(), waiting = [...calendars];
  const { secret, timeZone, email } = connection;
  async function readNext() {
    for (let calendar = waiting.shift(); calendar; calendar = waiting.shift()) {
      const { id } = calendar;
      const onProblem = (problem: string) => logInfo({ calendar_id: id, problem });
      const ownerEmails = [email, secret.username].filter((one) => typeof one === "string");
      const options = { timeoutMs: TIMEOUT_MS, signal, allowedHosts, timeZone, ownerEmails, onProblem };
      results.set(id, await readCalendar(calendar, secret, window, options).catch(toCalendarError));
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_URLS }, readNext));
  return results;
};

const findConnection = (id: string) =>
  serviceSql<UrlConnection[]>`
    select private.read_calendar_secret(n.id) as secret, p.timezone as "timeZone", u.email
    from public.calendar_connections n
    join public.profiles p on p.id = n.user_id
    join auth.users u on u.id = n.user_id
    where n.id = ${id}`;

function toCalendarError(error: unknown): CalendarError {
  if (error instanceof CalendarError) return error;
  throw error;
}

const readers: Record<Provider, Reader> = {
  google: accountReader(google),
  microsoft: accountReader(microsoft),
  ics: urlReader(async (_, { url }, window, options) => readIcsBusy(await fetchIcs(url, options), window, options)),
  caldav: urlReader(({ externalId }, { username = "", password = "" }, window, options) =>
    readCaldavBusy(externalId, { username, password }, window, options)
  ),
};

/** The result of each calendar. Throws CalendarError if the connection as a whole fails. */
export const readConnection: Reader = (connection, signal) => readers[connection.provider](connection, signal);
