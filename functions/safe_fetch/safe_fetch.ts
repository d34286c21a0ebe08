/**
 * The only way to request an address that somebody typed (a picture, a feed, an enclosure, a webhook, a calendar): such
 * an address may lead into our own network, and it may do so only at the second look. Here every hop is checked, and
 * the address that was checked is the one that is connected to.
 *
 * HTTP/1.1 (RFC 9110, 9112) on Deno's TCP and TLS, directly: proxies of the environment are not used.
 */
import { readResponseBody } from "./response_body.ts";
import { connect, type Connection, type Network, systemNetwork } from "./connection.ts";
import { type Deadline, startDeadline, type TimeLimits } from "./deadline.ts";
import { FetchError } from "./fetch_error.ts";
import { bodyFraming } from "./framing.ts";
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
  /** User-Agent, Accept and Accept-Encoding (identity: bodies are not decoded) may be set; framing is ours. */
  headers?: HeadersInit;
  /** For messages, up to 64 KB: a write that a peer does not read cannot be taken back on Deno 2.1. */
  body?: Uint8Array;
  /** 5 by default. With 0 a redirect is an answer like any other. */
  maxRedirects?: number;
  /** Entries `host` or `host:port` that skip the checks of name, port and address: for tests and private installations. */
  allowedHosts: readonly string[];
  network?: Partial<Network>;
  /**
   * The body's pieces share their memory: each is over when the next is read. For who copies them: what is read of a long
   * body would else wait for the garbage collector, tens of megabytes of it.
   */
  reusesBuffers?: boolean;
};

export interface SafeFetchResponse {
  status: number;
  headers: Headers;
  /** The last one, after redirects. */
  url: string;
  /** To be read to its end or cancelled: until then it holds a connection. */
  body: ReadableStream<Uint8Array>;
}

/**
 * Requests a URL, whatever it answers. Throws FetchFailure (all codes but HTTP_ERROR and TOO_LARGE); so does reading
 * the body (FETCH_FAILED, TIMEOUT). An abort by `signal` throws the signal's reason.
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

/** The response, when its status is a success (2xx); otherwise HTTP_ERROR, and the body is not read. */
export function requireOk(response: SafeFetchResponse): SafeFetchResponse {
  const { status, body } = response;
  if (status >= 200 && status < 300) return response;
  body.cancel().catch(() => {});
  throw new FetchError("HTTP_ERROR", `The address answered with status ${status}`, { status });
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
    if (redirects === maxRedirects) throw new FetchError("FETCH_FAILED", "The address redirects too often");
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
    // A peer may answer before it has read all, and then read no more: what it says counts
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
