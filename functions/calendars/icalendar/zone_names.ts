/** The zone of a TZID: by the runtime's database, by Windows' names, or as the calendar describes it. */
import { CalendarError } from "../calendar_error.ts";
import type { Calendar, Component } from "./components.ts";
import type { ValueReader } from "./property_values.ts";
import { EXCEPTION_STEPS, type Spend } from "./budget.ts";
import { createDescribedZone } from "./vtimezone.ts";
import { zoneOfWindows } from "./windows_zones.ts";
import { createIanaZone, UTC, type Zone } from "./zone.ts";

/** A calendar of a traveller has some dozens; each costs up to a millisecond. */
const MAX_ZONES = 200;

export interface ZoneNames {
  /** The zone of a TZID of a property in this calendar. */
  named(tzid: string, calendar: Calendar): Zone;
  /** The zone of dates and of times without a zone. */
  floating(calendar: Calendar): Zone;
}

interface ZoneContext {
  read: ValueReader;
  /** The owner's zone. */
  timeZone: string;
  /** Instants between which zones are asked. */
  from: number;
  to: number;
  spend: Spend;
  onProblem(text: string): void;
}

export function createZoneNames({ read, timeZone, from, to, spend, onProblem }: ZoneContext): ZoneNames {
  const owners = createIanaZone(timeZone, spend) ?? UTC; // the database can know zones that this runtime does not
  const known = new Map<string, Zone | undefined>([["UTC", UTC]]);
  const components = new Map<Calendar, Map<string, Component>>();
  const zonesOf = new Map<Calendar, Map<string, Zone>>();
  const floating = new Map<Calendar, Zone>();
  let count = 0;

  function knownZone(name: string): Zone | undefined {
    if (known.has(name)) return known.get(name);
    const zone = ++count > MAX_ZONES
      ? undefined
      : candidatesOf(name).map((one) => createIanaZone(one, spend)).find((found) => found);
    if (count <= MAX_ZONES) known.set(name, zone);
    return zone;
  }

  function find(tzid: string, calendar: Calendar): Zone {
    const component = componentsOf(calendar).get(tzid);
    const location = component && textOf(component, "X-LIC-LOCATION");
    const zone = knownZone(tzid) ?? (location && knownZone(location)) ?? (component && describe(component));
    if (zone) return zone;
    onProblem(`The time zone "${tzid}" is not known; its events are read in ${timeZone}`);
    return owners;
  }

  function componentsOf(calendar: Calendar): Map<string, Component> {
    let found = components.get(calendar);
    if (!found) {
      found = new Map(calendar.timeZones.map((component) => [textOf(component, "TZID") ?? "", component]));
      components.set(calendar, found);
    }
    return found;
  }

  function describe(component: Component): Zone | undefined {
    if (++count > MAX_ZONES) return;
    try {
      return createDescribedZone(read, component, from, to, spend);
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      spend(EXCEPTION_STEPS);
    }
  }

  function textOf({ lines }: Component | Calendar, property: string): string | undefined {
    const [line] = lines.get(property) ?? [];
    if (line === undefined) return;
    try {
      return String(read.property(line).values[0]).trim();
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      spend(EXCEPTION_STEPS);
    }
  }

  return {
    named(tzid, calendar) {
      let zones = zonesOf.get(calendar);
      if (!zones) zonesOf.set(calendar, zones = new Map());
      let zone = zones.get(tzid);
      if (!zone) zones.set(tzid, zone = find(tzid, calendar));
      return zone;
    },
    floating(calendar) {
      let zone = floating.get(calendar);
      if (!zone) {
        const name = textOf(calendar, "X-WR-TIMEZONE");
        floating.set(calendar, zone = name && knownZone(name) || owners);
      }
      return zone;
    },
  };
}

/** The name itself, Windows' name, and what follows the prefix of names such as /mozilla.org/20050126_1/Asia/Tokyo. */
function candidatesOf(name: string): string[] {
  const outlook = name.replace(/^tzone:\/\/Microsoft\//i, "");
  const segments = name.split("/").filter((segment) => segment);
  const tails = name.startsWith("/") ? [3, 2].map((length) => segments.slice(-length).join("/")) : [];
  return [zoneOfWindows(outlook) ?? outlook, ...tails].filter((candidate) => candidate && candidate.length <= 64);
}
