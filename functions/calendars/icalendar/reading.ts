/** Reads the busy times of iCalendar documents inside a window, within bounds of memory and computing time. */
import type { BusyInterval, CalendarWarning, ReadWindow } from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import { type CalendarEvent, type EventContext, readEvent } from "./event.ts";
import { createBudget, EXCEPTION_STEPS, type Spend } from "./budget.ts";
import { computeInTurn } from "./compute_in_turn.ts";
import { findBusyTimes, type Span } from "./event_times.ts";
import { type Component, type ComponentScanner, createComponentScanner } from "./components.ts";
import { listOf, parseTime, readProperty, splitPeriod, unescapeText } from "./property_values.ts";
import { DAY } from "./local_time.ts";
import { createRevisions, type Revisions } from "./revisions.ts";
import { createWarnings } from "./calendar_warnings.ts";
import { createZoneNames } from "./zone_names.ts";

export interface IcsOptions {
  /**
   * The owner's zone (IANA), or that of their booking links: of dates and times without a zone, unless the calendar
   * names another.
   */
  timeZone: string | undefined;
  /** The CalDAV property `calendar-timezone`: a document with a VTIMEZONE. */
  calendarTimeZone?: string;
  /** The computing time of one reading; over it, the reading throws CalendarCostError. */
  maxCpuMs?: number;
  /** Receives the computing time when a reading ends, also when it fails. */
  onCost?(ms: number): void;
  /** The owner's addresses: events that they declined do not count. */
  ownerEmails?: readonly string[];
  /** Ends a reading before its busy times are computed. */
  signal?: AbortSignal;
  /** Receives what could not be read when the reading ends. */
  onWarnings?(warnings: CalendarWarning[]): void;
  /** Receives the calendar's own name, if it has one. */
  onName?(name: string): void;
}

export interface IcsReading extends ComponentScanner {
  /** Busy times of all documents: merged, in order, inside the window. */
  finish(): Promise<BusyInterval[]>;
}

/** Events that can touch the window, with all that repeat. */
const MAX_EVENTS = 20_000;
/** Busy times before they are merged. */
const MAX_INTERVALS = 20_000;

/** Zones are asked about times somewhat outside of the window. */
const ZONE_MARGIN = 400 * DAY;

/** Throws CalendarError for documents that cannot be read, here and in all its methods. */
export function createIcsReading(window: ReadWindow, options: IcsOptions): IcsReading {
  const span = { start: Math.floor(window.start.getTime() / 1000), end: Math.ceil(window.end.getTime() / 1000) };
  const ownerEmails = new Set(options.ownerEmails?.map((email) => email.toLowerCase()));
  const spend = createBudget();
  const warnings = createWarnings();
  const canTouch = createFilter(span);
  const components: Component[] = [];
  const outside = createRevisions();
  const zones = createZoneNames({
    timeZone: options.timeZone,
    calendarTimeZone: options.calendarTimeZone,
    from: span.start - ZONE_MARGIN,
    to: span.end + ZONE_MARGIN,
    spend,
  });

  let hasName = false;
  const scanner = createComponentScanner(
    (name, line) => {
      if (name === "X-WR-CALNAME" && !hasName) {
        hasName = true;
        reportName(line, spend, options);
      }
      return name !== "ATTENDEE" || /declined/i.test(line);
    },
    (component) => {
      if (!canTouch(component)) return outside.add(component);
      if (components.length >= MAX_EVENTS) {
        throw new CalendarError("malformed", `The calendar has more than ${MAX_EVENTS} events in the requested time`);
      }
      components.push(component);
    },
  );

  return {
    ...scanner,
    async finish() {
      const context = { zones, ownerEmails, spend, onProblem: warnings.add };
      const spans = await computeInTurn(() => findSpans(components, outside, context, span), options.signal);
      options.onWarnings?.(warnings.list());
      return mergeSpans(spans).flatMap((merged) => {
        const start = Math.max(merged.start * 1000, window.start.getTime());
        const end = Math.min(merged.end * 1000, window.end.getTime());
        return start < end ? [{ start: new Date(start), end: new Date(end) }] : [];
      });
    },
  };
}

function reportName(line: string, spend: Spend, { onName }: IcsOptions) {
  try {
    const name = unescapeText(readProperty(line, spend).value);
    if (name) onName?.(name);
  } catch (error) {
    if (error instanceof CalendarError) throw error; // the budget; a name that cannot be read is left out
  }
}

/** Whether a component can touch the window, by its text: most events of an old calendar end here. */
function createFilter({ start, end }: Span) {
  const dateOf = (instant: number) => new Date(instant * 1000).toISOString().slice(0, 10).replaceAll("-", "");
  const first = dateOf(start - 2 * DAY); // zones differ by up to 26 hours
  const firstOfShort = dateOf(start - 2 * DAY - MAX_SHORT_DAYS * DAY);
  const last = dateOf(end + 2 * DAY);
  return ({ name, lines }: Component): boolean => {
    if (name !== "VEVENT" || lines.has("RRULE") || lines.has("RDATE") || lines.has("RECURRENCE-ID")) return true;
    const [startDate, endDate] = ["DTSTART", "DTEND"].map((property) => DATE.exec(lines.get(property)?.[0] ?? "")?.[1]);
    if (startDate === undefined) return true;
    if (startDate > last) return false;
    if (lines.has("DTEND")) return endDate === undefined || endDate >= first || endDate < startDate;
    const duration = lines.get("DURATION")?.[0];
    if (duration === undefined) return startDate >= first;
    return !SHORT_DURATION.test(duration) || startDate >= firstOfShort;
  };
}

const DATE = /:(\d{8})(?:T\d{6}Z?)?$/;
/** At most 999 hours and 999 minutes. */
const SHORT_DURATION = /:PT(?:\d{1,3}H)?(?:\d{1,3}M)?$/;
const MAX_SHORT_DAYS = 43;

function findSpans(components: Component[], outside: Revisions, context: EventContext, window: Span): Span[] {
  const spans: Span[] = [];
  let count = 0;
  const add = ({ start, end }: Span) => {
    if (!(start < end && start < window.end && end > window.start)) return;
    if (++count > MAX_INTERVALS) {
      throw new CalendarError("malformed", `The calendar has more than ${MAX_INTERVALS} busy times`);
    }
    spans.push({ start, end });
  };
  const eventsByUid = new Map<string | symbol, CalendarEvent[]>();
  for (const component of components) {
    if (component.name === "VFREEBUSY") readFreeBusy(component, context).forEach(add);
    else {
      if (outside.hasLater(component)) continue;
      const event = readEvent(component, context);
      const uid = event?.uid ?? Symbol();
      const others = eventsByUid.get(uid);
      if (event && others) others.push(event);
      else if (event) eventsByUid.set(uid, [event]);
    }
  }
  for (const events of eventsByUid.values()) findBusyTimes(events, window, context.spend, add);
  return spans;
}

/** The periods of a VFREEBUSY (RFC 5545, 3.6.4). */
function readFreeBusy({ lines }: Component, { spend, onProblem }: EventContext): Span[] {
  return (lines.get("FREEBUSY") ?? []).flatMap((line) => {
    try {
      const { params, value } = readProperty(line, spend);
      if (params.get("fbtype")?.toUpperCase() === "FREE") return [];
      return listOf(value).map((period) => {
        spend(40);
        const { start: from, end, length = { nominal: 0, exact: 0 } } = splitPeriod(period);
        const start = parseTime(from).local; // always in UTC
        return { start, end: end === undefined ? start + length.nominal + length.exact : parseTime(end).local };
      });
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      spend(EXCEPTION_STEPS);
      onProblem("A busy time (FREEBUSY) cannot be read, so it is left out", `"${line.slice(0, 100)}"`);
      return [];
    }
  });
}

function mergeSpans(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const { start, end } of spans.sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
