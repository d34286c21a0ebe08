/** Connects calendars by URL. The server is read before anything is stored, so that a wrong URL is an error at once. */
import { getFetchSettings } from "../../database/fetch_settings.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { routeService } from "../../database/service.ts";
import { FetchError } from "../../safe_fetch/fetch_error.ts";
import { toMultirange } from "../busy/multirange.ts";
import { type CalendarResults, type ReadLimits, readUrls, type UrlsToRead } from "../busy/read_urls.ts";
import { addCalendarCost, shareCpu } from "../busy/refresh_busy.ts";
import { discoverCalendars } from "../caldav/caldav.ts";
import { limitCalendars, type ProviderCalendar } from "../calendar.ts";
import { CalendarCostError, CalendarError } from "../calendar_error.ts";
import { splitLogin } from "../login.ts";
import { type StoredConnection, toApiError } from "./connect_account.ts";

/** Of the whole, and the computing time of a calendar. What takes longer is left to the worker. */
const TIMEOUT_MS = 30_000, MAX_CPU_MS = 250;
/** What a claim of the worker reads of a URL at once. */
const MAX_FIRST_READS = 10;

interface CalendarUrl {
  provider: "caldav" | "ics";
  url: string;
  username?: string;
  password?: string;
}

/**
 * Stores the calendars at a URL with their busy times; those that take too long are pending. Username and password count
 * before those in the URL.
 */
export async function addCalendarUrl(
  userId: string,
  given: CalendarUrl,
  read: UrlsReader = readUrls,
): Promise<StoredConnection> {
  const { url: address, ...login } = splitLogin(given.url);
  const isGiven = given.username !== undefined || given.password !== undefined;
  const named = { ...given, ...!isGiven && login.username && login, url: address };
  const url = (await routeService("begin_calendar_url", { userId, ...named }))!; // checked and normalized
  const [options] = await routeService("calendar_reading_options", { userId });
  const { window_start: start, window_end: end } = options;
  const cpu = shareCpu(options.cpu_left_ms, MAX_CPU_MS);
  const late = new CalendarError("unavailable", "The calendar did not respond in time");
  const timeout = new AbortController(), timer = setTimeout(() => timeout.abort(late), TIMEOUT_MS);
  const limits = { signal: timeout.signal, maxCpuMs: MAX_CPU_MS, cpu };
  const window = { start, end };
  const urls = {
    provider: named.provider,
    secret: { ...named, url },
    email: options.email,
    timeZone: options.time_zone ?? undefined,
    window,
  };
  try {
    const { calendars, results } = await readFirst(urls, limits, read);
    const found = calendars.map((calendar) => {
      const result = results.get(calendar.externalId);
      if (!result || result === "unread" || result instanceof CalendarError) return calendar;
      const { busy, warnings, isSlow } = result;
      const reading = { windowStart: start, windowEnd: end, busy: toMultirange(busy, window), warnings, isSlow };
      return { ...calendar, reading };
    });
    return await routeService("add_calendar_url", { userId, ...named, url, calendars: found }) as StoredConnection;
  } catch (error) {
    throw toUrlError(error);
  } finally {
    clearTimeout(timer);
    await addCalendarCost(userId, options.cpu_left_ms - cpu.leftMs);
  }
}

interface FirstReading {
  calendars: ProviderCalendar[];
  /** By external id. */
  results: CalendarResults;
}

type UrlsReader = typeof readUrls;
type FirstReader = (
  urls: Omit<UrlsToRead, "calendars">,
  limits: ReadLimits,
  read: UrlsReader,
) => Promise<FirstReading>;

const readFirst: FirstReader = (urls, limits, read) =>
  (urls.provider === "ics" ? readIcsUrl : readCaldavUrl)(urls, limits, read);

const readIcsUrl: FirstReader = async (urls, limits, read) => {
  const externalId = "ics";
  let name = "";
  const results = await read({
    ...urls,
    calendars: [{ id: externalId, externalId }],
    onName: (found) => name = found,
  }, limits);
  const result = results.get(externalId);
  if (result instanceof CalendarError && !(result instanceof CalendarCostError)) throw result;
  const calendar = { externalId, name: name || new URL(urls.secret.url).hostname, isPrimary: false, isWritable: false };
  return { calendars: limitCalendars([calendar]), results };
};

/** A server that fails or is slow after it has listed its calendars is right, so the worker tries again. */
const readCaldavUrl: FirstReader = async (urls, limits, read) => {
  const { url, username = "", password = "" } = urls.secret;
  const options = {
    timeoutMs: TIMEOUT_MS,
    signal: limits.signal,
    maxCpuMs: limits.maxCpuMs,
    cpu: limits.cpu,
    ...await getFetchSettings(),
  };
  const calendars = await discoverCalendars(url, { username, password }, options);
  if (calendars.length === 0) throw new CalendarError("not_found", "The server has no calendars at this URL");
  const first = calendars.filter(({ isTransparent }) => !isTransparent).slice(0, MAX_FIRST_READS);
  const toRead = first.map(({ externalId }) => ({ id: externalId, externalId }));
  return { calendars, results: await read({ ...urls, calendars: toRead }, limits) };
};

function toUrlError(error: unknown): unknown {
  if (error instanceof CalendarError && error.cause instanceof FetchError && error.cause.code === "BLOCKED_URL") {
    return new ApiError(400, error.message, { code: "BLOCKED_URL", cause: error.cause }); // as for a URL that says so
  }
  // an unknown host or a slow server is likely to be a wrong URL
  if (!(error instanceof CalendarError) || error.kind !== "unavailable") return toApiError(error);
  return new ApiError(422, error.message, { code: "CALENDAR_UNREADABLE", cause: error.cause });
}
