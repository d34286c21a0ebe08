/** Reads the busy times of iCalendar documents inside a window, within bounds of memory and computing time. */
import type { BusyInterval, CalendarWarning, ReadWindow } from "../calendar.ts";
import { CalendarError, SharedCostError } from "../calendar_error.ts";
import { type CalendarEvent, type EventContext, readEvent } from "./event.ts";
import { EXCEPTION_STEPS, type SharedCpu, type Spend } from "./budget.ts";
import { type Computation, createComputation, type Steps } from "./computation.ts";
import { createEventFilter } from "./event_filter.ts";
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
  /** The computing time of one reading; over it, the reading throws CalendarCostError. A second by default. */
  maxCpuMs?: number;
  /** What the reading shares with others; beyond, it throws SharedCostError. */
  cpu?: SharedCpu;
  /** Receives the computing time when a reading ends, also when it fails. */
  onCost?(ms: number): void;
  /** The owner's addresses: events that they declined do not count. */
  ownerEmails?: readonly string[];
  /** Ends a reading between slices of its computation. */
  signal?: AbortSignal;
  /** Receives what could not be read when the reading ends. */
  onWarnings?(warnings: CalendarWarning[]): void;
  /** Receives the calendar's own name, if it has one. */
  onName?(name: string): void;
}

export interface IcsReading extends ComponentScanner {
  computation: Computation;
}

/** Events that can touch the window, with all that repeat. */
const MAX_EVENTS = 20_000;
/** In all readings of this process at once: some 2 KB each, and an isolate has 256 MB. */
const MAX_PROCESS_EVENTS = 60_000;
/** Busy times after they are merged, and before. */
const MAX_INTERVALS = 20_000, MAX_UNMERGED = 40_000;

/** Zones are asked about times somewhat outside of the window. */
const ZONE_MARGIN = 400 * DAY;

let processEvents = 0;

/**
 * The busy times of the documents that `feed` gives to a reading: merged, in order, inside the window. `feed` may return
 * a document with the calendar's zone. Throws CalendarError for documents that cannot be read, and CalendarCostError
 * or SharedCostError for what takes too long.
 */
export async function readDocuments(
  window: ReadWindow,
  options: IcsOptions,
  feed: (reading: IcsReading) => Promise<string | void>,
): Promise<BusyInterval[]> {
  const computation = createComputation(options);
  const components: Component[] = [];
  try {
    const { findSpans, ...scanner } = createReading(window, options, computation.spend, components);
    const timeZone = await feed({ ...scanner, computation });
    const spans = await computation.run(findSpans(timeZone ?? options.calendarTimeZone));
    return spans.flatMap((span) => {
      const start = Math.max(span.start * 1000, window.start.getTime());
      const end = Math.min(span.end * 1000, window.end.getTime());
      return start < end ? [{ start: new Date(start), end: new Date(end) }] : [];
    });
  } finally {
    processEvents -= components.length;
    computation.endSlice();
    options.onCost?.(computation.cpuMs());
  }
}

function createReading(window: ReadWindow, options: IcsOptions, spend: Spend, components: Component[]) {
  const span = { start: Math.floor(window.start.getTime() / 1000), end: Math.ceil(window.end.getTime() / 1000) };
  const ownerEmails = new Set(options.ownerEmails?.map((email) => email.toLowerCase()));
  const warnings = createWarnings();
  const canTouch = createEventFilter(span);
  const outside = createRevisions();
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
      if (!canTouch(component)) {
        if (!component.lines.has("RECURRENCE-ID")) outside.add(component);
        return false;
      }
      if (components.length >= MAX_EVENTS) {
        throw new CalendarError("malformed", `The calendar has more than ${MAX_EVENTS} events in the requested time`);
      }
      if (processEvents >= MAX_PROCESS_EVENTS) throw new SharedCostError();
      processEvents++;
      components.push(component);
      return true;
    },
  );

  return {
    ...scanner,
    *findSpans(calendarTimeZone: string | undefined): Steps<Span[]> {
      const zones = createZoneNames({
        timeZone: options.timeZone,
        calendarTimeZone,
        from: span.start - ZONE_MARGIN,
        to: span.end + ZONE_MARGIN,
        spend,
      });
      const context = { zones, ownerEmails, spend, onProblem: warnings.add };
      const spans = yield* findSpans(components, outside, context, span);
      options.onWarnings?.(warnings.list());
      return spans;
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

/** The busy times inside the window, merged and in order. */
function* findSpans(
  components: Component[],
  outside: Revisions,
  context: EventContext,
  window: Span,
): Steps<Span[]> {
  const { spend } = context;
  let spans: Span[] = [];
  const add = ({ start, end }: Span) => {
    if (!(start < end && start < window.end && end > window.start)) return;
    spans.push({ start: Math.max(start, window.start), end: Math.min(end, window.end) });
    if (spans.length >= MAX_UNMERGED) spans = mergeSpans(spans);
  };
  const eventsByUid = new Map<string | symbol, CalendarEvent[]>();
  for (const component of components) {
    if (spend(10)) yield;
    if (component.name === "VFREEBUSY") yield* readFreeBusy(component, context, add);
    else if (!outside.hasLater(component)) {
      const event = yield* readEvent(component, context);
      const uid = event?.uid ?? Symbol();
      const others = eventsByUid.get(uid);
      if (event && others) others.push(event);
      else if (event) eventsByUid.set(uid, [event]);
    }
  }
  for (const events of eventsByUid.values()) yield* findBusyTimes(events, window, spend, add);
  return mergeSpans(spans);
}

/** The periods of a VFREEBUSY (RFC 5545, 3.6.4). */
function* readFreeBusy(
  { lines }: Component,
  { spend, onProblem }: EventContext,
  add: (span: Span) => void,
): Steps<void> {
  for (const line of lines.get("FREEBUSY") ?? []) {
    if (spend(1)) yield;
    try {
      const { params, value } = readProperty(line, spend);
      if (params.get("fbtype")?.toUpperCase() === "FREE") continue;
      const periods = listOf(value);
      spend(40 * periods.length);
      periods.map(toSpan).forEach(add);
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      spend(EXCEPTION_STEPS);
      onProblem("A busy time (FREEBUSY) cannot be read, so it is left out", `"${line.slice(0, 100)}"`);
    }
  }
}

/** Periods are always in UTC. */
function toSpan(period: string): Span {
  const { start: from, end, length = { nominal: 0, exact: 0 } } = splitPeriod(period);
  const start = parseTime(from).local;
  return { start, end: end === undefined ? start + length.nominal + length.exact : parseTime(end).local };
}

/** Throws CalendarError for too many. */
function mergeSpans(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const { start, end } of spans.sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  if (merged.length <= MAX_INTERVALS) return merged;
  throw new CalendarError("malformed", `The calendar has more than ${MAX_INTERVALS} busy times`);
}
