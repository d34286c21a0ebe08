/** A zone that a calendar describes itself (VTIMEZONE), for names that the runtime does not know. */
import type { Component } from "./components.ts";
import { parseRule, parseTime, type ValueReader } from "./property_values.ts";
import { DAY } from "./local_time.ts";
import type { Spend } from "./budget.ts";
import { occurrencesOf } from "./occurrences.ts";
import { completeRule } from "./recurrence_rule.ts";
import type { Zone } from "./zone.ts";

interface Change {
  instant: number;
  from: number;
  to: number;
}

/** Rules are yearly: the last change before an instant is less than this before it. */
const YEAR = 400 * DAY;

/** Valid from `from` to `to`; throws for a description that cannot be read. */
export function createDescribedZone(
  read: ValueReader,
  component: Component,
  from: number,
  to: number,
  spend: Spend,
): Zone {
  const changes = component.parts
    .flatMap((part) => changesOf(read, part, from, to, spend))
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

function changesOf(read: ValueReader, { lines }: Component, from: number, to: number, spend: Spend): Change[] {
  const [offsetFrom, offsetTo] = ["TZOFFSETFROM", "TZOFFSETTO"].map((name) => {
    const [line] = lines.get(name) ?? [];
    return parseOffset(read.property(line).values[0]);
  });
  const [startLine] = lines.get("DTSTART") ?? [];
  const start = parseTime(read.property(startLine).values[0]).local;
  const times = new Set([start]);
  const add = (local: number) => {
    spend(50);
    times.add(local);
  };
  for (const line of lines.get("RDATE") ?? []) {
    for (const value of read.property(line).values) add(parseTime(Array.isArray(value) ? value[0] : value).local);
  }
  for (const line of lines.get("RRULE") ?? []) {
    const { parts, until } = parseRule(read.property(line));
    const last = until && until.local + (until.isUtc ? offsetFrom : until.isDate ? DAY - 1 : 0);
    const rule = completeRule(parts, start, last);
    const begin = Math.min(from, last ?? from) - YEAR;
    for (const time of occurrencesOf(rule, start, begin, to + YEAR, spend)) add(time);
  }
  return [...times].map((local) => ({ instant: local - offsetFrom, from: offsetFrom, to: offsetTo }));
}

function parseOffset(value: unknown): number {
  const [, sign, hours, minutes, seconds] = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(String(value)) ?? [];
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0);
  if (!(size < DAY)) throw new RangeError(`${value} is not an offset`);
  return sign === "-" ? -size : size;
}
