/**
 * Splits the text of iCalendar documents (RFC 5545) into components, and keeps the lines that decide about busy times.
 * It takes text in chunks and drops the rest at once, so that titles, descriptions and attachments cost little.
 */
import { CalendarError } from "../calendar_error.ts";

/** What holds for all components of a VCALENDAR. */
export interface Calendar {
  /** Lines by the name of their property. */
  lines: Lines;
  timeZones: Component[];
}

/** Unfolded lines by the upper case name of their property. */
export type Lines = Map<string, string[]>;

export interface Component {
  name: string;
  lines: Lines;
  /** STANDARD and DAYLIGHT of a VTIMEZONE. */
  parts: Component[];
  calendar: Calendar;
  /** A line was too long to be kept. */
  isIncomplete: boolean;
}

/** The text after the first colon of a property's first line; empty without one. */
export const valueOf = (lines: Lines, name: string) => textAfterColon(lines.get(name)?.[0] ?? ":");

export interface ComponentScanner {
  add(text: string): void;
  /** Ends a document; throws if it is none or is cut off. */
  endDocument(): void;
}

/** In characters, of a line with its continuations. */
const MAX_LINE_CHARS = 262_144;
/** Of the line whose end shows how lines end. */
const MAX_FIRST_LINE = 1000;
const MAX_DEPTH = 20;
/** Per calendar; the runtime knows some 400. */
const MAX_TIME_ZONES = 1000;

const KEPT_COMPONENTS = new Set(["VEVENT", "VFREEBUSY", "VTIMEZONE"]);
const KEPT_LINES = new RegExp(
  `(?:${
    [
      "BEGIN|END",
      "DTSTART|DTEND|DURATION|RRULE|RDATE|EXDATE|RECURRENCE-ID|UID|SEQUENCE|DTSTAMP|LAST-MODIFIED",
      "STATUS|TRANSP|X-MICROSOFT-CDO-BUSYSTATUS|ATTENDEE|FREEBUSY",
      "TZID|TZOFFSETFROM|TZOFFSETTO|X-LIC-LOCATION",
      "METHOD|X-WR-TIMEZONE|X-WR-CALNAME|X-OWNER",
    ].join("|")
  })(?=[:;])`,
  "iy",
);

const [TAB, CR, SPACE] = [9, 13, 32];

/**
 * `keepsLine` says whether a line of a component is needed; `onComponent` receives each VEVENT and VFREEBUSY,
 * `onTimeZone` each VTIMEZONE.
 */
export function createComponentScanner(
  keepsLine: (name: string, line: string) => boolean,
  onComponent: (component: Component) => void,
  onTimeZone?: (component: Component) => void,
): ComponentScanner {
  let rest = ""; // the beginning of a line
  let isSkipping = false; // within a physical line that is too long
  let name = ""; // of the line that is being unfolded; empty if it is not kept
  let line = "";
  let calendar: Calendar | undefined;
  let hasCalendar = false;
  let hasCrOnly: boolean | undefined; // as line ends; unknown before the first line ends
  let isIndented = false, indent = 0; // of the line that is being unfolded
  let open: string[] = []; // names of the open components
  let components: (Component | undefined)[] = []; // of the open components, those that are kept

  function readPhysicalLine(text: string, start: number, lineEnd: number) {
    let end = lineEnd;
    while (end > start && text.charCodeAt(end - 1) === CR) end--;
    let begin = start;
    while (isSpace(text, begin)) begin++;
    if (begin === end) return;
    isIndented ||= begin > start && !open.length; // no program folds the first line
    const canBeFolded = !isIndented || open.length > 0 && name !== "BEGIN";
    if (begin - start > indent && canBeFolded) {
      if (name) continueLine(text.slice(start + indent + 1, end));
      return;
    }
    indent = begin - start;
    start = begin;
    endLine();
    KEPT_LINES.lastIndex = start;
    if (!KEPT_LINES.test(text) || KEPT_LINES.lastIndex >= lineEnd) return;
    name = text.slice(start, KEPT_LINES.lastIndex).toUpperCase();
    line = text.slice(start, end);
  }

  function continueLine(more: string) {
    if (line.length + more.length <= MAX_LINE_CHARS) line += more;
    else giveUpLine();
  }

  function giveUpLine() {
    const component = components.at(-1);
    if (name && component) component.isIncomplete = true;
    name = "";
  }

  function endLine() {
    if (!name) return;
    const ended = name;
    name = "";
    if (ended === "BEGIN") begin(textAfterColon(line).toUpperCase());
    else if (ended === "END") end(textAfterColon(line).toUpperCase());
    else keep(ended, line);
  }

  function keep(property: string, written: string) {
    const owner = open.length === 1 ? calendar : components.at(-1);
    if (!owner || !keepsLine(property, written)) return;
    const lines = owner.lines.get(property);
    if (lines) lines.push(written);
    else owner.lines.set(property, [written]);
  }

  function begin(kind: string) {
    if (open.length >= MAX_DEPTH) throw new CalendarError("malformed", "The calendar is nested too deeply");
    if (!open.length) {
      if (kind !== "VCALENDAR") throw notCalendarError();
      calendar = { lines: new Map(), timeZones: [] };
      hasCalendar = true;
    }
    if (open.length && kind === "VCALENDAR") throw cutOffError();
    // an event never contains another: the end of the first one is missing
    while (open.length > 1 && KEPT_COMPONENTS.has(kind)) close();
    const parent = components.at(-1);
    const isKept = open.length === 1 ? KEPT_COMPONENTS.has(kind) : parent?.name === "VTIMEZONE";
    open.push(kind);
    components.push(
      isKept ? { name: kind, lines: new Map(), parts: [], calendar: calendar!, isIncomplete: false } : undefined,
    );
  }

  function end(kind: string) {
    if (!open.includes(kind)) return;
    while (open.at(-1) !== kind) close();
    close();
  }

  function close() {
    open.pop();
    const component = components.pop();
    if (!component) return;
    const parent = components.at(-1);
    if (parent) parent.parts.push(component);
    else if (component.name === "VTIMEZONE") keepTimeZone(component);
    else onComponent(component);
  }

  function keepTimeZone(component: Component) {
    const { timeZones } = component.calendar;
    if (timeZones.length < MAX_TIME_ZONES) timeZones.push(component);
    onTimeZone?.(component);
  }

  return {
    add(text) {
      if (hasCrOnly === undefined) {
        [text, rest] = [rest + text, ""];
        const [lineEnd] = /\r.|\n/s.exec(text) ?? [];
        if (lineEnd || text.length > MAX_FIRST_LINE) hasCrOnly = lineEnd?.[0] === "\r" && lineEnd !== "\r\n";
      }
      if (hasCrOnly) text = text.replaceAll("\r", "\n");
      let start = 0;
      if (rest || isSkipping) {
        const lf = text.indexOf("\n");
        const stop = lf < 0 ? text.length : lf;
        if (!isSkipping) rest += text.slice(0, stop);
        if (rest.length > MAX_LINE_CHARS) skipLine();
        if (lf < 0) return;
        if (!isSkipping) readPhysicalLine(rest, 0, rest.length);
        [rest, isSkipping, start] = ["", false, lf + 1];
      }
      for (let lf; (lf = text.indexOf("\n", start)) >= 0; start = lf + 1) {
        if (lf - start <= MAX_LINE_CHARS) readPhysicalLine(text, start, lf);
        else skip(text.slice(start, start + 100));
      }
      rest = text.slice(start);
      if (rest.length > MAX_LINE_CHARS) skipLine();
    },
    endDocument() {
      if (rest) readPhysicalLine(rest, 0, rest.length);
      endLine();
      const isCut = open.length > 0;
      [rest, isSkipping, open, components, calendar] = ["", false, [], [], undefined];
      [hasCrOnly, isIndented, indent] = [undefined, false, 0];
      if (!hasCalendar) throw notCalendarError();
      hasCalendar = false;
      if (isCut) throw cutOffError();
    },
  };

  function skipLine() {
    skip(rest.slice(0, 100));
    [rest, isSkipping] = ["", true];
  }

  /** Forgets a physical line that is too long, given its beginning. */
  function skip(beginning: string) {
    if (!isSpace(beginning, 0)) readPhysicalLine(beginning, 0, beginning.length);
    giveUpLine();
  }
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === SPACE || code === TAB;
}

const textAfterColon = (line: string) => line.slice(line.indexOf(":") + 1).trim();

const cutOffError = () => new CalendarError("malformed", "The calendar is cut off before its end");
const notCalendarError = () =>
  new CalendarError("malformed", "The URL does not lead to a calendar in iCalendar format");
