/** One event of an iCalendar document: its times, and whether it blocks them. */
import { CalendarError } from "../calendar_error.ts";
import { type Component, type Lines, valueOf } from "./components.ts";
import {
  type Length,
  listOf,
  parseLength,
  parseTime,
  type Property,
  readProperty,
  splitPeriod,
  type WrittenTime,
} from "./property_values.ts";
import { DAY, dayOf, mod } from "./local_time.ts";
import { EXCEPTION_STEPS, type Spend } from "./budget.ts";
import type { Steps } from "./computation.ts";
import { parseRule, type RecurrenceRule } from "./recurrence_rule.ts";
import { toInstant, toLocal, UTC, type Zone } from "./zone.ts";
import type { ReportProblem } from "./calendar_warnings.ts";
import type { ZoneNames } from "./zone_names.ts";

/** A time in its zone. */
export interface Moment {
  local: number;
  isDate: boolean;
  /** Written without a zone. */
  isFloating: boolean;
  zone: Zone;
  instant: number;
}

/** A time that names an occurrence of an event. Without a zone it is one on the clock of the event's start. */
export interface NamedTime extends WrittenTime {
  zone?: Zone;
}

export interface CalendarEvent {
  uid?: string;
  /** SEQUENCE, DTSTAMP and LAST-MODIFIED: of several revisions the greatest counts. */
  revision: number[];
  start: Moment;
  length: Length;
  rules: RecurrenceRule[];
  /** Further starts (RDATE), with a length of their own if they are periods. */
  added: { time: NamedTime; length?: Length }[];
  /** Starts that are left out (EXDATE). */
  removed: NamedTime[];
  /** The occurrence that this event replaces (RECURRENCE-ID), also all later ones with THISANDFUTURE. */
  replaces?: { time: NamedTime; isWithLater: boolean };
  /** Canceled, declined by the owner, or shown as free. */
  isFree: boolean;
  isCanceled: boolean;
}

export interface EventContext {
  zones: ZoneNames;
  /** Addresses of the calendar's owner, in lower case. */
  ownerEmails: ReadonlySet<string>;
  spend: Spend;
  onProblem: ReportProblem;
}

const ONE_HOUR: Length = { nominal: 0, exact: 3600 };
const NO_LENGTH: Length = { nominal: 0, exact: 0 };
const ONE_DAY: Length = { nominal: DAY, exact: 0 };

const END = "An event's end cannot be read, so the event counts as an hour or a day";
const PROBLEMS = {
  DTSTART: "An event's start cannot be read, so the event is left out",
  DTEND: END,
  DURATION: END,
  RDATE: "A further date (RDATE) of an event cannot be read, so it is left out",
  EXDATE: "An exception (EXDATE) of an event cannot be read, so the event also counts at its time",
  "RECURRENCE-ID": "An event replaces an occurrence that cannot be read, so both count",
};

/** Undefined for an event whose start cannot be read, which is reported. */
export function* readEvent(component: Component, given: EventContext): Steps<CalendarEvent | undefined> {
  const context = { ...given, onProblem: onceEach(given.onProblem) };
  const { spend, onProblem } = context;
  const linesOf = (name: string) => component.lines.get(name) ?? [];
  let example = () => `"${valueOf(component.lines, "DTSTART").slice(0, 100)}"`;
  function attempt<T>(problem: string, step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      spend(EXCEPTION_STEPS);
      onProblem(problem, example());
    }
  }
  /** The readable values of a property. */
  function* valuesOf<T>(name: keyof typeof PROBLEMS, parse: (value: string, property: Property) => T): Steps<T[]> {
    const values: T[] = [];
    for (const line of linesOf(name)) {
      if (spend(1)) yield;
      const property = attempt(PROBLEMS[name], () => readProperty(line, spend));
      for (const value of listOf(property?.value ?? "")) {
        const parsed = attempt(PROBLEMS[name], () => parse(value, property!));
        if (parsed !== undefined) values.push(parsed);
      }
    }
    return values;
  }
  const timeOf = (value: string, property: Property) => readTime(value, property, component, context);

  const [start] = yield* valuesOf("DTSTART", (value, property) => {
    const time = timeOf(value, property);
    return toMoment(time, time.zone ?? context.zones.floating(component.calendar, onProblem));
  });
  if (!start) {
    onProblem(PROBLEMS.DTSTART, example());
    return;
  }
  example = () => new Date(start.local * 1000).toISOString().slice(0, start.isDate ? 10 : 16).replace("T", " ");
  if (component.isIncomplete) {
    onProblem("An event has lines that are too long or too many, so they are left out", example());
  }

  const lengthTo = (value: string, property: Property, from = start) =>
    lengthBetween(from, toMoment(timeOf(value, property), from.zone));
  const hasEnd = linesOf("DTEND").length + linesOf("DURATION").length > 0;
  const length = (yield* valuesOf("DTEND", (value, property) => lengthTo(value, property)))[0] ??
    (yield* valuesOf("DURATION", parseLength))[0] ?? (start.isDate ? ONE_DAY : hasEnd ? ONE_HOUR : NO_LENGTH);

  return {
    uid: valueOf(component.lines, "UID") || undefined,
    revision: readRevision(component.lines),
    start,
    length,
    rules: readRules(linesOf("RRULE"), start, spend, (problem) => onProblem(problem, example())),
    added: yield* valuesOf("RDATE", (value, property) => {
      const { start: from, end, length } = splitPeriod(value);
      const time = timeOf(from, property);
      return { time, length: end === undefined ? length : lengthTo(end, property, toMoment(time, start.zone)) };
    }),
    removed: yield* valuesOf("EXDATE", timeOf),
    replaces: (yield* valuesOf("RECURRENCE-ID", (value, property) => ({
      time: timeOf(value, property),
      isWithLater: property.params.get("range")?.toUpperCase() === "THISANDFUTURE",
    })))[0],
    ...readStatus(component, context),
  };
}

/** Reports each kind once. */
function onceEach(report: ReportProblem): ReportProblem {
  const reported = new Set<string>();
  return (kind, example) => {
    if (reported.has(kind)) return;
    reported.add(kind);
    report(kind, example);
  };
}

function readTime(
  value: string,
  { params }: Property,
  { calendar }: Component,
  { zones, spend, onProblem }: EventContext,
): NamedTime {
  spend(40);
  const time = parseTime(value, params.get("value")?.toUpperCase() === "DATE");
  const tzid = params.get("tzid");
  if (time.isUtc) return { ...time, zone: UTC };
  return tzid && !time.isDate ? { ...time, zone: zones.named(tzid, calendar, onProblem) } : time;
}

const toMoment = ({ local, isDate, zone }: NamedTime, floating: Zone): Moment => ({
  local,
  isDate,
  isFloating: !zone,
  zone: zone ?? floating,
  instant: toInstant(zone ?? floating, local),
});

/** Between times of one zone the clock counts, as calendars show it; between zones the elapsed time. */
function lengthBetween(start: Moment, end: Moment): Length {
  const isNominal = start.zone === end.zone;
  const length = isNominal ? end.local - start.local : end.instant - start.instant;
  if (!length && start.isDate) return ONE_DAY; // some programs write the last day instead of the day after it
  if (length < 0) throw new RangeError("an end before its start");
  return isNominal ? { nominal: length, exact: 0 } : { nominal: 0, exact: length };
}

function readRules(lines: string[], start: Moment, spend: Spend, onProblem: (problem: string) => void) {
  return lines.flatMap((line): RecurrenceRule[] => {
    spend(120 + (line.length >> 1));
    const text = line.slice(line.indexOf(":") + 1).trim();
    if (!text) return []; // as programs write that an event does not repeat
    const onUnreadable = (part: string) =>
      onProblem(
        part === "FREQ"
          ? "An event's repetition cannot be read, so the event counts each week"
          : `A part of an event's repetition (${part}) cannot be read, so the event repeats more often or longer`,
      );
    const lastOf = (until: string) => lastLocal(parseTime(until), start);
    return [parseRule(text, { start: start.local, lastOf, onProblem: onUnreadable })];
  });
}

/** The last local time that UNTIL includes. */
function lastLocal({ local, isDate, isUtc }: WrittenTime, start: Moment): number {
  if (isDate) return local + DAY - 1;
  if (!isUtc) return local;
  // the last second of a day, or the beginning of the last day
  if (start.isDate) {
    return (mod(local, 3600) === 3599 ? dateNear(local + 1, start.zone) : dateNear(local, start.zone) + 1) * DAY - 1;
  }
  const inZone = toLocal(start.zone, local);
  return start.isFloating ? Math.max(local, inZone) : inZone;
}

/** Midnights are at 10:30 UTC of the day before at the earliest, in all zones but Kiribati's. */
const LONGEST_AHEAD = 13.5 * 3600;

/** The day that a program means by an instant: the one that begins then in `zone`, or else somewhere on earth. */
export function dateNear(instant: number, zone: Zone): number {
  const local = toLocal(zone, instant);
  return mod(local, DAY) ? dayOf(instant + LONGEST_AHEAD) : dayOf(local);
}

function readRevision(lines: Lines): number[] {
  const digitsOf = (name: string) => Number(valueOf(lines, name).replaceAll(/\D/g, "").slice(0, 14));
  return [Number(valueOf(lines, "SEQUENCE")) || 0, digitsOf("DTSTAMP"), digitsOf("LAST-MODIFIED")];
}

const FREE_STATUSES = ["FREE", "WORKINGELSEWHERE"];

function readStatus(component: Component, context: EventContext): Pick<CalendarEvent, "isFree" | "isCanceled"> {
  const textIn = (lines: Lines, name: string) => valueOf(lines, name).toUpperCase();
  const { lines, calendar } = component;
  const isCanceled = textIn(lines, "STATUS") === "CANCELLED" || textIn(calendar.lines, "METHOD") === "CANCEL";
  const isFree = isCanceled || textIn(lines, "TRANSP") === "TRANSPARENT" ||
    FREE_STATUSES.includes(textIn(lines, "X-MICROSOFT-CDO-BUSYSTATUS")) || isDeclined(component, context);
  return { isFree, isCanceled };
}

/** By an address of the account, or one that the calendar gives as its owner's. */
function isDeclined({ lines, calendar }: Component, { ownerEmails, spend }: EventContext): boolean {
  const attendees = lines.get("ATTENDEE") ?? [];
  if (!attendees.length) return false;
  const named = ["X-OWNER", "X-WR-CALNAME"].map((name) => toAddress(valueOf(calendar.lines, name)));
  return attendees.some((line) => {
    try {
      const { params, value } = readProperty(line, spend);
      const email = toAddress(value);
      return params.get("partstat")?.toUpperCase() === "DECLINED" &&
        (ownerEmails.has(email) || email.includes("@") && named.includes(email));
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      spend(EXCEPTION_STEPS);
      return false;
    }
  });
}

const toAddress = (text: string) => text.trim().toLowerCase().replace(/^mailto:/, "");
