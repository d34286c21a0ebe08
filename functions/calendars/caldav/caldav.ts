/** Calendars at CalDAV servers (RFC 4791), read-only. */
import { type BusyInterval, limitCalendars, type ProviderCalendar, type ReadWindow } from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import { type CaldavClient, createCaldavClient } from "./client.ts";
import type { CalendarRequestOptions } from "../calendar_request.ts";
import type { CalendarLogin } from "../login.ts";
import { CALDAV, childrenOf, DAV, type DavResponse, hrefOf, qualify } from "./dav_xml.ts";
import { type IcsOptions, readDocuments } from "../icalendar/reading.ts";
import { MAX_CPU_MS } from "../icalendar/budget.ts";
import { createComputation } from "../icalendar/computation.ts";
import { DAY } from "../icalendar/local_time.ts";

const MAX_HOMES = 5;
/** Of the calendar's computing time, for a response with one property. */
const TIME_ZONE_CPU_MS = 100;
/** Of an event: most are smaller, attachments can make one large. */
const PIECE_CHARS = 65_536;

const PROPFIND = `<?xml version="1.0" encoding="utf-8"?>
<D:propfind xmlns:D="DAV:" xmlns:C="${CALDAV}"><D:prop><D:resourcetype/><D:displayname/><D:current-user-principal/>
<C:calendar-home-set/><C:supported-calendar-component-set/><C:schedule-default-calendar-URL/>
<C:schedule-calendar-transp/></D:prop></D:propfind>`;

const TIME_ZONE_PROPFIND = `<?xml version="1.0" encoding="utf-8"?>
<D:propfind xmlns:D="DAV:" xmlns:C="${CALDAV}"><D:prop><C:calendar-timezone/></D:prop></D:propfind>`;
const MAX_TIME_ZONE_CHARS = 65_536;
/** The zone is asked for once the events arrive, so that a wrong login is sent once; after this time at once. */
const TIME_ZONE_DELAY_MS = 1000;

/**
 * Finds the calendars with events of an account: at any URL of its server (RFC 6764), or the calendar at the URL
 * itself. `externalId` is the URL of a calendar, for readCaldavBusy. Throws CalendarError; "revoked" is a wrong login.
 */
export async function discoverCalendars(
  url: string,
  login: CalendarLogin,
  options: CalendarRequestOptions & Pick<IcsOptions, "maxCpuMs" | "cpu">,
): Promise<ProviderCalendar[]> {
  const client = createCaldavClient(login, options, createComputation(options));
  const start = parseUrl(url);
  const own = await findProperties(client, start);
  const found = own && (isCalendar(own.response) || own.homes.length || own.principal)
    ? own
    : await findProperties(client, new URL("/.well-known/caldav", start)) ?? own;
  if (found && isCalendar(found.response)) return toCalendars([found.response], found.url, client);
  const account = found && !found.homes.length && found.principal
    ? await findProperties(client, found.principal)
    : found;
  if (!account?.homes.length) throw new CalendarError("not_found", "The server has no calendars at this URL");
  const calendars: ProviderCalendar[] = [];
  for (const home of account.homes.slice(0, MAX_HOMES)) {
    const responses: DavResponse[] = [];
    const base = await client.request("PROPFIND", home, 1, PROPFIND, (response) => responses.push(response));
    calendars.push(...toCalendars(responses, base, client));
  }
  return limitCalendars(calendars);
}

interface DavResource {
  url: URL;
  response: DavResponse;
  principal?: URL;
  homes: URL[];
}

/** The properties of a resource; undefined if it does not exist or is not of WebDAV. */
async function findProperties(client: CaldavClient, url: URL): Promise<DavResource | undefined> {
  let response: DavResponse | undefined;
  try {
    url = await client.request("PROPFIND", url, 0, PROPFIND, (one) => response ??= one);
  } catch (error) {
    if (isElsewhere(error)) return;
    throw error;
  }
  if (!response) return;
  const { properties } = response;
  const principal = hrefOf(properties.get(qualify(DAV, "current-user-principal")));
  const homes = childrenOf(properties.get(qualify(CALDAV, "calendar-home-set")), DAV, "href");
  return {
    url,
    response,
    principal: principal ? client.resolve(principal, url) : undefined,
    homes: homes.map(({ text }) => client.resolve(text.trim(), url)),
  };
}

function isCalendar({ properties }: DavResponse): boolean {
  if (!childrenOf(properties.get(qualify(DAV, "resourcetype")), CALDAV, "calendar").length) return false;
  const components = properties.get(qualify(CALDAV, "supported-calendar-component-set"));
  if (!components) return true; // then all kinds are supported (RFC 4791, 5.2.3)
  return childrenOf(components, CALDAV, "comp").some(({ attributes }) =>
    attributes.get("name")?.toUpperCase() === "VEVENT"
  );
}

function toCalendars(responses: DavResponse[], base: URL, { resolve }: CaldavClient): ProviderCalendar[] {
  const byDefault = responses.map(({ properties }) =>
    hrefOf(properties.get(qualify(CALDAV, "schedule-default-calendar-URL")))
  ).find((href) => href);
  const primary = byDefault && resolve(byDefault, base).href;
  const calendars = responses.filter(isCalendar).map(({ href, properties }) => {
    const externalId = resolve(href, base).href;
    const name = properties.get(qualify(DAV, "displayname"))?.text.replaceAll(/\s+/g, " ").trim();
    const transparency = properties.get(qualify(CALDAV, "schedule-calendar-transp"));
    const isTransparent = childrenOf(transparency, CALDAV, "transparent").length > 0;
    return {
      externalId,
      name: name || nameOf(externalId),
      isPrimary: externalId === primary,
      isWritable: false,
      ...isTransparent && { isTransparent },
    };
  });
  const [only] = calendars;
  return calendars.length === 1 ? [{ ...only, isPrimary: true }] : calendars;
}

/** The last part of the path. */
function nameOf(url: string): string {
  const part = new URL(url).pathname.split("/").findLast((segment) => segment) ?? "";
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The busy times of a calendar that discoverCalendars found, inside a window; as readIcsBusy does. `timeoutMs` is for
 * all requests and responses. Asks for the calendar's zone at each reading.
 */
export async function readCaldavBusy(
  calendarUrl: string,
  login: CalendarLogin,
  window: ReadWindow,
  options: CalendarRequestOptions & IcsOptions,
): Promise<BusyInterval[]> {
  const { maxCpuMs = MAX_CPU_MS } = options;
  const documents = { ...options, maxCpuMs: maxCpuMs - TIME_ZONE_CPU_MS };
  return await readDocuments(window, documents, async ({ computation, add, endDocument }) => {
    const client = createCaldavClient(login, options, computation);
    const url = parseUrl(calendarUrl);
    let timeZone: Promise<string | undefined> | undefined;
    const end = new AbortController();
    const signal = AbortSignal.any([end.signal, ...options.signal ? [options.signal] : []]);
    const findTimeZone = () => timeZone ??= readTimeZone(login, { ...options, signal }, url);
    const timer = setTimeout(() => findTimeZone().catch(() => {}), TIME_ZONE_DELAY_MS);
    try {
      await client.request("REPORT", url, 1, queryOf(window), async ({ status, properties }) => {
        if (status === 404) return; // deleted meanwhile
        const data = properties.get(qualify(CALDAV, "calendar-data"));
        // a server that sends only a part of the events says so with a status for the whole calendar (RFC 4791, 7.8)
        if (!data) throw new CalendarError("malformed", "The calendar server did not send all events");
        const text = data.text.trim();
        for (let at = 0; at < text.length; at += PIECE_CHARS) {
          if (at) await computation.startSlice();
          add(text.slice(at, at + PIECE_CHARS));
        }
        endDocument();
      });
      return await findTimeZone();
    } finally {
      clearTimeout(timer);
      end.abort();
      await timeZone?.catch(() => {}); // its request ends with the reading
    }
  });
}

/** The property calendar-timezone (RFC 4791, 5.2.2): a document with a VTIMEZONE, if the calendar has one. */
async function readTimeZone(
  login: CalendarLogin,
  options: CalendarRequestOptions,
  url: URL,
): Promise<string | undefined> {
  // the events are read at the same time, by a computation of their own
  const client = createCaldavClient(login, options, createComputation({ ...options, maxCpuMs: TIME_ZONE_CPU_MS }));
  let text: string | undefined;
  try {
    await client.request("PROPFIND", url, 0, TIME_ZONE_PROPFIND, ({ properties }) => {
      text = properties.get(qualify(CALDAV, "calendar-timezone"))?.text.trim();
    });
  } catch (error) {
    if (!isElsewhere(error)) throw error; // the query for the events tells what is wrong with the calendar
  }
  return text && text.length <= MAX_TIME_ZONE_CHARS ? text : undefined;
}

/** Whether a server responded that a URL is none of WebDAV, or not for this account. */
const isElsewhere = (error: unknown) =>
  error instanceof CalendarError && error.status !== undefined &&
  ["not_found", "malformed", "forbidden"].includes(error.kind);

/** Events that touch the window or a day around it: servers read times without a zone in zones of their own. */
function queryOf({ start, end }: ReadWindow): string {
  const [from, to] = [start.getTime() - DAY * 1000, end.getTime() + DAY * 1000]
    .map((time) => `${new Date(time).toISOString().replaceAll(/[-:]|\.\d+Z$/g, "")}Z`);
  return `<?xml version="1.0" encoding="utf-8"?>
<C:calendar-query xmlns:D="DAV:" xmlns:C="${CALDAV}"><D:prop><C:calendar-data/></D:prop><C:filter>
<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start="${from}" end="${to}"/></C:comp-filter>
</C:comp-filter></C:filter></C:calendar-query>`;
}

function parseUrl(url: string): URL {
  if (URL.canParse(url.trim())) return new URL(url.trim());
  throw new CalendarError("malformed", "Invalid URL");
}
