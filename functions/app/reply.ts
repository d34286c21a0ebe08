/**
 * Responses. A function's JSON is sent as Postgres wrote it, with the envelope put around the text: parsing it would
 * cost more than the call.
 */
import type { Context } from "hono";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { prefersGzip } from "./accept.ts";
import type { AppEnv } from "./app.ts";
import { UNCACHEABLE } from "../runtime/api_error.ts";
import type { CopiedRead, Staleness } from "./stale_copies.ts";
import type { RpcResult } from "../database/db.ts";

const encoder = new TextEncoder();

/** `{ success: true, data }`, the envelope of most routes. */
export function reply({ status, text }: RpcResult): Response {
  return sendResult({ status, text: `{"success":true,"data":${text}}` });
}

/** Sends the function's JSON without an envelope, for resources whose responses are flat. */
export function rawReply(result: RpcResult): Response {
  return sendResult(result);
}

/** Sends `{ success: true, …members }` of the function's JSON object. */
export function flatReply({ status, text }: RpcResult): Response {
  return sendResult({ status, text: addSuccess(text) });
}

/** Sends `{ success: true }`, for routes whose result the client knows. */
export function successReply({ status }: RpcResult): Response {
  return sendResult({ status, text: '{"success":true}' });
}

/** The JSON of a result, for a route that continues with it. */
export const parseResult = ({ text }: RpcResult) => JSON.parse(text);

/** Adds `success: true` to the text of a JSON object. */
export const addSuccess = (text: string) => `{"success":true,${text.slice(1)}`;

/** The bytes of a response with their strong ETag. */
export interface CacheableBody {
  bytes: Uint8Array;
  etag: string;
  /** The compressed bytes, made when a client first accepts them. */
  gzip?: Uint8Array;
}

/** Keeps hosts and proxies from compressing a response: they would weaken its ETag and change its length. */
export const NO_TRANSFORM = "no-transform";
/** Shorter bodies are not worth compressing. */
const MIN_GZIP_BYTES = 1024;

export function toCacheableBody(text: string): CacheableBody {
  const bytes = encoder.encode(text);
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"` };
}

/**
 * Sends a public response that caches keep for a minute, compressed if the client accepts gzip; 304 if the client has it.
 * Both representations have a strong ETag, and either matches If-None-Match, because they mean the same content.
 */
export function cacheableReply(
  c: Context<AppEnv>,
  { value, ...copy }: CopiedRead<CacheableBody>,
  moreHeaders?: Record<string, string>,
  contentType = "application/json",
): Response {
  const isGzip = value.bytes.length >= MIN_GZIP_BYTES && prefersGzip(c.req.header("accept-encoding"));
  const headers = {
    ...freshnessHeaders(c, copy),
    ...moreHeaders,
    etag: isGzip ? gzipEtag(value.etag) : value.etag,
    vary: [moreHeaders?.vary, "accept-encoding"].filter(Boolean).join(", "),
    "content-type": contentType,
  };
  const known = c.req.header("if-none-match");
  if (etagMatches(known, value.etag) || etagMatches(known, gzipEtag(value.etag))) {
    return new Response(null, { status: 304, headers });
  }
  if (!isGzip) return jsonResponse(200, value.bytes, headers);
  value.gzip ??= new Uint8Array(gzipSync(value.bytes));
  return jsonResponse(200, value.gzip, { ...headers, "content-encoding": "gzip" });
}

/** The ETag of the gzip representation of a body. */
export const gzipEtag = (etag: string) => etag.replace(/"$/, '-gzip"');

/**
 * Cache headers: a minute for fresh responses, and ten more during which a CDN may answer for a server that fails
 * (RFC 5861, 4); none for stale copies, which carry Warning 110 (RFC 7234, 5.5.1). The log has the reason for a copy.
 */
export function freshnessHeaders(c: Context<AppEnv>, { ageSeconds, cause }: Staleness): Record<string, string> {
  if (ageSeconds === undefined) {
    return { "cache-control": `public, max-age=60, stale-if-error=600, ${NO_TRANSFORM}` };
  }
  c.env.cause = cause;
  return {
    "cache-control": `${UNCACHEABLE}, ${NO_TRANSFORM}`,
    age: String(ageSeconds),
    warning: '110 - "Response is Stale"',
  };
}

/** Whether If-None-Match lists this ETag, by weak comparison (RFC 9110, 13.1.2). */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false;
  return ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, "")).some((tag) => tag === etag || tag === "*");
}

/** Whether If-Match lists this ETag, by strong comparison (RFC 9110, 13.1.1). */
export function strongEtagMatches(ifMatch: string, etag: string): boolean {
  return ifMatch.split(",").some((tag) => tag.trim() === etag || tag.trim() === "*");
}

/** Not for caches: the result may be of one caller. */
const sendResult = ({ status, text }: RpcResult) =>
  jsonResponse(status, encoder.encode(text), { "cache-control": UNCACHEABLE });

/** Sets all headers in the constructor: setting one later costs a tenth of a small response. */
function jsonResponse(status: number, bytes: Uint8Array, headers: Record<string, string> = {}): Response {
  return new Response(bytes, {
    status,
    // HEAD responses need the length too
    headers: { "content-type": "application/json", "content-length": String(bytes.length), ...headers },
  });
}
