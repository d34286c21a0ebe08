// A peer that speaks the wire formats of Microsoft Graph (v1.0) and Microsoft's OAuth.
import {
  type AuthorizedRequest,
  CLIENT_ID,
  CLIENT_SECRET,
  type PeerCalendar,
  type ProviderPeer,
  startProviderPeer,
} from "./provider_peer.ts";

const API = "/v1.0";

/** An error of Graph. */
export const graphError = (status: number, code: string, message = `The peer says ${code}`) =>
  Response.json({ error: { code, message } }, { status });

/** A time as Graph writes it, with the header `Prefer: outlook.timezone="UTC"`. */
export const graphTime = (at: Date) => ({ dateTime: `${at.toISOString().slice(0, 23)}0000`, timeZone: "UTC" });

/** A page of a list of the peer. */
function pageOf(
  { url: origin, state }: ProviderPeer,
  { path, query }: AuthorizedRequest,
  items: object[],
): Response {
  const size = Math.min(Number(query.get("$top") ?? 10), state.pageSize), skip = Number(query.get("$skip") ?? 0);
  const next = new URL(`${origin}${path}?${query}`);
  next.searchParams.set("$skip", String(skip + size));
  return Response.json({
    "@odata.context": `${origin}${API}/$metadata`,
    value: items.slice(skip, skip + size),
    ...skip + size < items.length && { "@odata.nextLink": next.href },
  });
}

function eventsIn({ busy }: PeerCalendar, { query }: AuthorizedRequest) {
  const start = new Date(query.get("startDateTime")!), end = new Date(query.get("endDateTime")!);
  return busy.filter((one) => one.start < end && one.end > start).map((one) => ({
    start: graphTime(one.start),
    end: graphTime(one.end),
    isAllDay: one.isAllDay ?? false,
    showAs: one.showAs ?? "busy",
    isCancelled: one.isCancelled ?? false,
  }));
}

export function startMicrosoftPeer() {
  const peer: ProviderPeer = startProviderPeer({
    paths: { authorize: "/common/oauth2/v2.0/authorize", token: "/common/oauth2/v2.0/token" },
    rotatesRefreshTokens: true,
    error: graphError,
    routes: [(request) => {
      const { method, path, account, headers } = request;
      if (method !== "GET") return;
      if (path === `${API}/me`) {
        return Response.json({ id: account.id, mail: null, userPrincipalName: account.address });
      }
      if (path === `${API}/me/calendars`) {
        const calendars = [...account.calendars.values()];
        return pageOf(
          peer,
          request,
          calendars.map(({ id, name, isPrimary, isWritable }) => ({
            id,
            name,
            isDefaultCalendar: isPrimary ?? false,
            canEdit: isWritable ?? false,
          })),
        );
      }
      if (path === `${API}/me/mailboxSettings/timeZone`) {
        return account.timeZone === undefined
          ? graphError(403, "ErrorAccessDenied")
          : Response.json({ "@odata.context": `${peer.url}${API}/$metadata`, value: account.timeZone });
      }
      const [, id] = path.match(/^\/v1\.0\/me\/calendars\/([^/]+)\/calendarView$/) ?? [];
      if (id === undefined) return;
      const calendar = account.calendars.get(decodeURIComponent(id));
      if (!calendar) return graphError(404, "ErrorItemNotFound");
      if (headers.get("prefer") !== 'outlook.timezone="UTC"') return graphError(400, "ErrorInvalidRequest");
      return pageOf(peer, request, eventsIn(calendar, request));
    }],
  });
  return {
    ...peer,
    /** The environment of functions that use this peer. */
    env: {
      MICROSOFT_CLIENT_ID: CLIENT_ID,
      MICROSOFT_CLIENT_SECRET: CLIENT_SECRET,
      MICROSOFT_LOGIN_URL: peer.url,
      MICROSOFT_GRAPH_URL: `${peer.url}${API}`,
    },
  };
}

export type MicrosoftPeer = ReturnType<typeof startMicrosoftPeer>;
