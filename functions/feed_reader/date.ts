/**
 * Parses the date formats found in feeds: RFC 822 and 2822 with their variants, ISO 8601, and other orders. Ambiguous
 * dates are rejected, never guessed.
 */
import { MONTHS, WEEKDAYS, ZONES } from "./date_words.ts";
import type { WarnFn } from "./warn.ts";

interface DateParts {
  year: string;
  /** A number or a name. */
  month: string;
  day: string;
  hour?: string;
  minute?: string;
  second?: string;
  /** `pm` or `p.m.` of a 12-hour clock. */
  half?: string;
  zone?: string;
  weekday?: string;
}

const TIME = String
  .raw`(?<hour>\d{1,2})[:.](?<minute>\d{2})(?:[:.](?<second>\d{2})(?:[.,]\d+)?)?(?:\s*(?<half>[ap])\.?m\.?)?`;
const ZONE = String
  .raw`(?<zone>[+-]\d{1,2}:?\d{2}|[+-]\d{1,2}|(?:gmt|utc)\s*[+-]\s*\d{1,2}(?::?\d{2})?|[a-z]{1,5}|[a-z]+\/[a-z_/]+|)`;
const WEEKDAY = String.raw`(?:(?<weekday>\p{L}{2,12})(?!\p{L})\.?\s*,?\s*)?`;
const END = String.raw`(?:[,T\s]+(?:at\s+)?${TIME}\s*${ZONE}(?:\s+[a-z]{2,4})?)?(?:\s*\([^)]*\))?`;

/** The first match is used. */
const SHAPES: { shape: RegExp; isMail?: boolean }[] = [
  // Mon, 05 Jan 2020 10:00:00 +0000
  {
    shape: exactPattern(
      String
        .raw`${WEEKDAY}(?<day>\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+(?<month>\p{L}{3,12})\.?,?[\s-]+(?<year>\d{4}|\d{2})${END}`,
    ),
    isMail: true,
  },
  // 2020-01-05T10:00:00Z, 2020/01/05 10:00
  {
    shape: exactPattern(
      String.raw`(?<year>\d{4})([-/.])(?<month>\d{1,2})\2(?<day>\d{1,2})(?:(?:T|[,\s]+)${TIME}\s*${ZONE})?`,
    ),
  },
  // 20200105T100000Z
  {
    shape: exactPattern(
      String
        .raw`(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?:T(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})?${ZONE})?`,
    ),
  },
  // January 5, 2020 10:00 AM
  {
    shape: exactPattern(
      String.raw`${WEEKDAY}(?<month>\p{L}{3,12})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})${END}`,
    ),
  },
  // Sun Jan 5 10:00:00 UTC 2020
  {
    shape: exactPattern(
      String.raw`${WEEKDAY}(?<month>\p{L}{3,12})\s+(?<day>\d{1,2})\s+${TIME}\s*${ZONE}\s+(?<year>\d{4})`,
    ),
  },
  // 31.01.2020, 31/01/2020, 01/31/2020: the number above 12 is the day
  { shape: exactPattern(String.raw`(?<day>1[3-9]|2\d|3[01])([/.-])(?<month>0?[1-9]|1[0-2])\2(?<year>\d{4})${END}`) },
  { shape: exactPattern(String.raw`(?<month>0?[1-9]|1[0-2])([/.-])(?<day>1[3-9]|2\d|3[01])\2(?<year>\d{4})${END}`) },
  // equal day and month; and dates with dots, which put the day first
  { shape: exactPattern(String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})${END}`) },
  { shape: exactPattern(String.raw`(?<day>(\d{1,2}))\/(?<month>\2)\/(?<year>\d{4})${END}`) },
];

function exactPattern(shape: string): RegExp {
  return new RegExp(`^${shape}$`, "iu");
}

/** The form that most software writes, parsed without the other patterns. */
const COMMON =
  /^(Sun|Mon|Tue|Wed|Thu|Fri|Sat), (\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) (\d\d):(\d\d):(\d\d) (GMT|UTC|[+-]\d{4})$/;

const MONTH_NAMES = "JanFebMarAprMayJunJulAugSepOctNovDec";

/** Returns ISO 8601 in UTC, or null. */
export function parseDate(raw: string | undefined, warn: WarnFn): string | null {
  const trimmed = raw?.trim();
  if (!trimmed) return null;
  const common = COMMON.exec(trimmed);
  if (common) {
    const [, weekday, day, name, year, hour, minute, second, zone] = common;
    const month = String(1 + MONTH_NAMES.indexOf(name) / 3);
    if (isPlain(weekday, day, name, year, hour, minute, second, zone)) {
      return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}T${hour}:${minute}:${second}.000Z`;
    }
    return toIso({ weekday, day, month, year, hour, minute, second, zone }, warn) ?? invalidDate(trimmed, warn);
  }
  const text = trimmed.replace(/\s+/g, " ");
  if (text.length > MAX_DATE_CHARS) return invalidDate(text, warn);
  if (UNIX.test(text)) {
    warn("DATE_NONSTANDARD", text);
    return new Date(Number(text.padEnd(13, "0"))).toISOString();
  }
  return parseShapes(text, warn) ?? parseUnknownZone(text, warn) ?? invalidDate(text, warn);
}

const WEEKDAY_NAMES = "SunMonTueWedThuFriSat";
const DAY_MS = 86_400_000;

/** Whether a date of this form is valid and in UTC, so that its parts are those of the result. */
function isPlain(
  weekday: string,
  day: string,
  month: string,
  year: string,
  hour: string,
  minute: string,
  second: string,
  zone: string,
): boolean {
  if (zone !== "GMT" && zone !== "+0000" && zone !== "UTC") return false;
  if (year < "1971" || year > "2200" || +day > 28 || +day < 1 || hour > "23" || minute > "59" || second > "59") {
    return false;
  }
  const days = Date.UTC(+year, MONTH_NAMES.indexOf(month) / 3, +day) / DAY_MS;
  return WEEKDAY_NAMES.indexOf(weekday) / 3 === (days + 4) % 7; // 1970 began on a Thursday
}

function parseShapes(text: string, warn: WarnFn, tail = ""): string | undefined {
  for (const { shape, isMail } of SHAPES) {
    const found = shape.exec(text)?.groups as DateParts | undefined;
    const iso = found && toIso(tail ? { ...found, zone: tail } : found, warn);
    if (!iso) continue;
    if (!isMail || tail || found.year.length < 4 || !found.hour || found.month.length !== 3) {
      warn("DATE_NONSTANDARD", text);
    }
    return iso;
  }
}

const CLOCK = /\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?(?![a-z]))?/i;
const ZONE_OFFSET = /^(?:Z|[+-]\d{2}:?\d{2})(?!\w)/i;

/** Treats text after the clock that no pattern accepts as an unknown zone, unless it begins with an offset. */
function parseUnknownZone(text: string, warn: WarnFn): string | undefined {
  const clock = CLOCK.exec(text);
  if (!clock) return;
  const end = clock.index + clock[0].length;
  const tail = text.slice(end).trim();
  if (tail) return parseShapes(text.slice(0, end), warn, ZONE_OFFSET.exec(tail)?.[0] ?? tail);
}

const MAX_DATE_CHARS = 100;
/** Unix seconds or milliseconds from 2001 to 2033. No other number has this length and first digit. */
const UNIX = /^1\d{9}(?:\d{3})?$/;

function invalidDate(text: string, warn: WarnFn): null {
  warn("DATE_INVALID", text);
  return null;
}

function toIso(
  { year, month, day, hour = "0", minute = "0", second = "0", half, zone, weekday }: DateParts,
  warn: WarnFn,
) {
  const numbers = {
    year: year.length === 2 ? Number(year) + (Number(year) < 70 ? 2000 : 1900) : Number(year), // RFC 2822, 4.3, from 1970 on
    month: /^\d/.test(month) ? Number(month) : MONTHS.get(wordKey(month)),
    day: Number(day),
    hour: half ? to24Hours(Number(hour), half) : Number(hour),
  };
  if (numbers.year < MIN_YEAR || numbers.year > 2200) return;
  const { month: inYear = NaN } = numbers;
  const midnight = Date.UTC(numbers.year, inYear - 1, numbers.day); // 0 on 1970-01-01
  if (!(inYear >= 1 && inYear <= 12) || new Date(midnight).getUTCDate() !== numbers.day) return; // no such day
  if (!(numbers.hour < 24) && !(numbers.hour === 24 && !Number(minute)) || Number(minute) > 59 || Number(second) > 60) {
    return;
  }
  const minutes = zoneOffsetMinutes(zone);
  if (minutes === undefined) warn("DATE_TIMEZONE_UNKNOWN", zone);
  const excerpt = weekday && WEEKDAYS.get(wordKey(weekday));
  if (excerpt !== undefined && excerpt !== "" && excerpt !== new Date(midnight).getUTCDay()) {
    warn("DATE_WEEKDAY_MISMATCH", weekday);
  }
  const time = midnight + ((numbers.hour * 60 + Number(minute) - (minutes ?? 0)) * 60 + Number(second)) * 1000;
  if (time < 0) warn("DATE_BEFORE_1970", `${year}-${numbers.month}-${numbers.day}`);
  return new Date(Math.max(0, time)).toISOString();
}

/** Software writes the year 1 for a missing date; no publisher means a year before this one. */
const MIN_YEAR = 1000;

/** Lower case, without accents, at most four letters: the keys of the tables. */
function wordKey(raw: string): string {
  const lower = raw.toLowerCase();
  return (/^[a-z]+$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "")).slice(0, 4);
}

const to24Hours = (hour: number, half: string) => hour < 1 || hour > 12 ? NaN : hour % 12 + (/p/i.test(half) ? 12 : 0);

/** Minutes east of UTC; undefined if the zone is unknown. */
function zoneOffsetMinutes(zone: string | undefined): number | undefined {
  if (!zone) return;
  const [, sign, hours, minutes] = /^(?:gmt|utc)?\s*([+-])\s*(\d{1,2}):?(\d{2})?$/i.exec(zone) ?? [];
  if (!sign) return ZONES.get(zone.toUpperCase());
  const east = Number(hours) * 60 + Number(minutes ?? 0);
  if (east > 15 * 60 || Number(minutes ?? 0) > 59) return;
  return sign === "-" ? -east : east;
}
