/**
 * The only way to request an address that somebody typed (a picture, a feed, an enclosure, a webhook, a calendar): such
 * an address may lead into our own network, and it may do so only at the second look. Here every hop is checked, and
 * the address that was checked is the one that is connected to.
 *
 * HTTP/1.1 (RFC 9110, 9112) on Deno's TCP and TLS, directly: proxies of the environment are not used.
 */
import { bodyOf } from "./response_body.ts";
import { connect, type Connection, type Network, ownNetwork } from "./connection.ts";
import { type Deadline, type Limits, startDeadline } from "./deadline.ts";
import { FetchFailure } from "./fetch_error.ts";
import { framingOf } from "./framing.ts";
import { type Head, readHead } from "./response_head.ts";
import { asUtf8 } from "./latin1.ts";
import { headOf, type Message, messageOf, redirected, REDIRECTS } from "./request.ts";
import { addressesOf } from "./resolve.ts";
import { type Target, targetOf } from "./target.ts";

export { collect } from "./read_all.ts";
export { FetchFailure, type FetchFailureCode } from "./fetch_error.ts";

export type GuardedOptions = Limits & {
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
  lends?: boolean;
};

export interface GuardedResponse {
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
export async function guardedFetch(url: string, options: GuardedOptions): Promise<GuardedResponse> {
  const message = messageOf(options.method ?? "GET", options.headers, options.body);
  const deadline = startDeadline(options);
  try {
    return await follow(url, message, options, deadline);
  } catch (error) {
    deadline.over();
    throw error;
  }
}

/** The response, when its status is a success (2xx); otherwise HTTP_ERROR, and the body is not read. */
export function requireOk(response: GuardedResponse): GuardedResponse {
  const { status, body } = response;
  if (status >= 200 && status < 300) return response;
  body.cancel().catch(() => {});
  throw new FetchFailure("HTTP_ERROR", `The address answered with status ${status}`, { status });
}

async function follow(
  url: string,
  message: Message,
  { allowedHosts, maxRedirects = 5, network, lends }: GuardedOptions,
  deadline: Deadline,
): Promise<GuardedResponse> {
  let target = targetOf(url, allowedHosts);
  for (let redirects = 0;; redirects++) {
    const { connection, head } = await exchange(target, message, { ...ownNetwork, ...network }, deadline, lends);
    const location = REDIRECTS.has(head.status) && maxRedirects > 0 && head.headers.get("location");
    if (!location) return response(target, message, head, connection, deadline);
    connection.close();
    if (redirects === maxRedirects) throw new FetchFailure("FETCH_FAILED", "The address redirects too often");
    const next = targetOf(asUtf8(location), allowedHosts, target.url);
    message = redirected(message, head.status, target.url, next.url);
    target = next;
  }
}

async function exchange(target: Target, message: Message, network: Network, deadline: Deadline, isLent?: boolean) {
  const addresses = await addressesOf(target, network.resolve, deadline);
  const connection = await connect(target, addresses, network, deadline, isLent);
  try {
    // A peer may answer before it has read all, and then read no more: what it says counts
    connection.write(headOf(message, target.url))
      .then(() => message.body && connection.write(message.body)).catch(() => {});
    return { connection, head: await deadline.during(readHead(connection)) };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function response(target: Target, { method }: Message, head: Head, connection: Connection, deadline: Deadline) {
  try {
    const body = bodyOf(connection, head.rest, framingOf(method, head), deadline);
    return { status: head.status, headers: head.headers, url: target.url.href, body };
  } catch (error) {
    connection.close();
    throw error;
  }
}
