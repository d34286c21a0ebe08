/**
 * Answers. A verb's JSON goes out as Postgres wrote it: the envelope is put around the text and all of it is encoded
 * once, for parsing and writing it again would cost more than the call. A refusal that a verb returned (a status of
 * 400 and above) is an envelope already, and leaves as it is.
 */
import type { Context } from "hono";
import { createHash } from "node:crypto";
import type { AppEnv } from "./app.ts";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Answer } from "./db.ts";

const encoder = new TextEncoder();

/** `{ success: true, data }`, the envelope of most routes. */
export function reply(c: Context<AppEnv>, { status, text }: Answer): Response {
  return send(c, { status, text: status < 400 ? `{"success":true,"data":${text}}` : text });
}

/** The verb's JSON and nothing around it, for resources whose answers are flat. */
export function flat(c: Context<AppEnv>, answer: Answer): Response {
  return send(c, answer);
}

/** The verb's JSON object with `success: true` before its own members: flat, or a page of a list. */
export function succeeded(c: Context<AppEnv>, answer: Answer): Response {
  return send(c, beside(answer));
}

/** `{ success: true, …members }` of a verb's JSON object. */
export const beside = ({ status, text }: Answer): Answer =>
  status < 400 ? { status, text: `{"success":true,${text.slice(1)}` } : { status, text };

/** What strangers may keep for a minute and then ask about: Cache-Control, a strong ETag, and 304 when it still holds. */
export function published(c: Context<AppEnv>, answer: Answer): Response {
  if (answer.status !== 200) return send(c, answer);
  const bytes = encoder.encode(answer.text);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
  c.header("cache-control", "public, max-age=60");
  c.header("etag", etag);
  if (matches(c.req.header("if-none-match"), etag)) return c.body(null, 304);
  return json(c, 200, bytes);
}

/** Whether an If-None-Match names this ETag; a `W/` in front makes no difference to it (RFC 9110, 13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false;
  return ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, "")).some((tag) => tag === etag || tag === "*");
}

const send = (c: Context<AppEnv>, { status, text }: Answer) => json(c, status, encoder.encode(text));

function json(c: Context<AppEnv>, status: number, bytes: Uint8Array): Response {
  c.header("content-type", "application/json");
  c.header("content-length", String(bytes.length)); // a HEAD tells it too
  return c.body(bytes, status as ContentfulStatusCode);
}
