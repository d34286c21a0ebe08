// Dates (`2026-11-03`) in time zones. Intl knows the zones' rules; a date has 23, 24 or 25 hours, or others.

const DAY = 86_400_000;

const formats = new Map();

/** The date that calendars in the zone show at an instant (milliseconds). */
export function dateOf(instant, timeZone) {
  if (!formats.has(timeZone)) {
    const options = { timeZone, calendar: "iso8601", year: "numeric", month: "2-digit", day: "2-digit" };
    formats.set(timeZone, new Intl.DateTimeFormat("en", options));
  }
  const parts = formats.get(timeZone).formatToParts(instant);
  return ["year", "month", "day"].map((type) => parts.find((part) => part.type === type).value).join("-");
}

/** Dates and months count like those of UTC, which has no changes of its clocks. */
const toInstant = (date) => Date.parse(`${date}T00:00Z`);
const toDate = (instant) => new Date(instant).toISOString().slice(0, 10);

export const addDays = (date, days) => toDate(toInstant(date) + days * DAY);

/** 0 (Sunday) to 6. */
export const weekday = (date) => new Date(toInstant(date)).getUTCDay();

/** `2026-12` after `2026-11`. */
export function addMonths(month, months) {
  const first = new Date(toInstant(`${month}-01`));
  first.setUTCMonth(first.getUTCMonth() + months);
  return first.toISOString().slice(0, 7);
}

/** The dates from the first to the last. */
export function datesBetween(first, last) {
  const dates = [];
  for (let date = first; date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
}

export const datesOfMonth = (month) => datesBetween(`${month}-01`, addDays(`${addMonths(month, 1)}-01`, -1));

/** The instant at which a date begins in the zone. */
export function startOf(date, timeZone) {
  let before = toInstant(date) - DAY, start = toInstant(date) + DAY; // zones are within 15 hours of UTC
  while (start - before > 1) {
    const middle = Math.floor((before + start) / 2);
    if (dateOf(middle, timeZone) < date) before = middle;
    else start = middle;
  }
  return start;
}

/** The dates of another zone that overlap a date of this one: two, sometimes one or three. */
export const overlappingDates = (date, timeZone, otherTimeZone) =>
  datesBetween(
    dateOf(startOf(date, timeZone), otherTimeZone),
    dateOf(startOf(addDays(date, 1), timeZone) - 1, otherTimeZone),
  );
