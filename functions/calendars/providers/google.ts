/** Google Calendar: the calendars of an account and their busy times. https://developers.google.com/workspace/calendar/api/v3/reference */
import { z } from "zod";
import { env } from "../../runtime/env.ts";
import {
  type BusyInterval,
  type BusyTimes,
  type CalendarToRead,
  limitCalendars,
  parseResponse,
  type ProviderAccount,
  type ReadWindow,
} from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import { requestJson } from "./http.ts";

const PROVIDER = "Google";
/** Of the list of calendars, 250 each. */
const MAX_PAGES = 4;
/** Google rejects longer windows and more calendars in a request. */
const MAX_WINDOW_MS = 60 * 24 * 3600_000, MAX_CALENDARS_PER_REQUEST = 50;

const CalendarList = z.object({
  items: z.array(z.object({
    id: z.string().min(1),
    summary: z.string().default(""),
    summaryOverride: z.string().optional(),
    primary: z.boolean().default(false),
    accessRole: z.string(),
  })).default([]),
  nextPageToken: z.string().optional(),
});

/** Reads the account of a token. The primary calendar has the account's address as id. */
export async function readAccount(token: string, signal?: AbortSignal): Promise<ProviderAccount> {
  const found: z.output<typeof CalendarList>["items"] = [];
  let pageToken: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const url = new URL(`${env.GOOGLE_CALENDAR_API_URL}/users/me/calendarList?maxResults=250`);
    if (pageToken) url.searchParams.set("pageToken", pageToken);
    const { body } = await requestJson({ provider: PROVIDER, url, token, signal });
    const { items, nextPageToken } = parseResponse(PROVIDER, CalendarList, body);
    found.push(...items);
    pageToken = nextPageToken;
    if (!pageToken) break;
  }
  const address = found.find(({ primary }) => primary)?.id;
  if (!address) throw new CalendarError("not_found", "The Google account has no primary calendar");
  const calendars = limitCalendars(found.map((item) => ({
    externalId: item.id,
    name: item.summaryOverride ?? item.summary,
    isPrimary: item.primary,
    isWritable: ["owner", "writer"].includes(item.accessRole),
  })));
  return { id: address, address, calendars };
}

const Instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const FreeBusy = z.object({
  calendars: z.record(
    z.string(),
    z.object({
      errors: z.array(z.object({ reason: z.string() })).default([]),
      busy: z.array(z.object({ start: Instant, end: Instant })).default([]),
    }),
  ),
});

/** Reads the busy times of calendars of one account. A rejected token throws TokenRejectedError. */
export async function readBusy(
  token: string,
  calendars: readonly CalendarToRead[],
  window: ReadWindow,
  signal?: AbortSignal,
): Promise<BusyTimes> {
  const results: BusyTimes = new Map(calendars.map(({ id }) => [id, []]));
  const requests = chunks(calendars, MAX_CALENDARS_PER_REQUEST).flatMap((batch) =>
    parts(window).map(async (part) => {
      for (const [id, result] of await queryBatch(token, batch, part, signal)) addResult(results, id, result);
    })
  );
  await Promise.all(requests);
  return results;
}

/** An error of one part of the window is one of the calendar: with the other parts alone, busy hours would be free. */
function addResult(results: BusyTimes, id: string, result: BusyInterval[] | CalendarError) {
  const earlier = results.get(id)!;
  if (earlier instanceof CalendarError) return;
  if (result instanceof CalendarError) results.set(id, result);
  else for (const interval of result) earlier.push(interval);
}

async function queryBatch(
  token: string,
  calendars: readonly CalendarToRead[],
  { start, end }: ReadWindow,
  signal?: AbortSignal,
): Promise<BusyTimes> {
  try {
    const { body } = await requestJson({
      provider: PROVIDER,
      url: `${env.GOOGLE_CALENDAR_API_URL}/freeBusy`,
      token,
      signal,
      body: {
        timeMin: start.toISOString(),
        timeMax: end.toISOString(),
        timeZone: "UTC",
        calendarExpansionMax: MAX_CALENDARS_PER_REQUEST,
        items: calendars.map(({ externalId }) => ({ id: externalId })),
      },
    });
    const found = new Map(Object.entries(parseResponse(PROVIDER, FreeBusy, body).calendars));
    return new Map(calendars.map(({ id, externalId }) => [id, toResult(found.get(externalId))]));
  } catch (error) {
    if (!(error instanceof CalendarError)) throw error;
    return new Map(calendars.map(({ id }) => [id, error]));
  }
}

function toResult(found?: z.output<typeof FreeBusy>["calendars"][string]): BusyInterval[] | CalendarError {
  if (!found) return new CalendarError("malformed", "Google sent no busy times of the calendar");
  if (found.errors.length === 0) return found.busy.filter(({ start, end }) => start < end);
  switch (found.errors[0].reason) {
    case "notFound":
      return new CalendarError("not_found", "Google does not know the calendar, or no longer shares it");
    case "forbidden":
      return new CalendarError("forbidden", "Google denies access to the calendar");
    case "rateLimitExceeded":
    case "userRateLimitExceeded":
      return new CalendarError("rate_limited", "Google limits the number of requests");
  }
  return new CalendarError("unavailable", "Google could not read the calendar");
}

/** Parts of a window, none longer than Google accepts. */
function parts({ start, end }: ReadWindow): ReadWindow[] {
  const found: ReadWindow[] = [];
  for (let from = start.getTime(); from < end.getTime(); from += MAX_WINDOW_MS) {
    found.push({ start: new Date(from), end: new Date(Math.min(from + MAX_WINDOW_MS, end.getTime())) });
  }
  return found;
}

const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
