/**
 * Answers. A verb's JSON goes out as Postgres wrote it: the envelope is put around the text and all of it is encoded
 * once, for parsing and writing it again would cost more than the call. A refusal that a verb returned (a status of
 * 400 and above) is an envelope already, and leaves as it is.
 */
import type { Context } from "hono";
import { createHash } from "node:crypto";
import type { AppEnv } from "./app.ts";
import type { CopiedRead } from "./stale_copies.ts";
import type { RpcResult } from "../database/db.ts";

const encoder = new TextEncoder();

/** `{ success: true, data }`, the envelope of most routes. */
export function reply({ status, text }: RpcResult): Response {
  return sendResult({ status, text: status < 400 ? `{"success":true,"data":${text}}` : text });
}

/** The verb's JSON and nothing around it, for resources whose answers are flat. */
export function rawReply(answer: RpcResult): Response {
  return sendResult(answer);
}

/** The verb's JSON object with `success: true` before its own members: flat, or a page of a list. */
export function flatReply(answer: RpcResult): Response {
  return sendResult(withSuccess(answer));
}

/** `{ success: true, …members }` of a verb's JSON object. */
export const withSuccess = ({ status, text }: RpcResult): RpcResult =>
  status < 400 ? { status, text: `{"success":true,${text.slice(1)}` } : { status, text };

/** The bytes of an answer, and the strong ETag that names them. */
export interface CacheableBody {
  bytes: Uint8Array;
  etag: string;
}

export function toCacheableBody(text: string): CacheableBody {
  const bytes = encoder.encode(text);
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"` };
}

/** What strangers may keep for a minute and then ask about: Cache-Control, a strong ETag, and 304 when it still holds. */
export function cacheableReply(
  c: Context<AppEnv>,
  { value: { bytes, etag }, ...copy }: CopiedRead<CacheableBody>,
): Response {
  const headers = { ...freshnessHeaders(c, copy), etag };
  if (etagMatches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  return jsonResponse(200, bytes, headers);
}

/**
 * How long an answer may be kept: a minute, or not at all when it is a copy, which says so (RFC 7234, 5.5.1: Warning
 * 110). The log tells why it is one.
 */
export function freshnessHeaders(
  c: Context<AppEnv>,
  { ageSeconds, cause }: Omit<CopiedRead<unknown>, "value">,
): Record<string, string> {
  if (ageSeconds === undefined) return { "cache-control": "public, max-age=60" };
  c.env.cause = cause;
  return { "cache-control": "no-store", age: String(ageSeconds), warning: '110 - "Response is Stale"' };
}

/** Whether an If-None-Match names this ETag; a `W/` in front makes no difference to it (RFC 9110, 13.1.2). */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false;
  return ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, "")).some((tag) => tag === etag || tag === "*");
}

const sendResult = ({ status, text }: RpcResult) => jsonResponse(status, encoder.encode(text));

/** Made at once, headers and all: a header that is set afterwards costs as much as a tenth of a small answer. */
function jsonResponse(status: number, bytes: Uint8Array, headers: Record<string, string> = {}): Response {
  return new Response(bytes, {
    status,
    headers: { "content-type": "application/json", "content-length": String(bytes.length), ...headers }, // a HEAD tells the length too
  });
}
