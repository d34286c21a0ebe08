// The response of a successful request.
import { RequestError } from "./errors.ts";
import { hasNullBody, utf8Header } from "./http_text.ts";
import type { MediaType } from "./media_type.ts";
import type { Preferences } from "./preferences.ts";
import type { Result } from "./statement.ts";
import type { RequestScope } from "./transaction.ts";

/** `single()` and `max-affected` reject after the statement, which rolls it back. */
export function requireRowCount(
  media: MediaType,
  { maxAffected }: Preferences,
  kinds: string[],
  rows: number,
) {
  if (media.form === "object" && rows !== 1) {
    throw new RequestError(406, {
      code: "PGRST116",
      message: "Cannot coerce the result to a single JSON object",
      details: `The result contains ${rows} rows`,
    });
  }
  if (maxAffected !== undefined && kinds.includes("maxAffected") && rows > maxAffected) {
    throw new RequestError(400, {
      code: "PGRST124",
      message: "Query result exceeds max-affected preference constraint",
      details: `The query affects ${rows} rows`,
    });
  }
}

/** The request's headers on which a response depends. */
export const VARY = "Accept, Prefer, Range";

interface ResponseOptions {
  status: number;
  headers: Record<string, string | undefined>;
  /** Undefined for a response without content. */
  media?: MediaType;
  hasBody: boolean;
}

/** A function may set `response.status` and `response.headers`. */
export function createResponse(
  result: Result,
  { status, headers, media, hasBody }: ResponseOptions,
  { schema, isNegotiated }: RequestScope,
): Response {
  const own = ownHeaders(result.headers);
  const all = new Headers({ vary: VARY });
  for (const [name, value] of Object.entries(headers)) if (value) all.set(name, utf8Header(value));
  if (media) {
    all.set("content-type", media.contentType);
    if (isNegotiated) all.set("content-profile", utf8Header(schema));
  }
  for (const name of new Set(own.map(([name]) => name.toLowerCase()))) all.delete(name);
  for (const [name, value] of own) all.append(name, value);
  const finalStatus = ownStatus(result.status) ?? status;
  return new Response(!hasBody || hasNullBody(finalStatus) ? null : result.body, { status: finalStatus, headers: all });
}

function ownStatus(text: string | null): number | undefined {
  if (!text) return;
  const status = Number(text);
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new RequestError(500, { code: "PGRST112", message: "response.status guc must be a valid status code" });
}

function ownHeaders(text: string | null): [string, string][] {
  if (!text) return [];
  try {
    return (JSON.parse(text) as Record<string, string>[]).flatMap((header) => {
      const [[name, value], ...others] = Object.entries(header);
      if (others.length || typeof value !== "string") throw new TypeError();
      new Headers([[name, utf8Header(value)]]); // throws for characters that a header cannot have
      return [[name, utf8Header(value)] as [string, string]];
    });
  } catch {
    throw new RequestError(500, {
      code: "PGRST111",
      message: "response.headers guc must be a JSON array composed of objects with a single key and a string value",
    });
  }
}
