/** Reads the busy times of a connection from its provider. */
import { routeSql } from "../../database/db.ts";
import { withAccessToken } from "../accounts/access_token.ts";
import type { CalendarToRead, ReadWindow } from "../calendar.ts";
import { CalendarError } from "../calendar_error.ts";
import * as google from "../providers/google.ts";
import * as microsoft from "../providers/microsoft.ts";
import { type CalendarResults, isSlow, type ReadLimits, readUrls, type UrlsToRead } from "./read_urls.ts";

/** A connection with some of its calendars, and the window to read. */
export interface ConnectionToRead {
  connectionId: string;
  provider: "google" | "microsoft" | "caldav" | "ics";
  /** Of the user or of their booking links (IANA): dates without a zone are days there. */
  timeZone: string | undefined;
  window: ReadWindow;
  calendars: CalendarToRead[];
}

export type Reader = (connection: ConnectionToRead, limits: ReadLimits) => Promise<CalendarResults>;

/** The result of each calendar. Throws CalendarError if the connection as a whole fails. */
export const readConnection: Reader = async (connection, limits) => {
  const { provider } = connection;
  if (provider === "google" || provider === "microsoft") return await readAccount(connection, provider, limits);
  const [stored] = await routeSql<Pick<UrlsToRead, "secret" | "email">[]>`
    select private.read_calendar_secret(connection_id => n.id) as secret, u.email
    from public.calendar_connections n
    join auth.users u on u.id = n.user_id
    where n.id = ${connection.connectionId}`;
  if (!stored) throw new CalendarError("not_found", "The calendar connection was removed");
  return await readUrls({ ...connection, provider, ...stored }, limits);
};

async function readAccount(
  { connectionId, calendars, window, timeZone }: ConnectionToRead,
  provider: "google" | "microsoft",
  { signal }: ReadLimits,
): Promise<CalendarResults> {
  const began = performance.now(),
    { readBusy }: { readBusy: typeof microsoft.readBusy } = { google, microsoft }[provider];
  const found = await withAccessToken(connectionId, (token) => readBusy(token, calendars, window, signal, timeZone), {
    signal,
  });
  const isSlowAccount = isSlow(performance.now() - began);
  return new Map([...found].map(([id, result]) => [
    id,
    result instanceof CalendarError ? result : { busy: result, warnings: [], isSlow: isSlowAccount },
  ]));
}
