/** A zone that a calendar describes itself (VTIMEZONE). */
import type { Component } from "./components.ts";
import { listOf, parseTime, readProperty, splitPeriod } from "./property_values.ts";
import { DAY } from "./local_time.ts";
import type { Spend } from "./budget.ts";
import { occurrencesOf } from "./occurrences.ts";
import { parseRule } from "./recurrence_rule.ts";
import type { Zone } from "./zone.ts";

interface Change {
  instant: number;
  from: number;
  to: number;
}

/** Rules are yearly: the last change before an instant is less than this before it. */
const YEAR = 400 * DAY;

/** Valid from `from` to `to`; throws for a description that cannot be read. */
export function createDescribedZone(component: Component, from: number, to: number, spend: Spend): Zone {
  const changes = component.parts
    .flatMap((part) => changesOf(part, from, to, spend))
    .sort((one, other) => one.instant - other.instant);
  if (!changes.length) throw new RangeError("a time zone without offsets");
  return {
    offsetAt(instant) {
      let [low, high] = [0, changes.length]; // the changes before `low` have happened
      while (low < high) {
        const middle = (low + high) >> 1;
        if (changes[middle].instant <= instant) low = middle + 1;
        else high = middle;
      }
      return low ? changes[low - 1].to : changes[0].from;
    },
  };
}

function changesOf({ lines }: Component, from: number, to: number, spend: Spend): Change[] {
  const valueOf = (name: string) => readProperty(lines.get(name)?.[0] ?? "", spend).value;
  const [offsetFrom, offsetTo] = ["TZOFFSETFROM", "TZOFFSETTO"].map((name) => parseOffset(valueOf(name)));
  const start = parseTime(valueOf("DTSTART")).local;
  const times = new Set([start]);
  const add = (local: number) => {
    spend(50);
    times.add(local);
  };
  for (const line of lines.get("RDATE") ?? []) {
    for (const value of listOf(readProperty(line, spend).value)) add(parseTime(splitPeriod(value).start).local);
  }
  for (const line of lines.get("RRULE") ?? []) {
    const rule = parseRule(readProperty(line, spend).value, {
      start,
      lastOf(text) {
        const { local, isUtc, isDate } = parseTime(text);
        return local + (isUtc ? offsetFrom : isDate ? DAY - 1 : 0);
      },
      onProblem(part) {
        throw new RangeError(`${part} cannot be read`);
      },
    });
    const begin = Math.min(from, rule.until ?? from) - YEAR;
    for (const time of occurrencesOf(rule, start, begin, to + YEAR, spend)) add(time);
  }
  return [...times].map((local) => ({ instant: local - offsetFrom, from: offsetFrom, to: offsetTo }));
}

function parseOffset(value: string): number {
  const [, sign, hours, minutes, seconds] = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/.exec(value) ?? [];
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0);
  if (!(size < DAY)) throw new RangeError(`${value} is not an offset`);
  return sign === "-" ? -size : size;
}
