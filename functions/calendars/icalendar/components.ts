/**
 * Splits the text of iCalendar documents (RFC 5545) into components, and keeps the lines that decide about busy times.
 * It takes text in chunks and drops the rest at once, so that titles, descriptions and attachments cost little.
 */
import { CalendarCostError, CalendarError } from "../calendar_error.ts";

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
  /** A line was too long to be kept, or there were too many. */
  isIncomplete: boolean;
}

/** The text after the first colon of a property's first line; empty without one. */
export const valueOf = (lines: Lines, name: string) => textAfterColon(lines.get(name)?.[0] ?? ":");

export interface ComponentScanner {
  /** Takes the next piece of a document, in one step: callers keep pieces small. */
  add(text: string): void;
  /** Ends a document; throws if it is none or is cut off. */
  endDocument(): void;
}

/** In characters, of a line with its continuations. */
const MAX_LINE_CHARS = 8192;
/** Of a component's lines without lists of dates. */
const MAX_COMPONENT_CHARS = 32_768;
/** A VTIMEZONE is read in one step. */
const MAX_ZONE_CHARS = 65_536, MAX_ZONE_LINE_CHARS = 1024;
/** Of all components that are kept. */
const MAX_KEPT_CHARS = 10_000_000;
/** Of the line whose end shows how lines end. */
const MAX_FIRST_LINE = 1000;
const MAX_DEPTH = 20;
/** Different ones; the runtime knows some 400. */
const MAX_TIME_ZONES = 500;

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

/** Lists of dates are as long as a series lasts: a long line becomes several. */
const LISTS = new Set(["RDATE", "EXDATE", "FREEBUSY"]);
/** Of other properties the first line counts. */
const REPEATED = new Set([...LISTS, "RRULE", "ATTENDEE"]);

const [TAB, CR, SPACE] = [9, 13, 32];

/**
 * `keepsLine` says whether a line of a component is needed; `onComponent` receives each VEVENT and VFREEBUSY, and
 * says whether it keeps it; `onTimeZone` receives each VTIMEZONE.
 */
export function createComponentScanner(
  keepsLine: (name: string, line: string) => boolean,
  onComponent: (component: Component) => boolean,
  onTimeZone?: (component: Component) => void,
): ComponentScanner {
  let rest = ""; // the beginning of a line
  let isInside = false; // the text continues a physical line
  let name = ""; // of the line that is being unfolded; empty if it is not kept
  let line = "";
  let calendar: Calendar | undefined;
  let hasCalendar = false;
  let hasCrOnly: boolean | undefined; // as line ends; unknown before the first line ends
  let isIndented = false, indent = 0; // of the line that is being unfolded
  let open: string[] = []; // names of the open components
  let components: (Component | undefined)[] = []; // of the open components, those that are kept
  let chars = 0, listChars = 0, attendeeChars = 0; // of the open component of a VCALENDAR, with its parts
  let keptChars = 0;
  const timeZones = new Map<string, Component>(); // by their text: each event of a CalDAV server has one

  function readPhysicalLine(text: string, start: number, lineEnd: number) {
    let end = lineEnd;
    while (end > start && text.charCodeAt(end - 1) === CR) end--;
    if (isInside) {
      isInside = false;
      if (name) continueLine(text.slice(start, end));
      return;
    }
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
    line = "";
    continueLine(text.slice(start, end));
  }

  function continueLine(more: string) {
    line += more;
    if (line.length <= MAX_LINE_CHARS) return;
    if (LISTS.has(name)) keepListParts();
    else giveUpLine();
  }

  /** Keeps the values of a list so far as lines of their own. */
  function keepListParts() {
    const head = HEAD.exec(line)?.[0];
    if (head === undefined || head.length > MAX_ZONE_LINE_CHARS) return giveUpLine();
    while (name && line.length > MAX_LINE_CHARS) {
      const comma = line.lastIndexOf(",", MAX_LINE_CHARS);
      if (comma < head.length) return giveUpLine();
      keep(name, line.slice(0, comma));
      line = head + line.slice(comma + 1);
    }
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
    if (lines && !REPEATED.has(property)) return;
    if ("name" in owner && !count(owner, property, written.length)) return;
    const kept = "name" in owner ? written : copy(written);
    if (lines) lines.push(kept);
    else owner.lines.set(property, [kept]);
  }

  /** Counts the characters of a component's line; false if it has too many. */
  function count(component: Component, property: string, length: number): boolean {
    const isList = LISTS.has(property), isZone = components[1]?.name === "VTIMEZONE";
    if (property === "ATTENDEE") return (attendeeChars += length) <= MAX_COMPONENT_CHARS;
    if (isList) listChars += length;
    else chars += length;
    if (keptChars + chars + listChars > MAX_KEPT_CHARS) throw new CalendarCostError();
    const isTooMuch = isZone
      ? !isList && length > MAX_ZONE_LINE_CHARS || chars + listChars > MAX_ZONE_CHARS
      : chars > MAX_COMPONENT_CHARS;
    if (!isTooMuch) return true;
    component.isIncomplete = true;
    return false;
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
    if (open.length === 1) [chars, listChars, attendeeChars] = [0, 0, 0];
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
    if (parent) addPart(parent, component);
    else if (component.name === "VTIMEZONE") keepTimeZone(component);
    else if (onComponent(component)) {
      keptChars += chars + listChars + attendeeChars;
      detach(component);
    }
  }

  function addPart(parent: Component, part: Component) {
    chars += PART_CHARS;
    if (chars + listChars <= MAX_ZONE_CHARS) parent.parts.push(part);
    else parent.isIncomplete = true;
  }

  function keepTimeZone(component: Component) {
    const text = textOf(component);
    let known = timeZones.get(text);
    if (!known) {
      if (timeZones.size >= MAX_TIME_ZONES) return;
      keptChars += chars + listChars;
      detach(component);
      timeZones.set(text, known = component);
    }
    const { timeZones: used } = component.calendar;
    if (used.length < MAX_TIME_ZONES) used.push(known);
    onTimeZone?.(component);
  }

  return {
    add(text) {
      let all = rest + text;
      if (hasCrOnly === undefined) {
        const [lineEnd] = /\r.|\n/s.exec(all) ?? [];
        if (lineEnd || all.length > MAX_FIRST_LINE) hasCrOnly = lineEnd?.[0] === "\r" && lineEnd !== "\r\n";
      }
      if (hasCrOnly) all = all.replaceAll("\r", "\n");
      let start = 0;
      for (let lf; (lf = all.indexOf("\n", start)) >= 0; start = lf + 1) readPhysicalLine(all, start, lf);
      rest = all.slice(start);
      if (rest.length <= MAX_LINE_CHARS) return;
      const cut = rest.length - 1; // it may be the CR of the line's end
      readPhysicalLine(rest, 0, cut);
      [rest, isInside] = [rest.slice(cut), true];
    },
    endDocument() {
      if (rest) readPhysicalLine(rest, 0, rest.length);
      endLine();
      const isCut = open.length > 0;
      [rest, isInside, open, components, calendar] = ["", false, [], [], undefined];
      [hasCrOnly, isIndented, indent] = [undefined, false, 0];
      if (!hasCalendar) throw notCalendarError();
      hasCalendar = false;
      if (isCut) throw cutOffError();
    },
  };
}

/** Name and parameters of a line, with the colon. */
const HEAD = /^(?:[^":]|"[^"]*")*:/;

/** What a STANDARD or DAYLIGHT costs beside its lines. */
const PART_CHARS = 50;

/** Copies lines out of the pieces of text that they were cut from, which they would keep in memory. */
function detach({ lines, parts }: Component) {
  const all = copy([...lines.values()].flat().join("\n")).split("\n");
  let at = 0;
  for (const list of lines.values()) for (let i = 0; i < list.length; i++) list[i] = all[at++];
  parts.forEach(detach);
}

/** Joined strings are new ones in V8, slices refer to the string that they were cut from. */
const copy = (text: string) => ["", text].join("\n").slice(1);

const textOf = ({ lines, parts }: Component): string =>
  [...[...lines.values()].flat(), ...parts.map((part) => `${part.name}\n${textOf(part)}`)].join("\n");

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === SPACE || code === TAB;
}

const textAfterColon = (line: string) => line.slice(line.indexOf(":") + 1).trim();

const cutOffError = () => new CalendarError("malformed", "The calendar is cut off before its end");
const notCalendarError = () =>
  new CalendarError("malformed", "The URL does not lead to a calendar in iCalendar format");
