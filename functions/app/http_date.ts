/** Dates of HTTP headers (RFC 9110, 5.6.7): IMF-fixdate and both obsolete forms, which recipients must accept. */

const IMF = /^([A-Z][a-z]{2}), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT$/;
const RFC_850 = /^([A-Z][a-z]{2})[a-z]{3,6}, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d) GMT$/;
const ASCTIME = /^([A-Z][a-z]{2}) ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})$/;

/** The time in milliseconds; NaN for other forms and for dates that do not exist. */
export function parseHttpDate(text = "", now = Date.now()): number {
  const imf = IMF.exec(text);
  if (imf) return timeOf(text);
  const [, weekday, day, month, shortYear, time] = RFC_850.exec(text) ?? [];
  if (weekday) return timeOf(`${weekday}, ${day} ${month} ${fullYear(Number(shortYear), now)} ${time} GMT`);
  const [, name, monthName, padded, clock, year] = ASCTIME.exec(text) ?? [];
  return name ? timeOf(`${name}, ${padded.replace(" ", "0")} ${monthName} ${year} ${clock} GMT`) : NaN;
}

function timeOf(imf: string): number {
  const time = Date.parse(imf);
  return new Date(time).toUTCString() === imf ? time : NaN;
}

/** A year that would be more than 50 years ahead is the past one with the same digits. */
function fullYear(year: number, now: number): number {
  const current = new Date(now).getUTCFullYear(), found = current - current % 100 + year;
  return found > current + 50 ? found - 100 : found;
}
