// /rest/v1: the part of PostgREST that front ends use, with PostgREST's rules and statements.
import postgres from "../postgres_client.ts";
import { bounded } from "./bounds.ts";
import { bearerToken, type Caller, callerFromToken, type Credentials, roleFromKey } from "./caller.ts";
import { preflight, readable } from "./cors.ts";
import { databaseErrorResponse, errorResponse, isPostgresError, RequestError } from "./errors.ts";
import { type Context, handleCall, handleTable } from "./handlers.ts";
import { readSchema, type SchemaCache, schemaConnection } from "./schema_cache.ts";
import { createPool, type RequestScope } from "./transaction.ts";

export interface RestOptions extends Credentials {
  /** Connects as authenticator, which sets the caller's role. */
  databaseUrl: string;
  /** Connects as a superuser, to read the schema. */
  adminUrl: string;
  /** The first is the default. */
  schemas?: string[];
  maxRows?: number;
}

export interface Rest {
  fetch(request: Request): Promise<Response>;
  /** Discards the schema cache; the next request reads the schema. */
  reload(): void;
  close(): Promise<void>;
}

export function createRest(options: RestOptions): Rest {
  const { schemas = ["public", "graphql_public"], maxRows = 1000 } = options;
  const pool = createPool(options.databaseUrl);
  const admin = postgres(options.adminUrl, { max: 1, onnotice: () => {}, connection: schemaConnection });
  let schema: Promise<SchemaCache> | undefined;
  /** Concurrent requests share one read. */
  const cache = () =>
    schema ??= readSchema(admin, schemas).catch((error) => (schema = undefined, Promise.reject(error)));

  async function respond(request: Request): Promise<Response> {
    const caller = await callerOf(request, options);
    if (caller instanceof Response) return caller;
    const path = new URL(request.url).pathname.replace(/^\/rest\/v1/, "") || "/";
    const scope: RequestScope = {
      caller,
      request: withoutKey(request),
      path,
      schema: requestedSchema(request) ?? schemas[0],
    };
    if (!schemas.includes(scope.schema)) {
      return errorResponse(406, {
        code: "PGRST106",
        message: `Invalid schema: ${scope.schema}`,
        hint: `Only the following schemas are exposed: ${schemas.join(", ")}`,
      });
    }
    try {
      return await route({ scope, cache: await cache(), pool, maxRows });
    } catch (error) {
      if (error instanceof RequestError) return errorResponse(error.status, error.body);
      if (isPostgresError(error)) return databaseErrorResponse(error, caller.role === "anon");
      console.error("rest:", error);
      return errorResponse(503, { code: "PGRST001", message: "Database client error. Retrying the connection." });
    }
  }

  return {
    async fetch(request) {
      const early = preflight(request);
      if (early) return early;
      const input = await bounded(request);
      return readable(input instanceof Response ? input : await respond(input));
    },
    reload: () => void (schema = undefined),
    close: async () => void await Promise.all([pool.end(), admin.end({ timeout: 1 })]),
  };
}

function route(context: Context): Promise<Response> {
  const [, first, second, ...more] = context.scope.path.split("/").map(decode);
  if (first === "rpc" && second && !more.length) return handleCall(context, second);
  if (first && second === undefined) return handleTable(context, first);
  throw first
    ? new RequestError(404, { code: "PGRST125", message: "Invalid path specified in request URL" })
    : new RequestError(404, { code: "PGRST126", message: "Root endpoint metadata is disabled" });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Removes the key, which is not a filter. */
function withoutKey(request: Request): Request {
  const url = new URL(request.url);
  if (!url.searchParams.has("apikey")) return request;
  url.searchParams.delete("apikey");
  return new Request(url, request);
}

/** The platform's gateway checks the key before PostgREST checks the token. */
async function callerOf(request: Request, options: RestOptions): Promise<Caller | Response> {
  const key = request.headers.get("apikey") ?? new URL(request.url).searchParams.get("apikey");
  const role = roleFromKey(key, options);
  if (!role) {
    const [message, hint, code] = key
      ? ["Invalid API key", "Double check your Supabase `apikey`", "UNAUTHORIZED_INVALID_API_KEY"]
      : [
        "No API key found in request",
        "No `apikey` request header or url param was found.",
        "UNAUTHORIZED_MISSING_API_KEY",
      ];
    return Response.json({ message, hint }, { status: 401, headers: { "sb-error-code": code } });
  }
  const token = bearerToken(request);
  if (token === undefined) return { role, claims: { role } };
  const caller = await callerFromToken(token, options);
  if ("role" in caller) return caller;
  return errorResponse(401, caller, {
    "www-authenticate": `Bearer error="invalid_token", error_description="${caller.message}"`,
  });
}

/** Reads name their schema in Accept-Profile, writes in Content-Profile. */
function requestedSchema(request: Request): string | null {
  const isRead = request.method === "GET" || request.method === "HEAD";
  return request.headers.get(isRead ? "accept-profile" : "content-profile");
}
