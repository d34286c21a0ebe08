/** When the events of one UID take place: their recurrences, and the occurrences that other events replace. */
import { DAY, dayOf, mod } from "./local_time.ts";
import { type CalendarEvent, dateNear, type Moment, type NamedTime } from "./event.ts";
import type { Length } from "./property_values.ts";
import type { Spend } from "./budget.ts";
import type { Steps } from "./computation.ts";
import { occurrencesInSteps } from "./occurrences.ts";
import { toInstant, toLocal, type Zone } from "./zone.ts";

/** Instants. */
export interface Span {
  start: number;
  end: number;
}

/** Calls `onBusy` for each occurrence that can overlap `window`; more may lie outside. */
export function* findBusyTimes(
  all: CalendarEvent[],
  window: Span,
  spend: Spend,
  onBusy: (busy: Span) => void,
): Steps<void> {
  const [events, replacements] = yield* newestOf(all, spend);
  for (const { isFree, start, length } of replacements) if (!isFree) onBusy(spanOf(start.zone, start.local, length));
  for (const event of events) yield* findOccurrences(event, replacements, window, spend, onBusy);
}

/**
 * The last revision of the events and of each replaced occurrence; several of one revision all count. An event that was
 * canceled later than an occurrence was replaced takes it along.
 */
function* newestOf(
  all: CalendarEvent[],
  spend: Spend,
): Steps<[events: CalendarEvent[], replacements: CalendarEvent[]]> {
  if (spend(10 * all.length)) yield;
  const events = yield* keepNewest(all.filter(({ replaces }) => !replaces), () => 0, spend);
  const [series] = events;
  const isCanceled = events.length > 0 && events.every((event) => event.isCanceled);
  const replacements = all.filter((event) => event.replaces && !(isCanceled && compareRevisions(series, event) > 0));
  const keyOf = ({ replaces, start }: CalendarEvent) => occurrenceAt(replaces!.time, series?.start ?? start).instant;
  return [events, yield* keepNewest(replacements, keyOf, spend)];
}

function* keepNewest(
  events: CalendarEvent[],
  keyOf: (event: CalendarEvent) => number,
  spend: Spend,
): Steps<CalendarEvent[]> {
  const newest = new Map<number, CalendarEvent>();
  const keyed: { event: CalendarEvent; key: number }[] = [];
  for (const event of events) {
    if (spend(20)) yield;
    const key = keyOf(event);
    keyed.push({ event, key });
    const other = newest.get(key);
    if (!other || compareRevisions(event, other) > 0) newest.set(key, event);
  }
  return keyed.filter(({ event, key }) => compareRevisions(event, newest.get(key)!) === 0).map(({ event }) => event);
}

function compareRevisions(one: CalendarEvent, other: CalendarEvent): number {
  const at = one.revision.findIndex((number, i) => number !== other.revision[i]);
  return at < 0 ? 0 : one.revision[at] - other.revision[at];
}

/** The occurrence that a time names, of an event with this start. */
function occurrenceAt(time: NamedTime, { isDate, local, zone }: Moment): { local: number; instant: number } {
  const at = (local: number) => ({ local, instant: toInstant(zone, local) });
  if (isDate) return at(dayIn(time, zone) * DAY);
  if (time.isDate) return at(time.local + mod(local, DAY));
  if (!time.zone) return at(time.local);
  const instant = toInstant(time.zone, time.local);
  return { local: toLocal(zone, instant), instant };
}

/** The day of a time, for an event of days. */
const dayIn = ({ local, isUtc }: NamedTime, zone: Zone) => isUtc ? dateNear(local, zone) : dayOf(local);

type Matches = (local: number, instant: number) => boolean;

/** Whether an occurrence is one of those that `times` name, of an event with this start. */
function* createMatcher(times: NamedTime[], start: Moment, spend: Spend): Steps<Matches> {
  const instants = new Set<number>(), locals = new Set<number>(), days = new Set<number>();
  for (const time of times) {
    if (spend(20)) yield;
    if (start.isDate || time.isDate) days.add(start.isDate ? dayIn(time, start.zone) : dayOf(time.local));
    else instants.add(occurrenceAt(time, start).instant);
    if (start.isFloating && !start.isDate) locals.add(time.local); // some programs write the clock's time as UTC
  }
  return (local, instant) => instants.has(instant) || locals.has(local) || days.has(dayOf(local));
}

/** How later occurrences differ from the rule, since an occurrence that was changed with all later ones. */
interface Change {
  since: number;
  /** In local time. */
  shift: number;
  length: Length;
  isFree: boolean;
}

function* findOccurrences(
  event: CalendarEvent,
  replacements: CalendarEvent[],
  window: Span,
  spend: Spend,
  onBusy: (busy: Span) => void,
): Steps<void> {
  if (spend(10 + 20 * replacements.length)) yield;
  const { zone } = event.start;
  const changes = replacements.filter(({ replaces }) => replaces!.isWithLater).map((change): Change => {
    const occurrence = occurrenceAt(change.replaces!.time, event.start);
    return {
      since: occurrence.instant,
      shift: toLocal(zone, change.start.instant) - occurrence.local,
      length: change.length,
      isFree: change.isFree,
    };
  }).sort((one, other) => one.since - other.since);
  if (event.isFree && changes.every(({ isFree }) => isFree)) return;

  const isReplaced = yield* createMatcher(replacements.map(({ replaces }) => replaces!.time), event.start, spend);
  const isRemoved = yield* createMatcher(event.removed, event.start, spend);

  function add(local: number, instant: number, length: Length) {
    spend(20 + changes.length);
    if (isReplaced(local, instant) || isRemoved(local, instant)) return;
    const change = changes.findLast(({ since }) => since <= instant);
    if (!change) {
      if (!event.isFree) onBusy(spanOf(zone, local, length));
    } else if (!change.isFree) {
      onBusy(spanOf(zone, local + change.shift, change.length));
    }
  }

  const before = Math.max(0, ...changes.map(({ shift, length }) => shift + totalOf(length)), totalOf(event.length));
  const after = Math.max(0, ...changes.map(({ shift }) => -shift));
  const from = toLocal(zone, window.start) - before - DAY; // a day, because zones differ and clocks change
  const to = toLocal(zone, window.end) + after + DAY;

  const starts = new Map<number, { local: number; instant: number; length: Length }>();
  const addStart = ({ local, instant }: Pick<Moment, "local" | "instant">, length = event.length) => {
    starts.set(instant, { local, instant, length });
  };
  addStart(event.start);
  for (const { time, length } of event.added) {
    if (spend(20)) yield;
    addStart(occurrenceAt(time, event.start), length);
  }
  for (const { local, instant, length } of starts.values()) {
    if (spend(1)) yield;
    add(local, instant, length);
  }
  for (const rule of event.rules) {
    for (const local of occurrencesInSteps(rule, event.start.local, from, to, spend)) {
      if (spend(1)) yield;
      if (local === undefined) continue;
      const instant = toInstant(zone, local);
      if (!starts.has(instant)) add(local, instant, event.length);
    }
  }
}

const totalOf = ({ nominal, exact }: Length) => nominal + exact;

function spanOf(zone: Zone, local: number, { nominal, exact }: Length): Span {
  return { start: toInstant(zone, local), end: toInstant(zone, local + nominal) + exact };
}
