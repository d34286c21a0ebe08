/**
 * Reads the busy times of connected calendars into the database. Its functions (sql/60_bookings/jobs) decide which
 * calendars are read, lease them, and keep the busy times of a calendar that fails.
 */
import { describeCause, logError, logInfo } from "../../runtime/log.ts";
import { routeSql, withRetry } from "../../database/db.ts";
import { routeService } from "../../database/service.ts";
import type { BusyInterval, BusyTimes, CalendarToRead, ReadWindow } from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import type { ConnectionToRead, Reader } from "./read_connection.ts";

/** A connection that this process has leased. */
interface CalendarRead extends ConnectionToRead {
  lease: string;
}

/** How long a page view or a guest's request waits for providers, and how long the worker does. */
const PAGE_BUDGET_MS = 3000, WORKER_BUDGET_MS = 10_000;
/** A lease outlasts the budget, so that the results can be stored. */
const LEASE_EXTRA_MS = 2000;
/** When the budget is used up, a reader may still return the calendars that it has read. */
const GRACE_MS = 100;
/** As in record_calendar_busy. */
const MAX_INTERVALS = 20_000;
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
  const reads = await claimReads({ bookingLinkId, budgetMs: PAGE_BUDGET_MS });
  const calendars = reads.reduce((sum, read) => sum + read.calendars.length, 0);
  pageReads += calendars;
  try {
    await refreshBusy(reads, { budgetMs: PAGE_BUDGET_MS });
  } finally {
    pageReads -= calendars;
  }
  return calendars > 0;
}

/** Refreshes the busy times of a connection that are stale. Throws errors of the database only. */
export async function refreshConnectionBusy(connectionId: string): Promise<void> {
  await refreshBusy(await claimReads({ connectionId, budgetMs: WORKER_BUDGET_MS }), { budgetMs: WORKER_BUDGET_MS });
}

type Claim = { budgetMs: number } & ({ bookingLinkId: string } | { connectionId: string });

async function claimReads({ budgetMs, ...subject }: Claim): Promise<CalendarRead[]> {
  const leaseSeconds = (budgetMs + LEASE_EXTRA_MS) / 1000;
  const reads = await routeService("claim_calendar_reads", { ...subject, leaseSeconds });
  return reads.map((read) => ({
    connectionId: read.read_connection_id,
    provider: read.provider,
    timeZone: read.time_zone ?? undefined, // null: there is none
    lease: read.lease,
    window: { start: read.window_start, end: read.window_end },
    calendars: read.calendars as CalendarToRead[],
  }));
}

interface RefreshOptions {
  budgetMs: number;
  read?: Reader;
}

/**
 * Reads all connections in parallel and stores each result as it arrives. A calendar that takes longer than the budget
 * fails. Never throws: errors are on the calendars, and in the log.
 */
export async function refreshBusy(reads: CalendarRead[], { budgetMs, read = readConnection }: RefreshOptions) {
  await Promise.all(reads.map(async (one) => {
    try {
      await storeResults(one, await readWithin(budgetMs, one, read));
    } catch (error) {
      logError({ connection_id: one.connectionId, error });
    }
  }));
}

/** The result of each calendar. */
async function readWithin(budgetMs: number, one: CalendarRead, read: Reader): Promise<BusyTimes> {
  const late = new CalendarError("unavailable", "The calendar did not respond in time");
  const timeout = new AbortController(), { promise: end, reject } = Promise.withResolvers<never>();
  const timers = [setTimeout(() => timeout.abort(late), budgetMs), setTimeout(() => reject(late), budgetMs + GRACE_MS)];
  try {
    const found = await Promise.race([read(one, timeout.signal), end]);
    return new Map(one.calendars.map(({ id }) => [id, limitResult(found.get(id), one.window)]));
  } catch (error) {
    const failure = error instanceof CalendarError
      ? error
      : new CalendarError("unavailable", UNEXPECTED, { cause: error });
    return new Map(one.calendars.map(({ id }) => [id, failure]));
  } finally {
    timers.forEach(clearTimeout);
    timeout.abort(late);
  }
}

const UNEXPECTED = "The calendar could not be read";

/** Intervals within the window. */
function limitResult(result: BusyInterval[] | CalendarError | undefined, window: ReadWindow) {
  if (result instanceof CalendarError) return result;
  if (!result) return new CalendarError("malformed", UNEXPECTED);
  const found = result.map(({ start, end }) => ({
    start: start < window.start ? window.start : start,
    end: end > window.end ? window.end : end,
  })).filter(({ start, end }) => start < end);
  if (found.length <= MAX_INTERVALS) return found;
  return new CalendarError("malformed", `The calendar has more than ${MAX_INTERVALS.toLocaleString("en")} busy times`);
}

async function storeResults({ lease, window, connectionId, provider }: CalendarRead, results: BusyTimes) {
  const busy: object[] = [], failures: object[] = [];
  for (const [id, result] of results) {
    if (result instanceof CalendarError) {
      const { kind, message, retryAfterSeconds = null, cause } = result;
      logInfo({
        calendar_id: id,
        connection_id: connectionId,
        provider,
        calendar_error: kind,
        message,
        cause: describeCause(cause),
      });
      failures.push({ id, error: message, retry_after_seconds: retryAfterSeconds });
    } else busy.push({ id, busy: toMultirange(result) });
  }
  if (busy.length > 0) {
    await withRetry(() =>
      routeSql`
        select private.record_calendar_busy(_calendar_id => r.id, _lease => ${lease}, _window_start => ${window.start},
          _window_end => ${window.end}, _busy => r.busy)
        from jsonb_to_recordset(${JSON.stringify(busy)}::text::jsonb) r (id uuid, busy tstzmultirange)`
    );
  }
  if (failures.length > 0) {
    await withRetry(() =>
      routeSql`
        select private.fail_calendar_read(_calendar_id => r.id, _lease => ${lease}, _error => r.error,
          _retry_after_seconds => r.retry_after_seconds)
        from jsonb_to_recordset(${JSON.stringify(failures)}::text::jsonb)
          r (id uuid, error text, retry_after_seconds int)`
    );
  }
}

/** Postgres merges the intervals. */
const toMultirange = (intervals: BusyInterval[]) =>
  `{${intervals.map(({ start, end }) => `[${start.toISOString()},${end.toISOString()})`).join()}}`;

/** Loads the readers with the first calendar: they take megabytes, and most isolates read none. */
const readConnection: Reader = async (connection, signal) =>
  await (await import("./read_connection.ts")).readConnection(connection, signal);
