/** Reads calendars at CalDAV and ICS URLs. */
import { getFetchSettings } from "../../database/fetch_settings.ts";
import { readCaldavBusy } from "../caldav/caldav.ts";
import type { BusyInterval, CalendarToRead, CalendarWarning, ReadWindow } from "../calendar.ts";
import { CalendarError, SharedCostError } from "../calendar_error.ts";
import type { CalendarRequestOptions } from "../calendar_request.ts";
import type { SharedCpu } from "../icalendar/budget.ts";
import { fetchIcs, type IcsOptions, readIcsBusy } from "../icalendar/ics.ts";

/** Calendars of one URL or account, with what reading them needs. */
export interface UrlsToRead {
  provider: "caldav" | "ics";
  secret: { url: string; username?: string; password?: string };
  /** The user's. */
  email: string | null;
  /** Of the user or of their booking links (IANA): dates without a zone are days there. */
  timeZone: string | undefined;
  window: ReadWindow;
  calendars: CalendarToRead[];
  /** Receives the name that an ICS calendar gives itself. */
  onName?(name: string): void;
}

/** The bounds of reading several calendars. */
export interface ReadLimits {
  /** Ends the reading when its time is over. */
  signal: AbortSignal;
  /** Computing time of one calendar. */
  maxCpuMs: number;
  /** Computing time of all calendars of a user. */
  cpu: SharedCpu;
}

export interface CalendarReading {
  busy: BusyInterval[];
  warnings: CalendarWarning[];
  isSlow: boolean;
}

/**
 * The result of each calendar, by our id: its reading, why it failed, or `unread` if the limits left it no time. A
 * calendar that is unread did not fail.
 */
export type CalendarResults = Map<string, CalendarReading | CalendarError | "unread">;

/** From these on, a page view does not wait for a calendar. A reading of `api` may take 250 ms of computing time. */
const SLOW_MS = 2000, SLOW_CPU_MS = 200;
/** Of one server at a time: a calendar can take megabytes of memory and tenths of a second to compute. */
const MAX_CONCURRENT_URLS = 3;
/** Of one calendar: what the worker gives to it. */
const TIMEOUT_MS = 30_000;

/** Whether page views leave a calendar to the worker. */
export const isSlow = (elapsedMs: number, cpuMs = 0) => elapsedMs > SLOW_MS || cpuMs > SLOW_CPU_MS;

export async function readUrls(urls: UrlsToRead, limits: ReadLimits): Promise<CalendarResults> {
  const settings = await getFetchSettings();
  const results: CalendarResults = new Map(), first = urls.calendars.slice(0, MAX_CONCURRENT_URLS);
  const waiting = [...urls.calendars];
  async function readNext() {
    for (let calendar = waiting.shift(); calendar; calendar = waiting.shift()) {
      const hasTime = !limits.signal.aborted && limits.cpu.leftMs > limits.cpu.floorMs;
      const result = hasTime ? await readUrl(urls, calendar, { ...limits, ...settings }) : "unread";
      // a calendar that waited for others has had less time than a slow one may take
      const isCut = result instanceof CalendarError && limits.signal.aborted && !first.includes(calendar);
      results.set(calendar.id, isCut ? "unread" : result);
      // many wrong logins would lock the account
      const isRejected = result instanceof CalendarError && result.kind === "revoked";
      if (isRejected) waiting.splice(0).forEach((other) => results.set(other.id, result));
    }
  }
  await Promise.all(first.map(readNext));
  return results;
}

async function readUrl(
  { provider, secret, email, timeZone, window, onName }: UrlsToRead,
  { externalId }: CalendarToRead,
  limits: ReadLimits & Pick<CalendarRequestOptions, "allowedHosts" | "userAgent">,
): Promise<CalendarReading | CalendarError | "unread"> {
  const { url, username = "", password = "" } = secret;
  let warnings: CalendarWarning[] = [], cpuMs = 0;
  const options: CalendarRequestOptions & IcsOptions = {
    ...limits,
    timeoutMs: TIMEOUT_MS,
    timeZone,
    ownerEmails: [email ?? "", username].filter((one) => one !== ""),
    onCost: (ms) => cpuMs = ms,
    onWarnings: (found) => warnings = found,
    onName,
  };
  const began = performance.now();
  try {
    const busy = provider === "ics"
      ? await readIcsBusy(await fetchIcs(url, options, username ? { username, password } : undefined), window, options)
      : await readCaldavBusy(externalId, { username, password }, window, options);
    return { busy, warnings, isSlow: isSlow(performance.now() - began, cpuMs) };
  } catch (error) {
    if (error instanceof SharedCostError) return "unread";
    if (error instanceof CalendarError) return error;
    throw error;
  }
}
