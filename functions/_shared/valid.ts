/** Validators for what a route is given. Their failures are zod's: a 400 that names the offending path (refusal.ts). */
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";
import type { AppEnv } from "./app.ts";
import { received } from "./bytes.ts";
import { Refusal } from "./refusal.ts";

type Target = "param" | "query" | "json";
const JSON_CEILING = 1024 * 1024;

/** `valid('json', NewPerson)`: the handler finds the parsed value in `c.req.valid('json')`, typed by the schema. */
export function valid<T extends Target, S extends z.ZodType<object>>(
  target: T,
  schema: S,
): MiddlewareHandler<AppEnv, string, { in: { [K in T]: z.input<S> }; out: { [K in T]: z.output<S> } }> {
  return async (c, next) => {
    const given = target === "param" ? c.req.param() : target === "query" ? query(c.req.url) : await json(c.req.raw);
    requireStorable(given);
    c.req.addValidatedData(target, schema.parse(given));
    await next();
  };
}

/** Postgres stores no NUL, and half of a surrogate pair is no character: refused here, with the place. */
function requireStorable(given: unknown, path: string[] = []): void {
  if (typeof given === "string" && (given.includes("\0") || !given.isWellFormed())) {
    throw new Refusal(400, "Invalid request", {
      details: [...path.length ? [path.join(".")] : [], UNSTORABLE].join(": "),
    });
  }
  if (typeof given !== "object" || given === null) return;
  for (const [name, value] of Object.entries(given)) {
    requireStorable(name, path);
    requireStorable(value, [...path, name]);
  }
}

const UNSTORABLE = "contains a character that cannot be stored";

/** A repeated name becomes a list, which a schema that wants one value refuses. */
function query(url: string): Record<string, string | string[]> {
  const search = new URL(url).searchParams;
  return Object.fromEntries([...new Set(search.keys())].map((name) => {
    const values = search.getAll(name);
    return [name, values.length === 1 ? values[0] : values];
  }));
}

async function json(request: Request): Promise<unknown> {
  const { size, bytes } = await received(request, JSON_CEILING);
  if (size === 0) return undefined; // for a schema to say whether a body is needed
  if (mediaType(request.headers.get("content-type")) !== "application/json") {
    throw new Refusal(400, "Content-Type must be application/json");
  }
  if (size > JSON_CEILING) throw new Refusal(413, "Request body too large");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal(400, "Malformed JSON");
  }
}

/** The media type that a Content-Type header says, without parameters; empty when there is none. */
export function mediaType(contentType: string | null | undefined): string {
  return (contentType ?? "").split(";")[0].trim().toLowerCase();
}
