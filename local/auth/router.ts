/** Supabase Auth for development, on its own tables: sign-in by email or as a guest, PKCE, the admin API. */
import { apiKeyOf, rejectApiKey } from "../wire/caller.ts";
import type postgres from "../postgres/client.ts";
import { readBytes, TooLarge } from "../wire/json.ts";
import type { Keys } from "./keys.ts";
import type { Tokens } from "./tokens.ts";
import { errorResponse, fail } from "./errors.ts";
import { createLimit } from "./limit.ts";
import { allowedRedirect } from "./redirects.ts";
import { respond } from "./routes.ts";
import type { Call, Email, Service } from "./service.ts";
import type { AuthSettings } from "./settings.ts";

interface AuthOptions {
  /** Connected as supabase_auth_admin. */
  sql: postgres.Sql;
  tokens: Tokens;
  keys: Pick<Keys, "publishable" | "secret">;
  /** The URL of the gateway. */
  url: string;
  settings: AuthSettings;
  send(email: Email): Promise<void>;
}

/** Handles all requests below /auth/v1. */
export function createAuth({ keys, url, ...options }: AuthOptions): (request: Request) => Promise<Response> {
  const limits = { wrongCodes: createLimit(300), anonymousSignIns: createLimit(3600) };
  const service: Service = { ...options, limits, url: `${url}/auth/v1` };

  return async (request) => {
    const isPreflight = request.method === "OPTIONS" && request.headers.has("access-control-request-method");
    if (isPreflight) return withCors(request, new Response(null, { status: 204 }));
    try {
      const url = new URL(request.url), path = url.pathname.slice("/auth/v1".length);
      const key = apiKeyOf(request), isKnown = key === keys.publishable || key === keys.secret;
      if (!isKnown && !KEYLESS.test(path)) return withCors(request, rejectApiKey(key));
      const reply = await respond(service, await readCall(service, request, url.searchParams), path);
      return withCors(request, reply instanceof Response ? reply : Response.json(reply));
    } catch (error) {
      return withCors(request, errorResponse(error, request));
    }
  };
}

/** A browser follows these links without a header; the rest needs a key, at the gateway of the platform. */
const KEYLESS = /^\/(verify|authorize|callback|\.well-known\/.*|sso\/saml\/.*)$/;

/** Keeps a byte order mark, which is not JSON. */
const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

async function readCall(service: Service, request: Request, query: URLSearchParams): Promise<Omit<Call, "path">> {
  const { headers } = request;
  const body = await readBytes(request).then(decode, (error: Error) => error);
  return {
    request,
    get body() {
      if (body instanceof TooLarge) {
        return fail(413, "request_entity_too_large", "Request body too large (max 1048576 bytes)");
      }
      if (body instanceof Error) throw body;
      return body;
    },
    query,
    redirectTo: allowedRedirect(service.settings, query.get("redirect_to"), headers.get("referer")),
    client: headers.get("x-forwarded-for")?.split(",")[0].trim().slice(0, 45) || "127.0.0.1",
  };
}

function withCors(request: Request, response: Response): Response {
  const { headers } = response;
  headers.set("access-control-allow-origin", "*");
  headers.set("access-control-expose-headers", "x-total-count, link, x-supabase-api-version");
  if (request.method === "OPTIONS") {
    headers.set("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE");
    headers.set("access-control-allow-headers", request.headers.get("access-control-request-headers") ?? "*");
    headers.set("access-control-max-age", "3600");
  }
  return response;
}
