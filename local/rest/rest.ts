// /rest/v1: PostgREST as the platform runs it, by @supabase/lite with its faults corrected.
import { App, fuzzyMatch } from "@supabase/lite";
import { bearerOf, type Caller, callerOfToken, type Credentials, roleOfKey } from "./caller.ts";
import { createConnection, turns } from "./connection.ts";
import { preflight, readable } from "./cors.ts";
import { errorResponse } from "./errors.ts";
import { keyForReading, writeAndRead } from "./representation.ts";
import { createSchemaCache, type Introspection } from "./schema_cache.ts";
import { functionOf, type Turn } from "./transaction.ts";

export interface RestOptions extends Credentials {
  /** Connects as authenticator, which becomes the caller's role. */
  databaseUrl: string;
  /** Connects as a superuser, to read the schema. */
  adminUrl: string;
  /** The first is the one meant when a request names none. */
  schemas?: string[];
  maxRows?: number;
}

export interface Rest {
  fetch(request: Request): Promise<Response>;
  /** The schema changed: the next request reads it anew. */
  reload(): void;
  close(): Promise<void>;
}

export function createRest(options: RestOptions): Rest {
  const { schemas = ["public", "graphql_public"], maxRows = 1000 } = options;
  const schemaCache = createSchemaCache(options.adminUrl);
  const connection = createConnection(options.databaseUrl, schemaCache);
  const app = new App({
    connection: connection.lite,
    api: { schemas, max_rows: maxRows, pg_safe_update: true },
    auth: { enabled: false },
    db: { migrations: { enabled: false } },
    options: {
      server: { apiKeys: { resolver: () => ({ type: "publishable", claims: turns.getStore()!.caller.claims }) } },
    },
    // deno-lint-ignore no-explicit-any
  } as any);

  async function answer(request: Request): Promise<Response> {
    const caller = await callerOf(request, options);
    if (caller instanceof Response) return caller;
    const path = new URL(request.url).pathname.replace(/^\/rest\/v1/, "") || "/";
    const contentType = request.headers.get("content-type") ?? (request.body ? "application/json" : "");
    const turn: Turn = { caller, request, path, contentType, schema: profileOf(request) ?? schemas[0] };
    if (!schemas.includes(turn.schema)) {
      return errorResponse(406, {
        code: "PGRST106",
        message: `Invalid schema: ${turn.schema}`,
        hint: `Only the following schemas are exposed: ${schemas.join(", ")}`,
      });
    }
    const { introspection } = await schemaCache.get();
    const unknown = unknownRelation(turn, introspection);
    if (unknown) return unknown;
    const key = keyForReading(turn, introspection);
    const send = (request: Request) => app.fetch(forLite(request));
    const response = await turns.run(
      turn,
      () => key ? connection.inTransaction(() => writeAndRead(request, key, send)) : send(request),
    );
    return response.status === 500 ? await withoutInternals(response) : response;
  }

  return {
    fetch: async (request) => preflight(request) ?? readable(await answer(request)),
    reload: schemaCache.forget,
    async close() {
      await connection.close();
      await schemaCache.close();
    },
  };
}

/** The platform's gateway asks for a key before PostgREST asks for a token. */
async function callerOf(request: Request, options: RestOptions): Promise<Caller | Response> {
  const key = request.headers.get("apikey") ?? new URL(request.url).searchParams.get("apikey");
  const role = roleOfKey(key, options);
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
  const token = bearerOf(request);
  if (token === undefined) return { role, claims: { role } };
  const caller = await callerOfToken(token, options);
  if ("role" in caller) return caller;
  return errorResponse(401, caller, {
    "www-authenticate": `Bearer error="invalid_token", error_description="${caller.message}"`,
  });
}

/** Reads name their schema in Accept-Profile, writes in Content-Profile. */
function profileOf(request: Request): string | null {
  const isRead = request.method === "GET" || request.method === "HEAD";
  return request.headers.get(isRead ? "accept-profile" : "content-profile");
}

/** lite tells an unknown table from a known one only after printing the error to the console. */
function unknownRelation(turn: Turn, { tables, views }: Introspection): Response | undefined {
  const name = decodeURIComponent(/^\/([^/]+)$/.exec(turn.path)?.[1] ?? "");
  if (!name || functionOf(turn.path)) return;
  const names = [...tables, ...views].filter((r) => (r.schema || "public") === turn.schema).map((r) => r.name);
  if (names.includes(name)) return;
  const near = fuzzyMatch(name, names);
  return errorResponse(404, {
    code: "PGRST205",
    message: `Could not find the table '${turn.schema}.${name}' in the schema cache`,
    hint: near ? `Perhaps you meant the table '${turn.schema}.${near}'` : null,
  });
}

/** The caller is settled: what lite would read again from the request is left out. */
function forLite(request: Request): Request {
  const url = new URL(request.url);
  url.searchParams.delete("apikey");
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  headers.set("apikey", "settled");
  return new Request(url, { method: request.method, headers, body: request.body });
}

/** lite prints errors of its own making into the body. */
async function withoutInternals(response: Response): Promise<Response> {
  const body = await response.clone().json().catch(() => null);
  return body?.code === "SUP" ? errorResponse(500, { code: "PGRSTX00", message: "Internal error" }) : response;
}
