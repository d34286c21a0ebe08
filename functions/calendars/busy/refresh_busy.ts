/**
 * Reads the busy times of connected calendars into the database. Its functions (sql/60_bookings/jobs) decide which
 * calendars are read, lease them, and keep the busy times of a calendar that fails.
 */
import { describeCause, logError, logInfo } from "../../runtime/log.ts";
import { withRetry } from "../../database/db.ts";
import { routeService } from "../../database/service.ts";
import type { CalendarToRead } from "../calendar.ts";
import { CalendarCostError, CalendarError } from "../calendar_error.ts";
import type { SharedCpu } from "../icalendar/budget.ts";
import type { ConnectionToRead, Reader } from "./read_connection.ts";
import type { CalendarReading, CalendarResults } from "./read_urls.ts";
import { toMultirange } from "./multirange.ts";

/** A connection that this process has leased. */
export interface CalendarRead extends ConnectionToRead {
  lease: string;
  userId: string;
  /** Computing time that the calendars of the user may still take in this minute. */
  cpuLeftMs: number;
}

/** How long a reader waits for providers, and the computing time that it gives to a calendar. */
interface Patience {
  budgetMs: number;
  maxCpuMs: number;
  /** The same for all calendars of a user; the one that is being read then continues to the end of its own time. */
  totalCpuMs: number;
  /** A calendar that takes longer fails. Without it, the calendar is left to the worker. */
  isFinal: boolean;
}

/** A page view or a guest's request. */
const PAGE: Patience = { budgetMs: 3000, maxCpuMs: 250, totalCpuMs: 250, isFinal: false };
const WORKER: Patience = { budgetMs: 30_000, maxCpuMs: 1000, totalCpuMs: 500, isFinal: true };
/** A lease outlasts the budget, so that the results can be stored. */
const LEASE_EXTRA_MS = 2000;
/** When the budget is used up, a reader may still return the calendars that it has read. */
const GRACE_MS = 100;
/** While page views of this process read so many calendars, others show the last known busy times. */
const MAX_PAGE_READS = 100;

let pageReads = 0;
const refreshes = new Map<string, Promise<boolean>>();

/**
 * Refreshes the busy times of a booking link's hosts that are stale. True if it read any. Page views of one link at the
 * same moment share a refresh. Throws errors of the database only.
 */
export function refreshLinkBusy(bookingLinkId: string): Promise<boolean> {
  const current = refreshes.get(bookingLinkId);
  if (current) return current;
  const refresh = readLink(bookingLinkId).finally(() => refreshes.delete(bookingLinkId));
  refreshes.set(bookingLinkId, refresh);
  return refresh;
}

async function readLink(bookingLinkId: string): Promise<boolean> {
  if (pageReads >= MAX_PAGE_READS) return false;
  const reads = await claimReads({ bookingLinkId }, PAGE);
  const calendars = reads.reduce((sum, read) => sum + read.calendars.length, 0);
  pageReads += calendars;
  try {
    await refreshBusy(reads, PAGE);
  } finally {
    pageReads -= calendars;
  }
  return calendars > 0;
}

/** Refreshes the busy times of a connection that are stale. Throws errors of the database only. */
export async function refreshConnectionBusy(connectionId: string): Promise<void> {
  await refreshBusy(await claimReads({ connectionId }, WORKER), WORKER);
}

async function claimReads(
  subject: { bookingLinkId: string } | { connectionId: string },
  { budgetMs }: Patience,
): Promise<CalendarRead[]> {
  const leaseSeconds = (budgetMs + LEASE_EXTRA_MS) / 1000;
  const reads = await routeService("claim_calendar_reads", { ...subject, leaseSeconds });
  return reads.map((read) => ({
    connectionId: read.read_connection_id,
    userId: read.user_id,
    provider: read.provider,
    cpuLeftMs: read.cpu_left_ms,
    timeZone: read.time_zone ?? undefined, // null: there is none
    lease: read.lease,
    window: { start: read.window_start, end: read.window_end },
    calendars: read.calendars as CalendarToRead[],
  }));
}

/**
 * Reads all connections in parallel and stores each result as it arrives. Never throws: errors are on the calendars, and
 * in the log.
 */
export async function refreshBusy(reads: CalendarRead[], patience: Patience, read: Reader = readConnection) {
  const cpuByUser = new Map(reads.map(({ userId, cpuLeftMs }) => [userId, shareCpu(cpuLeftMs, patience.totalCpuMs)]));
  await Promise.all(reads.map(async (one) => {
    for (const [id, outcome] of await readWithin(patience, one, cpuByUser.get(one.userId)!, read)) {
      await storeOutcome(one, id, outcome).catch((error) => logError({ calendar_id: id, error }));
    }
  }));
  const costs = new Map(reads.map(({ userId, cpuLeftMs }) => [userId, cpuLeftMs - cpuByUser.get(userId)!.leftMs]));
  for (const [userId, cost] of costs) await addCalendarCost(userId, cost);
}

/** Of so much time that a user has left, readings take `totalCpuMs` at most. */
export const shareCpu = (leftMs: number, totalCpuMs: number): SharedCpu => ({
  leftMs,
  floorMs: Math.max(0, leftMs - totalCpuMs),
});

/** Records the computing time that reading calendars of a user took. */
export async function addCalendarCost(userId: string, cpuMs: number) {
  if (cpuMs <= 0) return;
  try {
    await withRetry(() => routeService("add_calendar_cost", { userId, cpuMs: Math.ceil(cpuMs) }));
  } catch (error) {
    logError({ user_id: userId, error });
  }
}

/** What becomes of a calendar: it was read, it failed, or it is left to the worker, and did not fail. */
type Outcome = CalendarReading | { failure: CalendarError } | { isReturned: true; isSlow: boolean };

async function readWithin(
  { budgetMs, maxCpuMs, isFinal }: Patience,
  one: CalendarRead,
  cpu: SharedCpu,
  read: Reader,
): Promise<Map<string, Outcome>> {
  const late = new CalendarError("unavailable", "The calendar did not respond in time");
  const timeout = new AbortController(), { promise: end, reject } = Promise.withResolvers<never>();
  const timers = [setTimeout(() => timeout.abort(late), budgetMs), setTimeout(() => reject(late), budgetMs + GRACE_MS)];
  let results: CalendarResults, failure: CalendarError | undefined;
  try {
    results = await Promise.race([read(one, { signal: timeout.signal, maxCpuMs, cpu }), end]);
  } catch (error) {
    results = new Map();
    failure = error instanceof CalendarError ? error : new CalendarError("unavailable", UNEXPECTED, { cause: error });
  }
  const isLate = timeout.signal.aborted;
  timers.forEach(clearTimeout);
  timeout.abort(late);
  return new Map(one.calendars.map(({ id }): [string, Outcome] => {
    const result = results.get(id) ?? failure ?? new CalendarError("malformed", UNEXPECTED);
    if (result === "unread") return [id, { isReturned: true, isSlow: false }];
    if (!(result instanceof CalendarError)) return [id, result];
    const isTooMuch = isLate && result.kind === "unavailable" || result instanceof CalendarCostError;
    return [id, isTooMuch && !isFinal ? { isReturned: true, isSlow: true } : { failure: result }];
  }));
}

const UNEXPECTED = "The calendar could not be read";

async function storeOutcome(
  { lease, window, connectionId, provider }: CalendarRead,
  calendarId: string,
  outcome: Outcome,
) {
  if ("isReturned" in outcome) {
    await routeService("return_calendar_read", { calendarId, lease, isSlow: outcome.isSlow });
  } else if ("failure" in outcome) {
    const { kind, message, retryAfterSeconds = null, cause } = outcome.failure;
    logInfo({
      calendar_id: calendarId,
      connection_id: connectionId,
      provider,
      calendar_error: kind,
      message,
      cause: describeCause(cause),
    });
    const isRejected = kind === "revoked";
    await routeService("fail_calendar_read", { calendarId, lease, error: message, retryAfterSeconds, isRejected });
  } else {
    await routeService("record_calendar_busy", {
      calendarId,
      lease,
      windowStart: window.start,
      windowEnd: window.end,
      busy: toMultirange(outcome.busy, window),
      warnings: outcome.warnings,
      isSlow: outcome.isSlow,
    });
  }
}

/** Loads the readers with the first calendar: they take megabytes, and most isolates read none. */
const readConnection: Reader = async (connection, limits) =>
  await (await import("./read_connection.ts")).readConnection(connection, limits);
