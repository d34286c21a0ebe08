/** The zone of a TZID, and the zone of dates and times without one. */
import { CalendarError } from "../calendar_error.ts";
import { type Calendar, type Component, createComponentScanner } from "./components.ts";
import { readProperty, unescapeText } from "./property_values.ts";
import { EXCEPTION_STEPS, limitSteps, type Spend } from "./budget.ts";
import type { ReportProblem } from "./calendar_warnings.ts";
import { createDescribedZone } from "./vtimezone.ts";
import { zoneOfWindows } from "./windows_zones.ts";
import { createIanaZone, UTC, type Zone } from "./zone.ts";

/** A calendar of a traveller has some dozens; each costs up to a millisecond. */
const MAX_ZONES = 200;
/** Of a description that a calendar contains, which is read in one step: most take a thousand. */
const MAX_ZONE_STEPS = 100_000;

/** A longer one is cut off, and not known. */
const MAX_SERVER_ZONE_CHARS = 65_536;

export interface ZoneNames {
  /** The zone of a TZID of a property in this calendar. */
  named(tzid: string, calendar: Calendar, onProblem: ReportProblem): Zone;
  /** The zone of dates and of times without a zone. */
  floating(calendar: Calendar, onProblem: ReportProblem): Zone;
}

interface ZoneContext {
  /** The owner's zone. */
  timeZone: string | undefined;
  /** A document with the zone of the calendar. */
  calendarTimeZone: string | undefined;
  /** Instants between which zones are asked. */
  from: number;
  to: number;
  spend: Spend;
}

/** What is known of the zones of a calendar. */
interface CalendarZones {
  /** Its descriptions, by keyOf(). */
  components: Map<string, Component>;
  byTzid: Map<string, Zone | undefined>;
  own?: OwnZone;
}

/** A calendar's own zone, and a name of it that has no meaning. */
interface OwnZone {
  zone: Zone | undefined;
  unknown?: string;
}

const UNKNOWN = "A time zone is not known, so its times are read in the calendar's own zone or in yours";
const MISSING =
  "Neither the calendar nor your profile names a time zone, so days and times without one are read in UTC";

export function createZoneNames({ timeZone, calendarTimeZone, from, to, spend }: ZoneContext): ZoneNames {
  const owners = timeZone === undefined ? undefined : createIanaZone(timeZone, spend);
  const known = new Map<string, Zone | undefined>([["UTC", UTC], ["GMT", UTC]]);
  const described = new Map<string, Zone | undefined>();
  const calendars = new Map<Calendar, CalendarZones>();
  let count = 0;
  let server: Zone | undefined, hasServer = false;

  function zonesOf(calendar: Calendar): CalendarZones {
    let zones = calendars.get(calendar);
    if (!zones) {
      const components = new Map(calendar.timeZones.map((component) => [keyOf(tzidOf(component)), component]));
      calendars.set(calendar, zones = { components, byTzid: new Map() });
    }
    return zones;
  }

  /** Names with a slash mean the same everywhere; others, such as CST, mean what the calendar describes. */
  function find(tzid: string, calendar: Calendar): Zone | undefined {
    const { components, byTzid } = zonesOf(calendar);
    if (byTzid.has(tzid)) return byTzid.get(tzid);
    const component = components.get(keyOf(tzid));
    const zone = tzid.includes("/")
      ? knownZone(tzid) ?? describedZone(component)
      : describedZone(component) ?? knownZone(tzid);
    byTzid.set(tzid, zone);
    return zone;
  }

  function knownZone(name: string): Zone | undefined {
    if (known.has(name)) return known.get(name);
    if (++count > MAX_ZONES) return;
    const zone = candidatesOf(name).map((one) => createIanaZone(one, spend)).find((found) => found);
    known.set(name, zone);
    return zone;
  }

  function describedZone(component: Component | undefined): Zone | undefined {
    if (!component) return;
    const location = textOf(component, "X-LIC-LOCATION");
    const zone = location?.includes("/") ? knownZone(location) : undefined;
    return zone ?? describe(component);
  }

  /** Objects of a server describe the same zones. */
  function describe(component: Component): Zone | undefined {
    const text = component.parts.flatMap(({ lines }) => ["", ...[...lines.values()].flat()]).join("\n");
    spend(text.length >> 3);
    if (described.has(text)) return described.get(text);
    if (++count > MAX_ZONES) return;
    let zone: Zone | undefined;
    try {
      zone = createDescribedZone(component, from, to, limitSteps(spend, MAX_ZONE_STEPS));
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      spend(EXCEPTION_STEPS);
    }
    described.set(text, zone);
    return zone;
  }

  function textOf({ lines }: Component | Calendar, property: string): string | undefined {
    const [line] = lines.get(property) ?? [];
    if (line === undefined) return;
    try {
      return unescapeText(readProperty(line, spend).value);
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      spend(EXCEPTION_STEPS);
    }
  }

  const tzidOf = (component: Component) => textOf(component, "TZID") ?? "";

  /** The zone that the calendar's server, its name of a zone, or its only description gives. */
  function ownZone(calendar: Calendar): OwnZone {
    const byServer = serverZone();
    if (byServer) return { zone: byServer };
    const name = textOf(calendar, "X-WR-TIMEZONE");
    const byName = name ? find(name, calendar) : undefined;
    if (byName) return { zone: byName };
    const [only, ...others] = calendar.timeZones;
    return { zone: only && !others.length ? find(tzidOf(only), calendar) : undefined, unknown: name };
  }

  function serverZone(): Zone | undefined {
    if (!hasServer) {
      hasServer = true;
      const component = calendarTimeZone === undefined ? undefined : readTimeZone(calendarTimeZone);
      server = component && find(tzidOf(component), component.calendar);
    }
    return server;
  }

  function floating(calendar: Calendar, onProblem: ReportProblem): Zone {
    const { zone, unknown } = zonesOf(calendar).own ??= ownZone(calendar);
    if (unknown) onProblem(UNKNOWN, `"${unknown}"`);
    if (zone ?? owners) return (zone ?? owners)!;
    onProblem(MISSING);
    return UTC;
  }

  return {
    named(tzid, calendar, onProblem) {
      const zone = find(tzid, calendar);
      if (zone) return zone;
      onProblem(UNKNOWN, `"${tzid}"`);
      return floating(calendar, onProblem);
    },
    floating,
  };
}

/** Programs differ in how they quote and escape the same name. */
const keyOf = (tzid: string) => tzid.replaceAll(/["\\]/g, "").trim().toLowerCase();

/** The first VTIMEZONE of a document; undefined if it has none or cannot be read. */
function readTimeZone(text: string): Component | undefined {
  let found: Component | undefined;
  try {
    const scanner = createComponentScanner(() => true, () => false, (component) => found ??= component);
    scanner.add(text.trim().slice(0, MAX_SERVER_ZONE_CHARS));
    scanner.endDocument();
  } catch (error) {
    if (!(error instanceof CalendarError)) throw error;
  }
  return found;
}

/**
 * The name itself if it has a slash, that of a Windows name, and what follows the prefix of names such as
 * /mozilla.org/20050126_1/Asia/Tokyo.
 */
function candidatesOf(name: string): string[] {
  const outlook = name.replace(/^tzone:\/\/Microsoft\//i, "");
  const segments = name.split("/").filter((segment) => segment);
  const tails = name.startsWith("/") ? [3, 2].map((length) => segments.slice(-length).join("/")) : [];
  return [zoneOfWindows(outlook) ?? outlook, ...tails].filter((candidate) =>
    candidate.includes("/") && candidate.length <= 64
  );
}
