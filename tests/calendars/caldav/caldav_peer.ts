// A server that speaks CalDAV as four common programs do, and serves iCalendar files, with faults.
import { startHttpServer } from "../../http_server.ts";

export const LOGIN = { username: "ana@example.org", password: "pässword:1" };

export interface PeerCalendar {
  id: string;
  name: string;
  /** VEVENT by default; with none the server does not say. */
  components?: string[];
  /** Whether the server marks it as transparent. */
  isTransparent?: boolean;
  /** Its property calendar-timezone. */
  timeZone?: string;
  /** iCalendar documents. */
  events?: string[];
}

export interface PeerRequest {
  method: string;
  path: string;
  headers: Headers;
  body: string;
}

/** How a program names things and writes XML. */
interface Dialect {
  /** Where the well-known URL redirects to. */
  root: string;
  principal: string;
  home: string;
  /** A response with properties that were found and names of some that were not. */
  response(href: string, found: string, missing: string): string;
  multistatus(responses: string): string;
  element(namespace: "D" | "C", name: string, content?: string, attributes?: string): string;
  calendarData(text: string): string;
}

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("\r", "&#13;");

/** With a prefix for each namespace. */
function prefixed(prefixes: { D: string; C: string }, paths: Pick<Dialect, "root" | "principal" | "home">): Dialect {
  const element: Dialect["element"] = (namespace, name, content = "", attributes = "") =>
    `<${prefixes[namespace]}:${name}${attributes}>${content}</${prefixes[namespace]}:${name}>`;
  const propstat = (properties: string, status: string) =>
    properties &&
    element("D", "propstat", element("D", "prop", properties) + element("D", "status", `HTTP/1.1 ${status}`));
  return {
    ...paths,
    element,
    response: (href, found, missing) =>
      element(
        "D",
        "response",
        element("D", "href", href) + propstat(found, "200 OK") + propstat(missing, "404 Not Found"),
      ),
    multistatus: (responses) =>
      `<?xml version="1.0"?>\n${
        element(
          "D",
          "multistatus",
          responses,
          ` xmlns:${prefixes.D}="DAV:" xmlns:${prefixes.C}="urn:ietf:params:xml:ns:caldav"`,
        )
      }`,
    calendarData: (text) => element("C", "calendar-data", escape(text)),
  };
}

/** iCloud declares the default namespace on each element. */
const icloudElement: Dialect["element"] = (namespace, name, content = "", attributes = "") =>
  `<${name} xmlns="${namespace === "D" ? "DAV:" : "urn:ietf:params:xml:ns:caldav"}"${attributes}>${content}</${name}>`;

const dialects = {
  nextcloud: prefixed({ D: "d", C: "cal" }, {
    root: "/remote.php/dav/",
    principal: "/remote.php/dav/principals/users/ana/",
    home: "/remote.php/dav/calendars/ana/",
  }),
  fastmail: prefixed({ D: "D", C: "C" }, {
    root: "/dav/calendars",
    principal: "/dav/principals/user/ana%40example.org/",
    home: "/dav/calendars/user/ana%40example.org/",
  }),
  radicale: prefixed({ D: "ns0", C: "C" }, {
    root: "/",
    principal: "/ana%40example.org/",
    home: "/ana%40example.org/",
  }),
  icloud: {
    root: "/",
    principal: "/1234567890/principal/",
    home: "/1234567890/calendars/",
    element: icloudElement,
    response: (href: string, found: string, missing: string) =>
      `<response xmlns="DAV:"><href>${href}</href><propstat><prop>${found}</prop><status>HTTP/1.1 200 OK</status></propstat>${
        missing && `<propstat><prop>${missing}</prop><status>HTTP/1.1 404 Not Found</status></propstat>`
      }</response>`,
    multistatus: (responses: string) =>
      `<?xml version='1.0' encoding='UTF-8'?><multistatus xmlns='DAV:'>${responses}</multistatus>`,
    calendarData: (text: string) => icloudElement("C", "calendar-data", `<![CDATA[${text}]]>`),
  } satisfies Dialect,
};
export type DialectName = keyof typeof dialects;
export const DIALECTS = Object.keys(dialects) as DialectName[];

interface PeerOptions {
  dialect?: DialectName;
  calendars?: PeerCalendar[];
  /** iCalendar files by path. */
  files?: Record<string, string>;
}

export function startCaldavPeer({ dialect: name = "nextcloud", calendars = [], files = {} }: PeerOptions = {}) {
  const dialect: Dialect = dialects[name];
  const { element, home, principal } = dialect;
  const requests: PeerRequest[] = [];
  const faults = {
    respond: (_request: PeerRequest): Response | undefined | Promise<Response | undefined> => undefined,
  };
  const authorization = `Basic ${
    btoa(String.fromCharCode(...new TextEncoder().encode(`${LOGIN.username}:${LOGIN.password}`)))
  }`;
  const hrefTo = (path: string) => element("D", "href", name === "icloud" ? `${server.url}${path}` : path);

  const account = () =>
    element("D", "current-user-principal", hrefTo(principal)) +
    (name === "radicale" || name === "fastmail" ? element("C", "calendar-home-set", hrefTo(home)) : "");
  const collection = element("D", "resourcetype", element("D", "collection"));
  const missing = element("C", "supported-calendar-component-set") + element("C", "schedule-default-calendar-URL");

  function calendarResponse(calendar: PeerCalendar, asked: string): string {
    const { id, name, components = ["VEVENT"], isTransparent, timeZone } = calendar;
    if (asked.includes("calendar-timezone")) {
      const zone = element("C", "calendar-timezone", escape(timeZone ?? ""));
      return dialect.response(`${home}${id}/`, timeZone ? zone : "", timeZone ? "" : zone);
    }
    const transparency = element(
      "C",
      "schedule-calendar-transp",
      element("C", isTransparent ? "transparent" : "opaque"),
    );
    const kinds = components.map((kind) => element("C", "comp", "", ` name="${kind}"`)).join("");
    const supported = element("C", "supported-calendar-component-set", kinds);
    const properties = element("D", "resourcetype", element("D", "collection") + element("C", "calendar")) +
      element("D", "displayname", escape(name)) + (kinds && supported) +
      (isTransparent === undefined ? "" : transparency);
    return dialect.response(
      `${home}${id}/`,
      properties,
      element("C", "schedule-default-calendar-URL") + (kinds ? "" : supported),
    );
  }

  /** The scheduling inbox, which knows the default calendar. */
  function inboxResponse(): string {
    const type = element("D", "resourcetype", element("D", "collection") + element("C", "schedule-inbox"));
    const byDefault = calendars.at(-1) &&
      element("C", "schedule-default-calendar-URL", hrefTo(`${home}${calendars.at(-1)!.id}/`));
    return dialect.response(`${home}inbox/`, type + (byDefault ?? ""), "");
  }

  function propfind(path: string, depth: string, asked: string): string | undefined {
    if (path === principal && path !== home) {
      return dialect.response(path, account() + element("C", "calendar-home-set", hrefTo(home)), missing);
    }
    if (path === home) {
      const own = dialect.response(path, collection + account(), missing);
      return depth === "0"
        ? own
        : own + inboxResponse() + calendars.map((calendar) => calendarResponse(calendar, asked)).join("");
    }
    const calendar = calendars.find(({ id }) => path === `${home}${id}/`);
    if (calendar) return calendarResponse(calendar, asked);
    const isRoot = path === dialect.root || path === "/" && name !== "nextcloud";
    return isRoot ? dialect.response(path, collection + account(), missing) : undefined;
  }

  function report(path: string): string | undefined {
    const calendar = calendars.find(({ id }) => path === `${home}${id}/`);
    return calendar &&
      (calendar.events ?? []).map((event, i) =>
        dialect.response(`${path}${i}.ics`, element("D", "getetag", `"${i}"`) + dialect.calendarData(event), "")
      ).join("");
  }

  const server = startHttpServer(async (received) => {
    const { pathname } = new URL(received.url);
    const request: PeerRequest = {
      method: received.method,
      path: pathname,
      headers: received.headers,
      body: await received.text(),
    };
    requests.push(request);
    const fault = await faults.respond(request);
    if (fault) return fault;
    if (request.method === "GET" && pathname in files) {
      return new Response(files[pathname], { headers: { "content-type": "text/calendar; charset=utf-8" } });
    }
    if (pathname === "/.well-known/caldav") {
      return new Response(null, { status: 301, headers: { location: dialect.root } });
    }
    if (request.headers.get("authorization") !== authorization) {
      return new Response("<html>", { status: 401, headers: { "www-authenticate": 'Basic realm="calendars"' } });
    }
    const responses = request.method === "PROPFIND"
      ? propfind(pathname, request.headers.get("depth") ?? "infinity", request.body)
      : request.method === "REPORT"
      ? report(pathname)
      : undefined;
    if (responses === undefined) {
      const isDav = request.method === "PROPFIND" && pathname !== "/";
      return new Response("<!doctype html><p>Not here", { status: isDav ? 404 : 405 });
    }
    return new Response(dialect.multistatus(responses), {
      status: 207,
      headers: { "content-type": "application/xml; charset=utf-8" },
    });
  });

  return {
    ...server,
    /** An entry of allowedHosts. */
    host: new URL(server.url).host,
    home: `${server.url}${home}`,
    requests,
    /** Set `respond` to answer requests with a fault; undefined answers as usual. */
    faults,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
