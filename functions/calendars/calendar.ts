/** What all kinds of calendars have in common. */
import type { z } from "zod";
import { CalendarError } from "./calendar_error.ts";

/** A time during which a calendar is busy, without its end. */
export interface BusyInterval {
  start: Date;
  end: Date;
}

/** What a reading left out or read as something else, in words for the calendar's owner, and how many times. */
export interface CalendarWarning {
  text: string;
  count: number;
}

/** The time for which busy intervals are read. */
export interface ReadWindow {
  start: Date;
  end: Date;
}

/** A calendar of an account, as its provider describes it. */
export interface ProviderCalendar {
  externalId: string;
  name: string;
  isPrimary: boolean;
  isWritable: boolean;
  /** Its events do not make its owner busy, so it is not selected at first. */
  isTransparent?: boolean;
}

/** An account of a provider with its calendars, the primary one first. */
export interface ProviderAccount {
  /** The provider's id, which stays if the address changes. */
  id: string;
  address: string;
  calendars: ProviderCalendar[];
}

/** A calendar to read: our id and the provider's. */
export interface CalendarToRead {
  id: string;
  externalId: string;
}

/** What each calendar, by our id, is busy with, or why it could not be read. */
export type BusyTimes = Map<string, BusyInterval[] | CalendarError>;

export const MAX_CALENDARS = 100;

/** The first calendars, primary ones first; names and ids are as long as the database accepts. */
export function limitCalendars(calendars: ProviderCalendar[]): ProviderCalendar[] {
  return calendars.filter(({ externalId }) => externalId.length <= 1024)
    .map((calendar) => ({ ...calendar, name: [...calendar.name.trim()].slice(0, 255).join("") || calendar.externalId }))
    .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary)).slice(0, MAX_CALENDARS);
}

/** Parses a provider's response; another form is an error of the kind `malformed`. */
export function parseResponse<T extends z.ZodType>(provider: string, schema: T, body: unknown): z.output<T> {
  const { success, data } = schema.safeParse(body);
  if (!success) throw new CalendarError("malformed", `${provider} sent a response that cannot be read`);
  return data;
}
