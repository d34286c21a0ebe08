/**
 * The lines of iCalendar documents: parameters, times, durations and periods. They are read leniently, because what a
 * program wrote in a form of its own is more likely to be meant than to be wrong.
 */
import { DAY, dayNumber } from "./local_time.ts";
import type { Spend } from "./budget.ts";

/** A line: its parameters by lower case name, and the text of its value. */
export interface Property {
  params: Map<string, string>;
  value: string;
}

const PARAM = /;\s*([\w-]+)\s*=\s*((?:"[^"]*"|[^";:]+)*)/y;

/** Takes what the line costs from the budget. Throws RangeError for a line that is not a property. */
export function readProperty(line: string, spend: Spend): Property {
  spend(20 + (line.length >> 1));
  const params = new Map<string, string>();
  let at = line.search(/[;:]/);
  PARAM.lastIndex = Math.max(0, at);
  for (let found; (found = PARAM.exec(line)); at = PARAM.lastIndex) {
    params.set(found[1].toLowerCase(), found[2].replaceAll('"', "").trim());
  }
  const end = line.lastIndexOf(":");
  const isOpen = line[at] !== ":" || end > at && params.has("tzid"); // damaged, or a zone with a colon
  if (isOpen && TIMES.test(line.slice(end + 1, end + 10))) {
    const rest = line.slice(at, end);
    if (params.has("tzid") && rest[0] !== ";") params.set("tzid", `${params.get("tzid")}${rest.replaceAll('"', "")}`);
    at = end;
  }
  if (line[at] !== ":") throw new RangeError("a line without a value");
  return { params, value: line.slice(at + 1).trim() };
}

/** How times begin, but not those of ISO 8601, which have colons. */
const TIMES = /^\d{8}(?:[T,]|$)/i;

/** The values of a list, without those that are empty. */
export const listOf = (value: string) => value.split(",").map((one) => one.trim()).filter((one) => one);

export const unescapeText = (text: string) => text.replaceAll(/\\n/gi, "\n").replaceAll(/\\(.)/g, "$1").trim();

/** A date, or a time on the clock of a zone that its property names. */
export interface WrittenTime {
  /** Seconds (local_time.ts). */
  local: number;
  isDate: boolean;
  isUtc: boolean;
}

/** As in iCalendar or in ISO 8601, with seconds or without. */
const TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?(?:Z|([+-])(\d\d):?(\d\d)|(?=$)))?$/i;

/** Throws RangeError for a text that is not a time. */
export function parseTime(text: string, isOnlyDate = false): WrittenTime {
  const [, year, month, day, hour, minute, second, sign, hours, minutes] = TIME.exec(text) ?? [];
  const [y, m, d] = [year, month, day].map(Number);
  const number = dayNumber(y, m, d);
  const isReal = y >= 1000 && m >= 1 && m <= 12 && d >= 1 && number < dayNumber(y, m + 1, 1);
  const [h, min, s] = [hour ?? 0, minute ?? 0, second ?? 0].map(Number);
  const seconds = h * 3600 + min * 60 + Math.min(s, 59); // a leap second is the one before it
  if (!isReal || min > 59 || s > 60 || seconds > DAY) throw new RangeError(`${text} is not a time`);
  const isDate = isOnlyDate || hour === undefined;
  const offset = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60;
  return {
    local: number * DAY + (isDate ? 0 : seconds - (sign === "-" ? -offset : offset)),
    isDate,
    isUtc: !isDate && (sign !== undefined || /z$/i.test(text)),
  };
}

/** Days keep the local time, seconds are exact: across a change of clocks they differ (RFC 5545, 3.3.6). */
export interface Length {
  nominal: number;
  exact: number;
}

/** Beyond, end dates could not be represented. */
const MAX_DAYS = 100_000;

const LENGTH = /^([+-]?)P(?=\w*\d)(?:(\d+)W)?(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/i;

/** Throws RangeError for a text that is not an event's duration. */
export function parseLength(text: string): Length {
  const found = LENGTH.exec(text);
  const [weeks, days, hours, minutes, seconds] = (found ?? []).slice(2).map((number) => Number(number ?? 0));
  const length = { nominal: (weeks * 7 + days) * DAY, exact: hours * 3600 + minutes * 60 + seconds };
  const sum = length.nominal + length.exact;
  if (!(sum <= MAX_DAYS * DAY) || found?.[1] === "-" && sum) throw new RangeError(`${text} is not a duration`);
  return length;
}

/** A start with its end or length, if the value is a period. */
export function splitPeriod(value: string): { start: string; end?: string; length?: Length } {
  const [start, rest] = value.split("/").map((part) => part.trim());
  if (rest === undefined) return { start };
  return /^\d/.test(rest) ? { start, end: rest } : { start, length: parseLength(rest) };
}
