/** Outgoing requests: how they are serialized (RFC 9112), and how redirects change them (RFC 9110, 15.4). */
import { encodeLatin1 } from "./latin1.ts";

export interface OutgoingRequest {
  method: string;
  headers: Headers;
  body?: Uint8Array;
  /** Whether the body of the response is decoded: its caller accepts no encoding. */
  decodes: boolean;
}

/** Set only here, because they frame the message or belong to the connection. */
const FRAMING_HEADERS = [
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "te",
  "trailer",
  "expect",
  "upgrade",
];
const DEFAULT_HEADERS = { accept: "*/*", "accept-encoding": "identity" };

/** Throws TypeError for an invalid method and for headers with line breaks: these are programming errors. */
export function createRequest(
  method: string,
  headers: HeadersInit | undefined,
  body: Uint8Array | undefined,
  userAgent: string,
): OutgoingRequest {
  if (!/^[A-Z]+$/.test(method)) throw new TypeError(`Invalid HTTP method: ${method}`);
  const all = new Headers(headers); // rejects line breaks and NUL
  for (const name of FRAMING_HEADERS) all.delete(name);
  all.set("user-agent", userAgent);
  const decodes = !all.has("accept-encoding");
  for (const [name, value] of Object.entries(DEFAULT_HEADERS)) if (!all.has(name)) all.set(name, value);
  return { method, headers: all, body, decodes };
}

/** Serializes the head. */
export function serializeHead(
  { method, headers, body }: OutgoingRequest,
  url: URL,
  keepsConnection: boolean,
): Uint8Array {
  const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`, `host: ${url.host}`];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (body || method === "POST" || method === "PUT") lines.push(`content-length: ${body?.length ?? 0}`);
  lines.push(`connection: ${keepsConnection ? "keep-alive" : "close"}`);
  return encodeLatin1([...lines, "", ""].join("\r\n"));
}

export const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
/** Headers for the original host only. */
const CREDENTIAL_HEADERS = ["authorization", "proxy-authorization", "cookie"];
const BODY_HEADERS = ["content-type", "content-encoding", "content-language", "content-location"];

/** The request that follows a redirect. Redirects from https to http are allowed, because podcast hosts use them. */
export function requestAfterRedirect(
  { method, headers, body, decodes }: OutgoingRequest,
  status: number,
  from: URL,
  to: URL,
): OutgoingRequest {
  const next = new Headers(headers);
  if (from.origin !== to.origin) { for (const name of CREDENTIAL_HEADERS) next.delete(name); }
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (!becomesGet) return { method, headers: next, body, decodes };
  for (const name of BODY_HEADERS) next.delete(name);
  return { method: "GET", headers: next, decodes };
}
