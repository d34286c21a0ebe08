/**
 * Dates in every shape that feeds have: RFC 822 and 2822 with what people make of them, ISO 8601, and the words of
 * other orders. Never a guess: what may mean two days is none.
 */
import { MONTHS, WEEKDAYS, ZONES } from "./date_words.ts";
import type { Note } from "./warn.ts";

interface Found {
  year: string;
  /** As a number or a word. */
  month: string;
  day: string;
  hour?: string;
  minute?: string;
  second?: string;
  /** `pm` or `p.m.`, where a clock has twelve hours. */
  half?: string;
  zone?: string;
  weekday?: string;
}

const TIME = String
  .raw`(?<hour>\d{1,2})[:.](?<minute>\d{2})(?:[:.](?<second>\d{2})(?:[.,]\d+)?)?(?:\s*(?<half>[ap])\.?m\.?)?`;
const ZONE = String
  .raw`(?<zone>[+-]\d{1,2}:?\d{2}|[+-]\d{1,2}|(?:gmt|utc)\s*[+-]\s*\d{1,2}(?::?\d{2})?|[a-z]{1,5}|[a-z]+\/[a-z_/]+|)`;
const WEEKDAY = String.raw`(?:(?<weekday>\p{L}{2,12})\.?\s*,?\s*)?`;
const END = String.raw`(?:[,T\s]+(?:at\s+)?${TIME}\s*${ZONE}(?:\s+[a-z]{2,4})?)?(?:\s*\([^)]*\))?`;

/** The first that fits counts. */
const SHAPES: { shape: RegExp; isMail?: boolean }[] = [
  // Mon, 05 Jan 2020 10:00:00 +0000
  {
    shape: exact(
      String
        .raw`${WEEKDAY}(?<day>\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+(?<month>\p{L}{3,12})\.?,?[\s-]+(?<year>\d{4}|\d{2})${END}`,
    ),
    isMail: true,
  },
  // 2020-01-05T10:00:00Z, 2020/01/05 10:00
  {
    shape: exact(String.raw`(?<year>\d{4})([-/.])(?<month>\d{1,2})\2(?<day>\d{1,2})(?:(?:T|[,\s]+)${TIME}\s*${ZONE})?`),
  },
  // 20200105T100000Z
  {
    shape: exact(
      String
        .raw`(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?:T(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})?${ZONE})?`,
    ),
  },
  // January 5, 2020 10:00 AM
  {
    shape: exact(
      String.raw`${WEEKDAY}(?<month>\p{L}{3,12})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})${END}`,
    ),
  },
  // Sun Jan 5 10:00:00 UTC 2020
  { shape: exact(String.raw`${WEEKDAY}(?<month>\p{L}{3,12})\s+(?<day>\d{1,2})\s+${TIME}\s*${ZONE}\s+(?<year>\d{4})`) },
  // 31.01.2020, 31/01/2020, 01/31/2020: the one above 12 is the day
  { shape: exact(String.raw`(?<day>1[3-9]|2\d|3[01])([/.-])(?<month>0?[1-9]|1[0-2])\2(?<year>\d{4})${END}`) },
  { shape: exact(String.raw`(?<month>0?[1-9]|1[0-2])([/.-])(?<day>1[3-9]|2\d|3[01])\2(?<year>\d{4})${END}`) },
  // the same day and month, and days that are written with dots, which no American does
  { shape: exact(String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})${END}`) },
  { shape: exact(String.raw`(?<day>(\d{1,2}))\/(?<month>\2)\/(?<year>\d{4})${END}`) },
];

function exact(shape: string): RegExp {
  return new RegExp(`^${shape}$`, "iu");
}

/** As written: what machines write nearly always, read without further ado. */
const COMMON =
  /^(Sun|Mon|Tue|Wed|Thu|Fri|Sat), (\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) (\d\d):(\d\d):(\d\d) (GMT|UTC|[+-]\d{4})$/;

const MONTH_NAMES = "JanFebMarAprMayJunJulAugSepOctNovDec";

/** ISO 8601 in UTC, or null. */
export function date(written: string | undefined, note: Note): string | null {
  const text = written?.trim().replace(/\s+/g, " ");
  if (!text) return null;
  const common = COMMON.exec(text);
  if (common) {
    const [, weekday, day, name, year, hour, minute, second, zone] = common;
    const month = String(1 + MONTH_NAMES.indexOf(name) / 3);
    return timeOf({ weekday, day, month, year, hour, minute, second, zone }, note) ?? unreadable(text, note);
  }
  if (text.length > LONGEST) return unreadable(text, note);
  if (UNIX.test(text)) {
    note("DATE_REPAIRED", text);
    return new Date(Number(text.padEnd(13, "0"))).toISOString();
  }
  return shaped(text, note) ?? withoutZone(text, note) ?? unreadable(text, note);
}

function shaped(text: string, note: Note, tail = ""): string | undefined {
  for (const { shape, isMail } of SHAPES) {
    const found = shape.exec(text)?.groups as Found | undefined;
    const iso = found && timeOf(tail ? { ...found, zone: tail } : found, note);
    if (!iso) continue;
    if (!isMail || tail || found.year.length < 4 || !found.hour || found.month.length !== 3) {
      note("DATE_REPAIRED", text);
    }
    return iso;
  }
}

const CLOCK = /\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?(?![a-z]))?/i;
const EVIDENT = /^(?:Z|[+-]\d{2}:?\d{2})(?!\w)/i;

/** What fits nowhere behind the clock is a zone that nobody knows, unless it begins with an offset. */
function withoutZone(text: string, note: Note): string | undefined {
  const clock = CLOCK.exec(text);
  if (!clock) return;
  const end = clock.index + clock[0].length;
  const tail = text.slice(end).trim();
  if (tail) return shaped(text.slice(0, end), note, EVIDENT.exec(tail)?.[0] ?? tail);
}

const LONGEST = 100;
/** Seconds or milliseconds from 2001 to 2033: no other number is as long and begins so. */
const UNIX = /^1\d{9}(?:\d{3})?$/;

function unreadable(text: string, note: Note): null {
  note("DATE_UNREADABLE", text);
  return null;
}

function timeOf({ year, month, day, hour = "0", minute = "0", second = "0", half, zone, weekday }: Found, note: Note) {
  const numbers = {
    year: year.length === 2 ? Number(year) + (Number(year) < 70 ? 2000 : 1900) : Number(year), // RFC 2822, 4.3, from 1970 on
    month: /^\d/.test(month) ? Number(month) : MONTHS.get(word(month)),
    day: Number(day),
    hour: half ? twelve(Number(hour), half) : Number(hour),
  };
  if (numbers.year < YEAR_OF_UNSET_CLOCKS || numbers.year > 2200) return;
  const midnight = numbers.month && Date.UTC(numbers.year, numbers.month - 1, numbers.day);
  if (!midnight || new Date(midnight).getUTCDate() !== numbers.day || numbers.month! > 12) return; // no such day, or a clock that was never set
  if (!(numbers.hour < 24) && !(numbers.hour === 24 && !Number(minute)) || Number(minute) > 59 || Number(second) > 60) {
    return;
  }
  const minutes = offset(zone);
  if (minutes === undefined) note("DATE_ZONE_UNKNOWN", zone);
  const said = weekday && WEEKDAYS.get(word(weekday));
  if (said !== undefined && said !== "" && said !== new Date(midnight).getUTCDay()) note("DATE_WEEKDAY_WRONG", weekday);
  const time = midnight + ((numbers.hour * 60 + Number(minute) - (minutes ?? 0)) * 60 + Number(second)) * 1000;
  if (time < 0) note("DATE_BEFORE_1970", `${year}-${numbers.month}-${numbers.day}`);
  return new Date(Math.max(0, time)).toISOString();
}

/** Software writes the year 1 where it has no date; years before this one are none that a publisher means. */
const YEAR_OF_UNSET_CLOCKS = 1000;

/** In lower case, accents gone, at most four letters: as the tables have them. */
function word(written: string): string {
  const lower = written.toLowerCase();
  return (/^[a-z]+$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "")).slice(0, 4);
}

const twelve = (hour: number, half: string) => hour < 1 || hour > 12 ? NaN : hour % 12 + (/p/i.test(half) ? 12 : 0);

/** Minutes east of UTC; undefined when nobody can tell. */
function offset(zone: string | undefined): number | undefined {
  if (!zone) return;
  const [, sign, hours, minutes] = /^(?:gmt|utc)?\s*([+-])\s*(\d{1,2}):?(\d{2})?$/i.exec(zone) ?? [];
  if (!sign) return ZONES.get(zone.toUpperCase());
  const east = Number(hours) * 60 + Number(minutes ?? 0);
  if (east > 15 * 60 || Number(minutes ?? 0) > 59) return;
  return sign === "-" ? -east : east;
}
