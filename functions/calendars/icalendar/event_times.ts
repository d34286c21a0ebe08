/** When the events of one UID take place: their recurrences, and the occurrences that other events replace. */
import { DAY, dayOf } from "./local_time.ts";
import type { CalendarEvent, Moment } from "./event.ts";
import type { Length } from "./property_values.ts";
import type { Spend } from "./budget.ts";
import { occurrencesOf } from "./occurrences.ts";
import { toInstant, toLocal, type Zone } from "./zone.ts";

/** Instants. */
export interface Span {
  start: number;
  end: number;
}

/** Calls `onBusy` for each occurrence that can overlap `window`; more may lie outside. */
export function findBusyTimes(events: CalendarEvent[], window: Span, spend: Spend, onBusy: (busy: Span) => void) {
  const replacements = newestOf(events.filter((event) => event.replaces));
  for (const { isFree, start, length } of replacements) if (!isFree) onBusy(spanOf(start.zone, start.local, length));
  for (const event of events) if (!event.replaces) findOccurrences(event, replacements, window, spend, onBusy);
}

/** Of several replacements of one occurrence the last revision; several of one revision all count. */
function newestOf(replacements: CalendarEvent[]): CalendarEvent[] {
  const newest = new Map<number, number>();
  for (const { sequence, replaces } of replacements) {
    const { instant } = replaces!.moment;
    newest.set(instant, Math.max(sequence, newest.get(instant) ?? sequence));
  }
  return replacements.filter(({ sequence, replaces }) => newest.get(replaces!.moment.instant) === sequence);
}

/** How later occurrences differ from the rule, since an occurrence that was changed with all later ones. */
interface Change {
  since: number;
  /** In local time. */
  shift: number;
  length: Length;
  isFree: boolean;
}

function findOccurrences(
  event: CalendarEvent,
  replacements: CalendarEvent[],
  window: Span,
  spend: Spend,
  onBusy: (busy: Span) => void,
) {
  spend(10 + 40 * replacements.length);
  const { zone, isDate } = event.start;
  const changes = replacements.filter(({ replaces }) => replaces!.isWithLater).map((change): Change => ({
    since: change.replaces!.moment.instant,
    shift: toLocal(zone, change.start.instant) - toLocal(zone, change.replaces!.moment.instant),
    length: change.length,
    isFree: change.isFree,
  })).sort((one, other) => one.since - other.since);
  if (event.isFree && changes.every(({ isFree }) => isFree)) return;

  const replaced = { instants: new Set<number>(), days: new Set<number>() };
  for (const { replaces: { moment } = { moment: event.start } } of replacements) {
    if (moment.isDate !== isDate) replaced.days.add(dayOf(moment.local));
    else replaced.instants.add(moment.instant);
  }

  function add(local: number, instant: number, length: Length) {
    spend(20 + changes.length);
    const { removed } = event;
    const day = dayOf(local);
    if (replaced.instants.has(instant) || replaced.days.has(day)) return;
    if (removed.instants.has(instant) || removed.days.has(day)) return;
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
  const addStart = (moment: Pick<Moment, "local" | "instant">, length = event.length) => {
    starts.set(moment.instant, { local: moment.local, instant: moment.instant, length });
  };
  addStart(event.start);
  for (const { start, length } of event.added) addStart({ ...start, local: toLocal(zone, start.instant) }, length);
  for (const { local, instant, length } of starts.values()) add(local, instant, length);
  for (const rule of event.rules) {
    for (const local of occurrencesOf(rule, event.start.local, from, to, spend)) {
      const instant = toInstant(zone, local);
      if (!starts.has(instant)) add(local, instant, event.length);
    }
  }
}

const totalOf = ({ nominal, exact }: Length) => nominal + exact;

function spanOf(zone: Zone, local: number, { nominal, exact }: Length): Span {
  return { start: toInstant(zone, local), end: toInstant(zone, local + nominal) + exact };
}
