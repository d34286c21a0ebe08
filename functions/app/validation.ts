/** Validators of a route's input. Their errors are zod's: 400 that names the path (errors.ts). */
import type { Context, MiddlewareHandler } from "hono";
import type { z } from "zod";
import type { AppEnv } from "./app.ts";
import { declare } from "./describe_route.ts";
import { readBody } from "./request_body.ts";
import { MAX_JSON_BYTES, parseJson, rejectUnstorableText } from "../runtime/json.ts";
import { ApiError } from "../runtime/api_error.ts";

type Target = "param" | "query" | "json";

/**
 * `valid("json", AddPersonRequest)`: the handler finds the parsed value in `c.req.valid("json")`, typed by the schema.
 */
export function valid<T extends Target, S extends z.ZodType<object>>(
  target: T,
  schema: S,
): MiddlewareHandler<AppEnv, string, { in: { [K in T]: z.input<S> }; out: { [K in T]: z.output<S> } }> {
  return declare(async (c, next) => {
    c.req.addValidatedData(target, await readValid(c, target, schema));
    await next();
  }, { [target]: schema });
}

/** Returns the parsed value. A JSON body has at most `maxBytes`. */
export async function readValid<T extends object>(
  c: Context<AppEnv>,
  target: Target,
  schema: z.ZodType<T>,
  maxBytes = MAX_JSON_BYTES,
): Promise<T> {
  if (target === "json") return schema.parse(await readJson(c.req.raw, maxBytes), PARSE_OPTIONS);
  const parsed = schema.parse(target === "param" ? c.req.param() : readQuery(c.req.url), PARSE_OPTIONS);
  rejectUnstorableText(parsed); // ignored parameters may contain anything
  return parsed;
}

const PARSE_OPTIONS = { error: describeIssue };

/** Says what to do where zod's own message does not. A message of the schema takes precedence over both. */
function describeIssue({ code, input, path = [], ...issue }: z.core.$ZodRawIssue): string | undefined {
  if (input === undefined && code !== "invalid_value") { // zod lists the values of an enum
    return path.length ? "is required" : "A JSON body is required";
  }
  if (code === "too_small" && issue.origin === "string") {
    return issue.minimum === 1 ? "must not be empty" : `must have at least ${issue.minimum} characters`;
  }
  if (code === "invalid_format" && issue.format === "guid") return "must be a UUID";
}

/** supabase-js adds it for the platform, to requests that choose a region. */
const REGION_PARAMETER = "forceFunctionRegion";

/** A repeated name becomes a list, which a schema of a single value rejects. */
function readQuery(url: string): Record<string, string | string[]> {
  if (!url.includes("?")) return {};
  const query = new Map<string, string | string[]>();
  for (const [name, value] of new URL(url).searchParams) {
    if (name === REGION_PARAMETER) continue;
    const earlier = query.get(name);
    if (Array.isArray(earlier)) earlier.push(value);
    else query.set(name, earlier === undefined ? value : [earlier, value]);
  }
  return Object.fromEntries(query);
}

async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const { size, bytes } = await readBody(request, maxBytes, "json");
  if (size === 0) return undefined; // the schema decides whether a body is required
  if (mediaType(request.headers.get("content-type")) !== "application/json") {
    throw new ApiError(400, "Content-Type must be application/json");
  }
  if (size > maxBytes) {
    throw new ApiError(413, "Request body too large", { details: `At most ${maxBytes} bytes are allowed` });
  }
  return parseJson(decode(bytes));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError(400, "Malformed JSON");
  }
}

/** The media type of a Content-Type header without parameters; empty if there is none. */
export function mediaType(contentType: string | null | undefined): string {
  return (contentType ?? "").split(";")[0].trim().toLowerCase();
}
