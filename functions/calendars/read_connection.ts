/** Reads the busy times of a connection from its provider. */
import { withAccessToken } from "./access_token.ts";
import type { BusyTimes, CalendarToRead, ReadWindow } from "./calendar.ts";
import * as google from "./google.ts";
import * as microsoft from "./microsoft.ts";

export type Provider = "google" | "microsoft";

/** A connection with some of its calendars, and the window to read. */
export interface ConnectionToRead {
  connectionId: string;
  provider: Provider;
  window: ReadWindow;
  calendars: CalendarToRead[];
}

type Reader = (connection: ConnectionToRead, signal: AbortSignal) => Promise<BusyTimes>;

const accountReader =
  ({ readBusy }: typeof google | typeof microsoft): Reader => ({ connectionId, calendars, window }, signal) =>
    withAccessToken(connectionId, (token) => readBusy(token, calendars, window, signal), { signal });

const readers: Record<Provider, Reader> = {
  google: accountReader(google),
  microsoft: accountReader(microsoft),
};

/** The result of each calendar. Throws CalendarError if the connection as a whole fails. */
export const readConnection: Reader = (connection, signal) => readers[connection.provider](connection, signal);
