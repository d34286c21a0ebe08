/**
 * Requests URLs that users give (images, feeds, enclosures, webhooks, calendars), which may point into a private
 * network, possibly only at the second lookup. Checks every hop, and connects to exactly the checked IP address.
 *
 * HTTP/1.1 (RFC 9110, 9112) on Deno's TCP and TLS. Ignores proxies of the environment.
 */
import { readResponseBody } from "./response_body.ts";
import { connect, type Connection, type Network, systemNetwork } from "./connection.ts";
import { type Deadline, startDeadline, type TimeLimits } from "./deadline.ts";
import { FetchError } from "./fetch_error.ts";
import { keepConnection, takeIdleConnection } from "./idle_connections.ts";
import { bodyFraming } from "./body_framing.ts";
import { readHead, type ResponseHead } from "./response_head.ts";
import { latin1ToUtf8 } from "./latin1.ts";
import {
  createRequest,
  type OutgoingRequest,
  REDIRECT_STATUSES,
  requestAfterRedirect,
  serializeHead,
} from "./request.ts";
import { resolveTarget } from "./resolve.ts";
import { parseTarget, type Target } from "./target.ts";

export { readAll } from "./read_all.ts";
export { FetchError, type FetchErrorCode } from "./fetch_error.ts";

export type SafeFetchOptions = TimeLimits & {
  /** GET by default. */
  method?: string;
  /**
   * Accept and Accept-Encoding have defaults (identity). A body that is compressed nevertheless is decoded,
   * unless Accept-Encoding is given: then its caller decodes it. Framing headers and User-Agent are ignored.
   */
  headers?: HeadersInit;
  /** Up to 64 KB: Deno 2.1 cannot cancel a write that the peer does not read. */
  body?: Uint8Array;
  /** 20 by default, as in browsers: advertising chains a dozen. With 0, redirects are returned as responses. */
  maxRedirects?: number;
  /**
   * Entries `host` or `host:port` that skip the checks of name, port and IP address: for tests and private
   * installations.
   */
  allowedHosts: readonly string[];
  /** The header User-Agent (functions/database/fetch_settings.ts). */
  userAgent: string;
  network?: Partial<Network>;
  /**
   * Each chunk of the body is valid until the next is read, because they share memory. For callers that copy them,
   * so that tens of megabytes of a long body do not wait for garbage collection.
   */
  reusesBuffers?: boolean;
  /**
   * Keeps the connection of a GET after its file for the next such request to the same origin. For callers that fetch
   * many files, each of which would need a new TLS session.
   */
  keepsConnection?: boolean;
};

export interface SafeFetchResponse {
  status: number;
  headers: Headers;
  /** The last URL, after redirects. */
  url: string;
  /** Read it to its end or cancel it; until then it keeps a connection. */
  body: ReadableStream<Uint8Array>;
  /** The body was compressed. Reading it decodes it, which takes computing time. */
  isDecoded?: true;
}

/**
 * Requests a URL and returns its response with any status. Throws FetchError (all codes but HTTP_ERROR and TOO_LARGE),
 * as reading the body does (FETCH_FAILED, TIMEOUT). An abort by `signal` throws the signal's reason.
 */
export async function safeFetch(url: string, options: SafeFetchOptions): Promise<SafeFetchResponse> {
  const message = createRequest(options.method ?? "GET", options.headers, options.body, options.userAgent);
  const deadline = startDeadline(options);
  try {
    return await followRedirects(url, message, options, deadline);
  } catch (error) {
    deadline.clear();
    throw error;
  }
}

/** Returns a response with status 2xx; for any other throws HTTP_ERROR and discards the body. */
export function requireOk(response: SafeFetchResponse): SafeFetchResponse {
  const { status, headers, body } = response;
  if (status >= 200 && status < 300) return response;
  body.cancel().catch(() => {});
  throw new FetchError("HTTP_ERROR", `The server responded with status ${status}`, { status, headers });
}

async function followRedirects(
  url: string,
  message: OutgoingRequest,
  options: SafeFetchOptions,
  deadline: Deadline,
): Promise<SafeFetchResponse> {
  const { allowedHosts, maxRedirects = 20 } = options;
  let target = parseTarget(url, allowedHosts);
  for (let redirects = 0;; redirects++) {
    const exchange = await sendRequest(target, message, options, deadline);
    const { connection, head } = exchange;
    const location = REDIRECT_STATUSES.has(head.status) && maxRedirects > 0 && head.headers.get("location");
    if (!location) return await toResponse(target, message, exchange, deadline);
    connection.close();
    if (redirects === maxRedirects) throw new FetchError("TOO_MANY_REDIRECTS", "Too many redirects");
    const next = parseTarget(latin1ToUtf8(location), allowedHosts, target.url);
    message = requestAfterRedirect(message, head.status, target.url, next.url);
    target = next;
  }
}

/** A request that was sent, and the head of its response. */
interface Exchange {
  connection: Connection;
  head: ResponseHead;
  /** Keeps the connection for another request; absent if the response does not allow it. */
  keep?: () => void;
}

async function sendRequest(
  target: Target,
  message: OutgoingRequest,
  { network, reusesBuffers = false, keepsConnection = false }: SafeFetchOptions,
  deadline: Deadline,
): Promise<Exchange> {
  const origin = { target, network, reusesBuffers };
  const keeps = keepsConnection && message.method === "GET" && !message.body;
  const kept = keeps && takeIdleConnection(origin, deadline);
  if (kept) {
    try {
      return await exchangeOn(kept);
    } catch {
      deadline.signal.throwIfAborted(); // the server may have closed it meanwhile
    }
  }
  const system = { ...systemNetwork, ...network };
  const addresses = await resolveTarget(target, system.resolve, deadline);
  return await exchangeOn(await connect(target, addresses, system, deadline, reusesBuffers));

  async function exchangeOn(connection: Connection): Promise<Exchange> {
    try {
      // A server may respond before it has read everything, and then stop reading: its response counts
      connection.write(serializeHead(message, target.url, keeps))
        .then(() => message.body && connection.write(message.body)).catch(() => {});
      const head = await deadline.race(readHead(connection));
      const keep = keeps && allowsReuse(head) ? () => keepConnection(origin, connection) : undefined;
      return { connection, head, keep };
    } catch (error) {
      connection.close();
      throw error;
    }
  }
}

/** Whether another request may follow on the connection after a file (RFC 9112, 9.3). */
function allowsReuse({ minorVersion, status, headers }: ResponseHead): boolean {
  return (status === 200 || status === 206) && minorVersion === 1 &&
    !/(?:^|,)\s*close\s*(?:,|$)/i.test(headers.get("connection") ?? "");
}

async function toResponse(
  target: Target,
  { method, decodes }: OutgoingRequest,
  { connection, head, keep }: Exchange,
  deadline: Deadline,
): Promise<SafeFetchResponse> {
  try {
    const framing = bodyFraming(method, head);
    const { status, headers } = head;
    const response = { status, headers, url: target.url.href };
    const body = () => readResponseBody(connection, head.rest, framing, deadline, keep);
    if (!decodes || !headers.has("content-encoding") || framing.isDone()) return { ...response, body: body() };
    const { codingsOf, decodeContent } = await import("./decode_content.ts"); // with the first such server
    const codings = codingsOf(headers);
    if (codings.length && status === 206) return { ...response, body: body() }; // a part cannot be decoded alone
    headers.delete("content-encoding");
    if (codings.length === 0) return { ...response, body: body() };
    headers.delete("content-length"); // of the compressed form
    return { ...response, body: decodeContent(body(), codings), isDecoded: true };
  } catch (error) {
    connection.close();
    throw error;
  }
}
