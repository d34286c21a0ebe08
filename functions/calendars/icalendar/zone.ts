/** Time zones: what a clock shows at an instant, and the instant of a local time. Instants are seconds since 1970. */
import type { Spend } from "./budget.ts";
import { DAY } from "./local_time.ts";

export interface Zone {
  /** The seconds by which local time is ahead of UTC at an instant. */
  offsetAt(instant: number): number;
}

export const UTC: Zone = { offsetAt: () => 0 };

export const toLocal = (zone: Zone, instant: number) => instant + zone.offsetAt(instant);

/**
 * The instant of a local time: the first of two when clocks are set back, and with the offset before the change when
 * the time is skipped (RFC 5545, 3.3.5).
 */
export function toInstant(zone: Zone, local: number): number {
  const before = zone.offsetAt(local - DAY);
  const after = zone.offsetAt(local + DAY);
  if (before === after) return local - before;
  const instants = [local - before, local - after].filter((instant) => toLocal(zone, instant) === local);
  return instants.length ? Math.min(...instants) : local - before;
}

/** A zone of the runtime's database; undefined for a name that it does not know. */
export function createIanaZone(name: string, spend: Spend): Zone | undefined {
  spend(5000);
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return;
  }
  /** By seconds: the starts of days, and of minutes on days of a change. */
  const offsets = new Map<number, number>();

  function offsetOf(instant: number): number {
    let offset = offsets.get(instant);
    if (offset === undefined) {
      spend(50);
      offsets.set(instant, offset = parseOffset(format.format(instant * 1000)));
    }
    return offset;
  }

  return {
    offsetAt(instant) {
      const day = Math.floor(instant / DAY) * DAY;
      const offset = offsetOf(day);
      return offset === offsetOf(day + DAY) ? offset : offsetOf(Math.floor(instant / 60) * 60);
    },
  };
}

function parseOffset(formatted: string): number {
  const [, sign, hours, minutes, seconds = 0] = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(formatted) ?? [];
  const size = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds);
  return sign === "-" ? -size : size;
}
