// /rest/v1: the part of PostgREST that front ends use, with PostgREST's rules and statements.
import { decodePart } from "../wire/percent_encoding.ts";
import postgres from "../postgres/client.ts";
import { bounded } from "./bounds.ts";
import {
  apiKeyOf,
  bearerToken,
  type Caller,
  callerFromToken,
  type Credentials,
  rejectApiKey,
  roleFromKey,
} from "../wire/caller.ts";
import { preflight, readable } from "../wire/cors.ts";
import { databaseErrorResponse, errorResponse, isPostgresError, RequestError } from "./errors.ts";
import { handleCall, handleTable } from "./handlers.ts";
import { defaultConfig, readConfig, type RestConfig } from "./config.ts";
import { readSchema, schemaConnection } from "./schema_cache.ts";
import { createPool, type RequestScope } from "./transaction.ts";
import type { SchemaCache } from "./catalog.ts";

interface RestOptions extends Credentials {
  /** Connects as authenticator, which sets the caller's role. */
  databaseUrl: string;
  /** Connects as a superuser, to read the schema. */
  adminUrl: string;
  /** Those of config.toml; settings of the role authenticator replace them. */
  config?: Partial<RestConfig>;
}

interface Rest {
  fetch(request: Request): Promise<Response>;
  /** Discards settings and schema; the next request reads them. */
  reload(): void;
  close(): Promise<void>;
}

export function createRest(options: RestOptions): Rest {
  const initialConfig = { ...defaultConfig, ...options.config };
  const pool = createPool(options.databaseUrl);
  const admin = postgres(options.adminUrl, { max: 1, onnotice: () => {}, connection: schemaConnection });
  let lastConfig = initialConfig;
  let known: Promise<{ config: RestConfig; cache: SchemaCache }> | undefined;
  /** Concurrent requests share one read. A wrong setting changes nothing. */
  const load = () => known ??= read().catch((error) => (known = undefined, Promise.reject(error)));

  async function read() {
    const config = lastConfig = await readConfig(admin, initialConfig).catch((error) => {
      if (!(error instanceof RangeError)) throw error;
      console.error(`rest: ${error.message}`);
      return lastConfig;
    });
    return { config, cache: await readSchema(admin, config.schemas) };
  }

  async function respond(request: Request): Promise<Response> {
    const caller = await callerOf(request, options);
    if (caller instanceof Response) return caller;
    const path = new URL(request.url).pathname.replace(/^\/rest\/v1/, "") || "/";
    try {
      const target = parsePath(path);
      const { config, cache } = await load();
      const { schema, isNegotiated } = findSchema(request, config.schemas);
      const scope: RequestScope = { caller, request: withoutKey(request), path, schema, isNegotiated };
      const context = { scope, cache, pool, config };
      return await (target.isCall ? handleCall(context, target.name) : handleTable(context, target.name));
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
    reload: () => void (known = undefined),
    close: async () => void await Promise.all([pool.end(), admin.end({ timeout: 1 })]),
  };
}

function parsePath(path: string): { name: string; isCall: boolean } {
  const [first, second, ...more] = path.split("/").slice(1).map((part) => decodePart(part) ?? part);
  if (first === "rpc" && second !== undefined && !more.length) return { name: second, isCall: true };
  if (first && second === undefined) return { name: first, isCall: false };
  throw first === "" && second === undefined
    ? new RequestError(404, { code: "PGRST126", message: "Root endpoint metadata is disabled" })
    : new RequestError(404, { code: "PGRST125", message: "Invalid path specified in request URL" });
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
  const key = apiKeyOf(request), role = roleFromKey(key, options);
  if (!role) return rejectApiKey(key);
  const token = bearerToken(request);
  if (token === undefined) return { role, claims: { role } };
  const caller = await callerFromToken(token, options);
  if ("role" in caller) return caller;
  return errorResponse(401, caller, {
    "www-authenticate": `Bearer error="invalid_token", error_description="${caller.message}"`,
  });
}

/** Reads name their schema in Accept-Profile, writes in Content-Profile. */
function findSchema({ method, headers }: Request, schemas: string[]): { schema: string; isNegotiated: boolean } {
  const writes = ["POST", "PATCH", "PUT", "DELETE"].includes(method);
  const profile = headers.get(writes ? "content-profile" : "accept-profile");
  if (profile === null) return { schema: schemas[0], isNegotiated: schemas.length > 1 };
  if (schemas.includes(profile)) return { schema: profile, isNegotiated: true };
  throw new RequestError(406, {
    code: "PGRST106",
    message: `Invalid schema: ${profile}`,
    hint: `Only the following schemas are exposed: ${schemas.join(", ")}`,
  });
}
