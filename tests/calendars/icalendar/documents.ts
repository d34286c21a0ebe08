// iCalendar documents, and how readIcsBusy() reads them.
import { deepStrictEqual as deepEqual } from "node:assert";
import type { CalendarWarning } from "../../../functions/calendars/calendar.ts";
import { readIcsBusy } from "../../../functions/calendars/icalendar/ics.ts";
import type { IcsOptions } from "../../../functions/calendars/icalendar/reading.ts";

/** Clocks in Berlin change on 2026-03-29. */
export const WINDOW = { start: new Date("2026-03-20T00:00:00Z"), end: new Date("2026-04-10T00:00:00Z") };
export const BERLIN = "TZID=Europe/Berlin";

export const calendarOf = (...lines: string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n");
export const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"];

/** Enough for a machine that other tests share. */
const MAX_CPU_MS = 60_000;

/** The busy times of a text within WINDOW. */
export const readText = (document: string, options: Partial<IcsOptions> = {}) =>
  readIcsBusy(new Blob([document]).stream(), WINDOW, { timeZone: "Europe/Berlin", maxCpuMs: MAX_CPU_MS, ...options });

const short = (date: Date) => date.toISOString().slice(5, 16);

/** The busy times as "03-23T08:00/03-23T09:00", in UTC, and the warnings. */
export async function read(document: string, options: Partial<IcsOptions> = {}) {
  const warnings: CalendarWarning[] = [];
  const busy = await readText(document, { onWarnings: (found) => warnings.push(...found), ...options });
  return { busy: busy.map(({ start, end }) => `${short(start)}/${short(end)}`).join(" "), warnings };
}

/** The busy times of a calendar without warnings. */
export async function busyOf(...lines: string[]) {
  const { busy, warnings } = await read(calendarOf(...lines));
  deepEqual(warnings, []);
  return busy;
}
