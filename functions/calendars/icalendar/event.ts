/** One event of an iCalendar document: its times, and whether it blocks them. */
import { CalendarError } from "../calendar_error.ts";
import type { Component, Lines } from "./components.ts";
import {
  type Length,
  parseRule,
  parseTime,
  type Property,
  type ValueReader,
  type WrittenTime,
} from "./property_values.ts";
import { DAY, dayOf } from "./local_time.ts";
import { EXCEPTION_STEPS, type Spend } from "./budget.ts";
import { completeRule, type RecurrenceRule } from "./recurrence_rule.ts";
import { toInstant, toLocal, UTC, type Zone } from "./zone.ts";
import type { ZoneNames } from "./zone_names.ts";

/** A time in its zone. */
export interface Moment {
  local: number;
  isDate: boolean;
  zone: Zone;
  instant: number;
}

export interface CalendarEvent {
  uid?: string;
  sequence: number;
  start: Moment;
  length: Length;
  rules: RecurrenceRule[];
  /** Further starts (RDATE), with a length of their own if they are periods. */
  added: { start: Moment; length?: Length }[];
  /** Starts that are left out (EXDATE): instants, or days. */
  removed: { instants: Set<number>; days: Set<number> };
  /** The occurrence that this event replaces (RECURRENCE-ID), also all later ones with THISANDFUTURE. */
  replaces?: { moment: Moment; isWithLater: boolean };
  /** Canceled, declined by the owner, or shown as free. */
  isFree: boolean;
}

export interface EventContext {
  read: ValueReader;
  zones: ZoneNames;
  /** Addresses of the calendar's owner, in lower case. */
  ownerEmails: ReadonlySet<string>;
  spend: Spend;
  onProblem(text: string): void;
}

const ONE_HOUR: Length = { nominal: 0, exact: 3600 };
const NO_LENGTH: Length = { nominal: 0, exact: 0 };
const ONE_DAY: Length = { nominal: DAY, exact: 0 };

/** Undefined for an event whose start cannot be read, which is reported. */
export function readEvent(component: Component, context: EventContext): CalendarEvent | undefined {
  const { onProblem } = context;
  const written = (name: string) => component.lines.get(name)?.[0]?.replace(/^[^:]*:/, "").slice(0, 100) ?? "nothing";
  const attempt = <T>(problem: string, step: () => T): T | undefined => {
    try {
      return step();
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      context.spend(EXCEPTION_STEPS);
      onProblem(problem);
    }
  };
  if (component.isIncomplete) onProblem("An event has a line that is too long; its other lines are read");
  const linesOf = (name: string) => component.lines.get(name) ?? [];
  const properties = (name: string) => linesOf(name).map((line) => context.read.property(line));
  const momentOf = (property: Property, value: unknown) => toMoment(parseTime(value), property, component, context);
  const moments = (name: string) =>
    properties(name).flatMap((property) => property.values.map((value) => momentOf(property, value)));

  const begin = `An event begins at "${written("DTSTART")}"`;
  const start = attempt(`${begin}, which is not a time of a known form`, () => moments("DTSTART")[0]) ??
    attempt(`${begin}; it is left out`, () => momentWithoutZone(linesOf("DTSTART")[0], component, context));
  if (!start) return;

  const fallback = start.isDate ? ONE_DAY : ONE_HOUR;
  const length =
    attempt(`${begin}, and its end cannot be read; it counts as ${start.isDate ? "a day" : "an hour"}`, () => {
      const [end] = moments("DTEND");
      if (end) return lengthBetween(start, end);
      const [duration] = properties("DURATION");
      if (duration) return context.read.length(duration.values[0]);
      return start.isDate ? ONE_DAY : NO_LENGTH;
    }) ?? fallback;

  const rules = attempt(
    `${begin}, and its repetition cannot be read; only its first time counts`,
    () =>
      properties("RRULE").map((property) => {
        context.spend(100);
        const { parts, until } = parseRule(property);
        return completeRule(parts, start.local, until && lastLocal(until, start.zone));
      }),
  );

  const added = attempt(
    `${begin}, and its further dates (RDATE) cannot be read; they are left out`,
    () =>
      properties("RDATE").flatMap((property) =>
        property.values.map((value) => {
          if (!Array.isArray(value)) return { start: momentOf(property, value) };
          const from = momentOf(property, value[0]);
          const isTime = /^\d/.test(String(value[1]));
          const length = isTime ? lengthBetween(from, momentOf(property, value[1])) : context.read.length(value[1]);
          return { start: from, length };
        })
      ),
  );

  const removed = { instants: new Set<number>(), days: new Set<number>() };
  for (const line of linesOf("EXDATE")) {
    attempt(`${begin}, and exceptions (EXDATE) cannot be read; it also counts on these dates`, () => {
      const property = context.read.property(line);
      for (const value of property.values) {
        const { isDate, local, instant } = momentOf(property, value);
        if (isDate || start.isDate) removed.days.add(dayOf(local));
        else removed.instants.add(instant);
      }
    });
  }

  const replaces = attempt(`${begin}, and replaces an occurrence that cannot be read; both count`, () => {
    const [property] = properties("RECURRENCE-ID");
    if (!property) return;
    const isWithLater = String(property.params.range).toUpperCase() === "THISANDFUTURE";
    return { moment: momentOf(property, property.values[0]), isWithLater };
  });

  return {
    uid: component.lines.get("UID")?.[0]?.replace(/^[^:]*:/, ""),
    sequence: Number(written("SEQUENCE")) || 0,
    start,
    length,
    rules: rules ?? [],
    added: added ?? [],
    removed,
    replaces,
    isFree: isFree(component, context),
  };
}

function toMoment(
  time: WrittenTime,
  { params }: Property,
  { calendar }: Component,
  { zones, spend }: EventContext,
): Moment {
  spend(40);
  const { local, isDate, isUtc } = time;
  const { tzid } = params;
  const zone = isUtc
    ? UTC
    : typeof tzid === "string" && !isDate
    ? zones.named(tzid.trim(), calendar)
    : zones.floating(calendar);
  return { local, isDate, zone, instant: toInstant(zone, local) };
}

/** A start whose parameters cannot be read, such as a zone with a colon and without quotes. */
function momentWithoutZone(line: string | undefined, component: Component, context: EventContext): Moment {
  const [, date, time] = /:(\d{8})(T\d{6}Z?)?$/.exec(line ?? "") ?? [];
  if (!date) throw new RangeError("no start");
  const property = context.read.property(time ? `DTSTART:${date}${time}` : `DTSTART;VALUE=DATE:${date}`);
  return toMoment(parseTime(property.values[0]), property, component, context);
}

/** Between times of one zone the clock counts, as calendars show it; between zones the elapsed time. */
function lengthBetween(start: Moment, end: Moment): Length {
  const isNominal = start.zone === end.zone;
  const length = isNominal ? end.local - start.local : end.instant - start.instant;
  if (!length && start.isDate) return ONE_DAY; // some programs write the last day instead of the day after it
  if (length < 0) throw new RangeError("an end before its start");
  return isNominal ? { nominal: length, exact: 0 } : { nominal: 0, exact: length };
}

/** The last local time that UNTIL includes. */
function lastLocal(until: WrittenTime, zone: Zone): number {
  if (until.isUtc) return toLocal(zone, until.local);
  return until.isDate ? until.local + DAY - 1 : until.local;
}

const FREE_STATUSES = ["FREE", "WORKINGELSEWHERE"];

function isFree({ lines, calendar }: Component, { read, ownerEmails, spend }: EventContext): boolean {
  const textIn = (all: Lines, name: string) => all.get(name)?.[0]?.replace(/^[^:]*:/, "").trim().toUpperCase() ?? "";
  if (textIn(lines, "STATUS") === "CANCELLED" || textIn(lines, "TRANSP") === "TRANSPARENT") return true;
  if (FREE_STATUSES.includes(textIn(lines, "X-MICROSOFT-CDO-BUSYSTATUS"))) return true;
  if (textIn(calendar.lines, "METHOD") === "CANCEL") return true;
  return (lines.get("ATTENDEE") ?? []).some((line) => {
    try {
      const { params, values } = read.property(line);
      const email = String(values[0]).trim().toLowerCase().replace(/^mailto:/, "");
      return String(params.partstat).toUpperCase() === "DECLINED" && ownerEmails.has(email);
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      spend(EXCEPTION_STEPS);
      return false;
    }
  });
}
