/** Requests to a CalDAV server with a login, which never leaves the server that it was given for. */
import { CalendarError } from "../calendar_error.ts";
import { type CalendarRequestOptions, readText, requestCalendar } from "../calendar_request.ts";
import type { Computation } from "../icalendar/computation.ts";
import { authorizationOf, type CalendarLogin, requireEncryption } from "../login.ts";
import { type DavResponse, readMultistatus, XML_PIECE_BYTES } from "./dav_xml.ts";

export interface CaldavClient {
  /** Sends a request with an XML body; returns the URL that responded, after redirects. */
  request(
    method: "PROPFIND" | "REPORT",
    url: URL,
    depth: 0 | 1,
    body: string,
    onResponse: (response: DavResponse) => unknown,
  ): Promise<URL>;
  /** The URL of a href that the server sent. Throws for another server. */
  resolve(href: string, base: URL): URL;
}

const MAX_REDIRECTS = 5;

/** `timeoutMs` begins now and holds for all requests. Reading the responses is part of `computation`. */
export function createCaldavClient(
  login: CalendarLogin,
  options: CalendarRequestOptions,
  computation: Computation,
): CaldavClient {
  const authorization = authorizationOf(login);
  const end = performance.now() + options.timeoutMs;

  function resolve(href: string, base: URL): URL {
    const url = URL.canParse(href, base) ? new URL(href, base) : undefined;
    if (!url || !isSameServer(url, base)) {
      throw new CalendarError("forbidden", `The calendar server refers to another server${url ? `, ${url.host}` : ""}`);
    }
    return url;
  }

  return {
    async request(method, url, depth, body, onResponse) {
      for (let redirects = 0;; redirects++) {
        requireEncryption(url.href, options.allowedHosts);
        const response = await requestCalendar(url.href, {
          ...options,
          timeoutMs: Math.max(0, end - performance.now()),
          method,
          headers: {
            authorization,
            depth: String(depth),
            "content-type": "application/xml; charset=utf-8",
            prefer: "return=minimal",
          },
          body: new TextEncoder().encode(body),
          maxRedirects: 0, // here, because the method stays and another server gets nothing
        });
        if (response.status < 300) {
          if (response.status !== 207) {
            response.body.cancel().catch(() => {});
            throw new CalendarError("malformed", "The server does not support CalDAV at this URL");
          }
          const text = readText(response.body, computation, XML_PIECE_BYTES);
          await readMultistatus(text, computation.spend, onResponse);
          return url;
        }
        response.body.cancel().catch(() => {});
        const location = response.headers.get("location");
        if (!location || redirects === MAX_REDIRECTS) {
          throw new CalendarError("malformed", "The calendar server redirects without an end");
        }
        url = resolve(location, url);
      }
    },
    resolve,
  };
}

/** iCloud has the calendars of an account on a numbered host, such as p34-caldav.icloud.com. */
const SHARDED_HOST = /^https:\/\/[\w-]+\.icloud\.com$/;

export function isSameServer(one: URL, other: URL): boolean {
  return one.origin === other.origin || SHARDED_HOST.test(one.origin) && SHARDED_HOST.test(other.origin);
}
