// A peer that speaks the wire formats of Google Calendar (v3) and Google's OAuth.
import {
  type AuthorizedRequest,
  CLIENT_ID,
  CLIENT_SECRET,
  type PeerCalendar,
  type ProviderPeer,
  startProviderPeer,
} from "./provider_peer.ts";

const API = "/calendar/v3";
const MAX_WINDOW_MS = 62 * 24 * 3600_000;

/** An error of Google's APIs. */
export const googleError = (code: number, reason: string, message = `The peer says ${reason}`) =>
  Response.json({ error: { code, message, errors: [{ domain: "global", reason, message }] } }, { status: code });

function listCalendars({ account, query }: AuthorizedRequest, pageSize: number): Response {
  const start = Number(query.get("pageToken") ?? 0), calendars = [...account.calendars.values()];
  const items = calendars.slice(start, start + pageSize).map(({ id, name, isPrimary, isWritable }) => ({
    kind: "calendar#calendarListEntry",
    id,
    summary: name,
    ...isPrimary && { primary: true },
    accessRole: isWritable ? "owner" : "reader",
  }));
  const next = start + pageSize;
  return Response.json({
    kind: "calendar#calendarList",
    items,
    ...next < calendars.length && { nextPageToken: String(next) },
  });
}

function busyOf(calendar: PeerCalendar | undefined, start: Date, end: Date) {
  const reason = calendar ? calendar.error : "notFound";
  if (reason) return { errors: [{ domain: "global", reason }], busy: [] };
  const busy = calendar!.busy.filter((one) => one.start < end && one.end > start)
    .map((one) => ({
      start: new Date(Math.max(one.start.getTime(), start.getTime())).toISOString().replace(".000", ""),
      end: new Date(Math.min(one.end.getTime(), end.getTime())).toISOString().replace(".000", ""),
    }));
  return { busy };
}

function queryFreeBusy({ account, text }: AuthorizedRequest): Response {
  const { timeMin, timeMax, items } = JSON.parse(text);
  const start = new Date(timeMin), end = new Date(timeMax);
  if (end.getTime() - start.getTime() > MAX_WINDOW_MS) return googleError(400, "timeRangeTooLong");
  if (items.length > 50) return googleError(400, "tooManyCalendarsRequested");
  const calendars = Object.fromEntries(
    (items as { id: string }[]).map(({ id }) => [id, busyOf(account.calendars.get(id), start, end)]),
  );
  return Response.json({ kind: "calendar#freeBusy", timeMin, timeMax, calendars });
}

export function startGooglePeer() {
  const peer: ProviderPeer = startProviderPeer({
    paths: { authorize: "/o/oauth2/v2/auth", token: "/token", revoke: "/revoke" },
    error: googleError,
    routes: [(request) => {
      const { method, path } = request;
      if (method === "GET" && path === `${API}/users/me/calendarList`) {
        return listCalendars(request, peer.state.pageSize);
      }
      if (method === "POST" && path === `${API}/freeBusy`) return queryFreeBusy(request);
    }],
  });
  return {
    ...peer,
    /** The environment of functions that use this peer. */
    env: {
      GOOGLE_CLIENT_ID: CLIENT_ID,
      GOOGLE_CLIENT_SECRET: CLIENT_SECRET,
      GOOGLE_ACCOUNTS_URL: peer.url,
      GOOGLE_OAUTH_URL: peer.url,
      GOOGLE_CALENDAR_API_URL: `${peer.url}${API}`,
    },
  };
}

export type GooglePeer = ReturnType<typeof startGooglePeer>;
