/**
 * Responses. A function's JSON is sent as Postgres wrote it, with the envelope put around the text: parsing it would
 * cost more than the call. An error that a function returned (status 400 and above) is an envelope already.
 */
import type { Context } from "hono";
import { createHash } from "node:crypto";
import type { AppEnv } from "./app.ts";
import { ApiError, UNCACHEABLE } from "../runtime/api_error.ts";
import type { CopiedRead } from "./stale_copies.ts";
import type { SurrogateKeys } from "./surrogate_keys.ts";
import type { RpcResult } from "../database/db.ts";

const encoder = new TextEncoder();

/** `{ success: true, data }`, the envelope of most routes. */
export function reply({ status, text }: RpcResult): Response {
  return sendResult({ status, text: status < 400 ? `{"success":true,"data":${text}}` : text });
}

/** Sends the function's JSON without an envelope, for resources whose responses are flat. */
export function rawReply(result: RpcResult): Response {
  return sendResult(result);
}

/** Sends `{ success: true, …members }` of the function's JSON object. */
export function flatReply({ status, text }: RpcResult): Response {
  return sendResult({ status, text: status < 400 ? addSuccess(text) : text });
}

/** Sends `{ success: true }`, for routes whose result the client knows. */
export function successReply({ status, text }: RpcResult): Response {
  return sendResult({ status, text: status < 400 ? '{"success":true}' : text });
}

/** The JSON of a result, for a route that continues with it. Throws the error that the function returned. */
export function parseResult({ status, text }: RpcResult) {
  if (status < 400) return JSON.parse(text);
  const { error, code, details, ...extra } = JSON.parse(text);
  throw new ApiError(status, error, { code, details, extra });
}

/** Adds `success: true` to the text of a JSON object. */
export const addSuccess = (text: string) => `{"success":true,${text.slice(1)}`;

/** The bytes of a response with their strong ETag. */
export interface CacheableBody {
  bytes: Uint8Array;
  etag: string;
}

export function toCacheableBody(text: string): CacheableBody {
  const bytes = encoder.encode(text);
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"` };
}

/**
 * Sends a public response that caches keep for a minute, with a strong ETag; 304 if the client has it. The host may
 * compress it, so that 304 and HEAD need the Vary that the host adds to compressed responses (RFC 9110, 15.4.5).
 */
export function cacheableReply(
  c: Context<AppEnv>,
  { value: { bytes, etag }, ...copy }: CopiedRead<CacheableBody>,
  keys?: SurrogateKeys,
  contentType = "application/json",
): Response {
  const headers = { ...freshnessHeaders(c, copy), ...keys, etag, vary: "accept-encoding", "content-type": contentType };
  if (etagMatches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  return jsonResponse(200, bytes, headers);
}

/**
 * Cache headers: a minute for fresh responses, none for stale copies, which carry Warning 110 (RFC 7234, 5.5.1). The
 * log has the reason for a copy.
 */
export function freshnessHeaders(
  c: Context<AppEnv>,
  { ageSeconds, cause }: Omit<CopiedRead<unknown>, "value">,
): Record<string, string> {
  if (ageSeconds === undefined) return { "cache-control": "public, max-age=60" };
  c.env.cause = cause;
  return { "cache-control": UNCACHEABLE, age: String(ageSeconds), warning: '110 - "Response is Stale"' };
}

/** Whether If-None-Match lists this ETag, by weak comparison (RFC 9110, 13.1.2). */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false;
  return ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, "")).some((tag) => tag === etag || tag === "*");
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
