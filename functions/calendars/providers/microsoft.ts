/** Calendars of Microsoft 365 and Outlook, by Microsoft Graph. https://learn.microsoft.com/graph/api/resources/calendar */
import { z } from "zod";
import { env } from "../../runtime/env.ts";
import {
  type BusyInterval,
  type BusyTimes,
  type CalendarToRead,
  limitCalendars,
  MAX_CALENDARS,
  parseResponse,
  type ProviderAccount,
  type ReadWindow,
} from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import { createBudget } from "../icalendar/budget.ts";
import { zoneOfWindows } from "../icalendar/windows_zones.ts";
import { createIanaZone, toInstant, UTC, type Zone } from "../icalendar/zone.ts";
import { requestJson } from "./http.ts";

const PROVIDER = "Microsoft";
/** Of one list. A calendar with more events cannot be read. */
const MAX_PAGES = 20, PAGE_SIZE = 500;
/** Graph runs four requests of an app for one mailbox at a time, and rejects others with 429. */
const MAX_CONCURRENT_REQUESTS = 4;

const Me = z.object({
  id: z.string().min(1),
  mail: z.string().nullish(),
  userPrincipalName: z.string().nullish(),
});

const CalendarPage = z.object({
  value: z.array(z.object({
    id: z.string().min(1),
    name: z.string().nullish(),
    isDefaultCalendar: z.boolean().default(false),
    canEdit: z.boolean().default(false),
  })),
  "@odata.nextLink": z.string().optional(),
});

/** Reads the account of a token. */
export async function readAccount(token: string, signal?: AbortSignal): Promise<ProviderAccount> {
  const [{ body }, found] = await Promise.all([
    requestJson({
      provider: PROVIDER,
      url: `${env.MICROSOFT_GRAPH_URL}/me?$select=id,mail,userPrincipalName`,
      token,
      signal,
    }),
    readPages(
      CalendarPage,
      `${env.MICROSOFT_GRAPH_URL}/me/calendars?$select=id,name,isDefaultCalendar,canEdit&$top=${MAX_CALENDARS}`,
      { token, signal },
    ),
  ]);
  const { id, mail, userPrincipalName } = parseResponse(PROVIDER, Me, body);
  const calendars = limitCalendars(found.map((calendar) => ({
    externalId: calendar.id,
    name: calendar.name ?? "",
    isPrimary: calendar.isDefaultCalendar,
    isWritable: calendar.canEdit,
  })));
  return { id, address: mail || userPrincipalName || id, calendars };
}

/** With the header `Prefer`, Graph writes times in UTC, with seven digits of a second and without `Z`. */
const Time = z.object({
  dateTime: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z?$/),
  timeZone: z.literal("UTC"),
}).transform(({ dateTime }) => new Date(`${dateTime.slice(0, 19)}Z`)).pipe(z.date()); // z.date() rejects a month 13

const EventPage = z.object({
  value: z.array(z.object({
    start: Time,
    end: Time,
    isAllDay: z.boolean().nullish(),
    showAs: z.string().nullish(),
    isCancelled: z.boolean().nullish(),
  })),
  "@odata.nextLink": z.string().optional(),
});

const MailboxZone = z.object({ value: z.string() });

/**
 * Reads the busy times of calendars of one account. An all-day event is a day in the mailbox's zone, or in `timeZone` if
 * Graph does not tell it. A rejected token throws TokenRejectedError.
 */
export async function readBusy(
  token: string,
  calendars: readonly CalendarToRead[],
  window: ReadWindow,
  signal?: AbortSignal,
  timeZone = "UTC",
): Promise<BusyTimes> {
  let zone: Promise<Zone> | undefined;
  const findZone = () => zone ??= readMailboxZone(token, signal).then((found) => found ?? toZone(timeZone) ?? UTC);
  const results: BusyTimes = new Map(), waiting = [...calendars];
  async function readNext() {
    for (let calendar = waiting.shift(); calendar; calendar = waiting.shift()) {
      results.set(calendar.id, await readCalendar(token, calendar, window, findZone, signal));
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, readNext));
  return results;
}

const toZone = (name: string) => createIanaZone(zoneOfWindows(name) ?? name, createBudget().spend);

/** The zone that the user set in Outlook; undefined if the account did not grant access to it, or it has no name. */
async function readMailboxZone(token: string, signal?: AbortSignal): Promise<Zone | undefined> {
  try {
    const url = `${env.MICROSOFT_GRAPH_URL}/me/mailboxSettings/timeZone`;
    const { body } = await requestJson({ provider: PROVIDER, url, token, signal });
    return toZone(parseResponse(PROVIDER, MailboxZone, body).value);
  } catch (error) {
    if (error instanceof CalendarError && ["forbidden", "not_found"].includes(error.kind)) return;
    throw error;
  }
}

async function readCalendar(
  token: string,
  { externalId }: CalendarToRead,
  { start, end }: ReadWindow,
  findZone: () => Promise<Zone>,
  signal?: AbortSignal,
): Promise<BusyInterval[] | CalendarError> {
  const url = `${env.MICROSOFT_GRAPH_URL}/me/calendars/${encodeURIComponent(externalId)}/calendarView` +
    `?startDateTime=${start.toISOString()}&endDateTime=${end.toISOString()}` +
    `&$select=start,end,isAllDay,showAs,isCancelled&$top=${PAGE_SIZE}`;
  try {
    const events = await readPages(EventPage, url, { token, signal });
    const zone = events.some(({ isAllDay }) => isAllDay) ? await findZone() : UTC; // the others name their instants
    return events
      .filter(({ showAs, isCancelled }) => !isCancelled && showAs !== "free" && showAs !== "workingElsewhere")
      .filter(({ start, end }) => start < end)
      .map(({ start, end, isAllDay }) =>
        isAllDay ? { start: inZone(start, zone), end: inZone(end, zone) } : { start, end }
      );
  } catch (error) {
    if (error instanceof CalendarError) return error;
    throw error;
  }
}

/** The same local time in a zone: Graph writes the dates of all-day events as midnight of any zone that it is asked for. */
const inZone = (utc: Date, zone: Zone) => new Date(toInstant(zone, utc.getTime() / 1000) * 1000);

interface ListOptions {
  token: string;
  signal?: AbortSignal;
  maxItems?: number;
  /** The header. */
  prefer?: string;
}

/** A page of a list of Graph. */
type PageSchema<Item> = z.ZodType<{ value: Item[]; "@odata.nextLink"?: string }>;

/** Reads a list of Graph with all its pages, until `maxItems` are found. */
export async function readPages<Item>(
  schema: PageSchema<Item>,
  url: string,
  { token, signal, maxItems = Infinity, prefer = 'outlook.timezone="UTC"' }: ListOptions,
): Promise<Item[]> {
  const found: Item[] = [];
  let next: string | undefined = url;
  for (let page = 1; next !== undefined && found.length < maxItems; page++) {
    if (page > MAX_PAGES) throw new CalendarError("malformed", "The calendar has too many events to read");
    // the token is for Graph alone
    if (!next.startsWith(`${env.MICROSOFT_GRAPH_URL}/`)) {
      throw new CalendarError("malformed", "Microsoft sent a response that cannot be read");
    }
    const { body } = await requestJson({
      provider: PROVIDER,
      url: next,
      token,
      signal,
      headers: { prefer },
    });
    const parsed: { value: Item[]; "@odata.nextLink"?: string } = parseResponse(PROVIDER, schema, body);
    for (const item of parsed.value) found.push(item);
    next = parsed["@odata.nextLink"];
  }
  return found;
}
