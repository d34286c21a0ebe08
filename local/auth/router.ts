/** Supabase Auth for development, on its own tables: email and password, codes and links, PKCE, the admin API. */
import type postgres from "../postgres_client.ts";
import { parseJson, readText, TooLarge } from "../json.ts";
import type { Keys } from "../keys.ts";
import type { Tokens } from "../tokens.ts";
import { getUser, updateUser } from "./account.ts";
import { adminCreateUser, adminDeleteUser, adminGetUser, adminUpdateUser, listUsers } from "./admin.ts";
import { requireCaptcha } from "./captcha.ts";
import { errorResponse, fail } from "./errors.ts";
import { generateLink, invite } from "./links.ts";
import { otp, recover, resend } from "./otp.ts";
import { allowedRedirect } from "./redirects.ts";
import type { Call, Email, Json, Route, Service } from "./service.ts";
import { logout } from "./sessions.ts";
import type { AuthSettings } from "./settings.ts";
import { signUp } from "./sign_up.ts";
import { token } from "./token.ts";
import { createVerify } from "./verify.ts";

export interface AuthOptions {
  /** Connected as supabase_auth_admin. */
  sql: postgres.Sql;
  tokens: Tokens;
  keys: Pick<Keys, "publishable" | "secret">;
  /** The URL of the gateway. */
  url: string;
  settings: AuthSettings;
  send(email: Email): Promise<void>;
}

/** Their callers have proved who they are. An unknown grant is not among them, as in the service. */
const GRANTS_WITHOUT_CAPTCHA = ["refresh_token", "pkce", "id_token"];

/** Handles all requests below /auth/v1. */
export function createAuth({ keys, url, ...options }: AuthOptions): (request: Request) => Promise<Response> {
  const service: Service = { ...options, url: `${url}/auth/v1` };
  const verify = createVerify();
  const captcha = (route: Route): Route => async (service, call) => {
    await requireCaptcha(service, call);
    return await route(service, call);
  };
  const admin = (route: Route): Route => (service, call) =>
    call.isAdmin ? route(service, call) : fail(403, "not_admin", "User not allowed");

  const routes: Record<string, Route> = {
    "GET /health": () => Promise.resolve({ version: "local", name: "GoTrue", description: "stand-in" }),
    "GET /.well-known/jwks.json": ({ tokens }) =>
      Promise.resolve(Response.json(tokens.jwks, { headers: { "cache-control": "public, max-age=600" } })),
    "POST /signup": captcha(signUp),
    "POST /token": (service, call) =>
      (GRANTS_WITHOUT_CAPTCHA.includes(call.query.get("grant_type") ?? "") ? token : captcha(token))(service, call),
    "POST /otp": captcha(otp),
    "POST /magiclink": captcha(otp),
    "POST /recover": captcha(recover),
    "POST /resend": captcha(resend),
    "POST /verify": verify.byCode,
    "GET /verify": verify.byLink,
    "GET /user": getUser,
    "PUT /user": updateUser,
    "POST /logout": logout,
    "POST /invite": admin(invite),
    "POST /admin/generate_link": admin(generateLink),
    "GET /admin/users": admin(listUsers),
    "POST /admin/users": admin(adminCreateUser),
    "GET /admin/users/:id": admin(adminGetUser),
    "PUT /admin/users/:id": admin(adminUpdateUser),
    "DELETE /admin/users/:id": admin(adminDeleteUser),
  };

  return async (request) => {
    if (request.method === "OPTIONS") return withCors(request, new Response(null, { status: 204 }));
    try {
      const url = new URL(request.url), path = url.pathname.slice("/auth/v1".length);
      const keyless = path === "/verify" || path.startsWith("/.well-known/");
      const rejection = keyless ? undefined : rejectApiKey(request, url.searchParams, keys);
      if (rejection) return withCors(request, rejection);
      const route = routes[`${request.method} ${path.replace(/^(\/admin\/users\/)[^/]+$/, "$1:id")}`];
      if (!route) return withCors(request, new Response("404 page not found\n", { status: 404 }));
      const reply = await route(service, await read(service, request, url.searchParams));
      return withCors(request, reply instanceof Response ? reply : Response.json(reply));
    } catch (error) {
      return withCors(request, errorResponse(error, request));
    }
  };
}

/** Rejects a call without one of the project's two keys, as the gateway does. */
function rejectApiKey(request: Request, query: URLSearchParams, keys: AuthOptions["keys"]): Response | undefined {
  const key = request.headers.get("apikey") ?? query.get("apikey");
  if (key === keys.publishable || key === keys.secret) return undefined;
  return key
    ? Response.json({ message: "Invalid API key", hint: "Double check your API key." }, { status: 401 })
    : Response.json({
      message: "No API key found in request",
      hint: "No `apikey` request header or url param was found.",
    }, { status: 401 });
}

async function read(service: Service, request: Request, query: URLSearchParams): Promise<Call> {
  const { headers } = request;
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  // A call without a token has the rights of its key
  const claims = await service.tokens.claims(bearer ?? headers.get("apikey")).catch(() => undefined);
  return {
    request,
    body: await readBody(request),
    query,
    redirectTo: allowedRedirect(service.settings, query.get("redirect_to"), headers.get("referer")),
    client: headers.get("x-forwarded-for")?.split(",")[0].trim() || "127.0.0.1",
    isAdmin: claims?.role === "service_role",
  };
}

async function readBody(request: Request): Promise<Json> {
  try {
    const text = await readText(request);
    if (!text) return {};
    const body = parseJson(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Json;
  } catch (error) {
    if (error instanceof TooLarge) return fail(413, "request_too_large", "Request body too large");
  }
  return fail(400, "bad_json", "Could not parse request body as JSON");
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
