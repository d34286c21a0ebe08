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
   * User-Agent, Accept and Accept-Encoding have defaults (identity, because bodies are not decoded). Framing headers
   * are ignored.
   */
  headers?: HeadersInit;
  /** Up to 64 KB: Deno 2.1 cannot cancel a write that the peer does not read. */
  body?: Uint8Array;
  /** 5 by default. With 0, redirects are returned as responses. */
  maxRedirects?: number;
  /**
   * Entries `host` or `host:port` that skip the checks of name, port and IP address: for tests and private
   * installations.
   */
  allowedHosts: readonly string[];
  network?: Partial<Network>;
  /**
   * Each chunk of the body is valid until the next is read, because they share memory. For callers that copy them,
   * so that tens of megabytes of a long body do not wait for garbage collection.
   */
  reusesBuffers?: boolean;
};

export interface SafeFetchResponse {
  status: number;
  headers: Headers;
  /** The last URL, after redirects. */
  url: string;
  /** Read it to its end or cancel it; until then it keeps a connection. */
  body: ReadableStream<Uint8Array>;
}

/**
 * Requests a URL and returns its response with any status. Throws FetchError (all codes but HTTP_ERROR and TOO_LARGE),
 * as reading the body does (FETCH_FAILED, TIMEOUT). An abort by `signal` throws the signal's reason.
 */
export async function safeFetch(url: string, options: SafeFetchOptions): Promise<SafeFetchResponse> {
  const message = createRequest(options.method ?? "GET", options.headers, options.body);
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
  { allowedHosts, maxRedirects = 5, network, reusesBuffers }: SafeFetchOptions,
  deadline: Deadline,
): Promise<SafeFetchResponse> {
  let target = parseTarget(url, allowedHosts);
  for (let redirects = 0;; redirects++) {
    const { connection, head } = await sendRequest(
      target,
      message,
      { ...systemNetwork, ...network },
      deadline,
      reusesBuffers,
    );
    const location = REDIRECT_STATUSES.has(head.status) && maxRedirects > 0 && head.headers.get("location");
    if (!location) return toResponse(target, message, head, connection, deadline);
    connection.close();
    if (redirects === maxRedirects) throw new FetchError("FETCH_FAILED", "Too many redirects");
    const next = parseTarget(latin1ToUtf8(location), allowedHosts, target.url);
    message = requestAfterRedirect(message, head.status, target.url, next.url);
    target = next;
  }
}

async function sendRequest(
  target: Target,
  message: OutgoingRequest,
  network: Network,
  deadline: Deadline,
  reusesBuffers?: boolean,
) {
  const addresses = await resolveTarget(target, network.resolve, deadline);
  const connection = await connect(target, addresses, network, deadline, reusesBuffers);
  try {
    // A server may respond before it has read everything, and then stop reading: its response counts
    connection.write(serializeHead(message, target.url))
      .then(() => message.body && connection.write(message.body)).catch(() => {});
    return { connection, head: await deadline.race(readHead(connection)) };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function toResponse(
  target: Target,
  { method }: OutgoingRequest,
  head: ResponseHead,
  connection: Connection,
  deadline: Deadline,
) {
  try {
    const body = readResponseBody(connection, head.rest, bodyFraming(method, head), deadline);
    return { status: head.status, headers: head.headers, url: target.url.href, body };
  } catch (error) {
    connection.close();
    throw error;
  }
}
