/**
 * The frame of every edge function. Routers per resource become one `{ fetch }`, which handles preflight requests,
 * unknown routes and wrong methods, turns errors into the envelope, and logs one line per request.
 */
import { Hono, type MiddlewareHandler } from "hono";
import { declare, MAX_URL_LENGTH, type RegisteredHandler } from "./describe_route.ts";
import { authenticate, isAnonymous } from "./auth.ts";
import { drainBody } from "./request_body.ts";
import { anonymousDb, type Db, dbFrom, type PublicReads, startPublicReads } from "../database/db.ts";
import { release, setCaller } from "./body_memory.ts";
import { clientAddress } from "./client_address.ts";
import { type ErrorResponse, toErrorResponse } from "./errors.ts";
import { UNCACHEABLE } from "../runtime/api_error.ts";
import type { Staleness } from "./stale_copies.ts";
import { VERSION } from "../runtime/product_version.ts";
import { describeCause, logError, logInfo, logWarning, withLogContext } from "../runtime/log.ts";

const { performance } = globalThis; // see runtime/start_time_limit.ts

/** Values for the request's log line. `user` is set once the token is verified. */
interface Bindings {
  requestId: string;
  user?: string;
  /** An internal error; the log has its stack. */
  unexpectedError?: unknown;
  /** The cause of any other error; the log has its text. */
  cause?: unknown;
}

export interface AppEnv {
  Bindings: Bindings;
  /**
   * `db` runs calls as the caller; public reads have `reads` instead. `staleness` is that of the oldest copy that a page
   * shows. `errorPage` renders errors for clients that prefer HTML.
   */
  Variables: {
    db: Db;
    reads: PublicReads;
    userId: string;
    staleness?: Staleness;
    errorPage?: (error: ErrorResponse) => Response | Promise<Response>;
  };
}

/** What a router is made of, in the order in which paths match: operations, and routers of hand-written routes. */
type Parts = Hono<AppEnv>[];

/** A router for signed-in callers: requests without a valid token get 401. */
export const authenticatedRouter = (parts?: Parts) => routerOf(parts, requireUser);

/** A router for callers with or without a login: without a token they are anonymous, and an invalid one gets 401. */
export const optionalUserRouter = (parts?: Parts) => routerOf(parts, optionalUser);

/** A part of a router. The router that mounts it authenticates. */
export const subRouter = (parts?: Parts) => routerOf(parts);

/** A router without authentication; it ignores the Authorization header. */
export const publicRouter = (parts?: Parts) => routerOf(parts, anonymous);

/** A router of public reads: limits their time with the database, and ignores the Authorization header. */
export const publicReadRouter = (parts?: Parts) => routerOf(parts, publicReader);

function routerOf(parts: Parts = [], ...middleware: MiddlewareHandler<AppEnv>[]): Hono<AppEnv> {
  const router = new Hono<AppEnv>();
  for (const handler of middleware) router.use(handler);
  for (const part of parts) router.route("/", part);
  return router;
}

const requireUser: MiddlewareHandler<AppEnv> = declare(async (c, next) => {
  const caller = await authenticate(c.req.raw);
  c.env.user = caller.id;
  setCaller(c.req.raw, caller.id);
  c.set("userId", caller.id);
  c.set("db", dbFrom(clientAddress(c.req.raw), caller.claims, caller.id));
  await next();
}, { security: "user" });

const anonymous: MiddlewareHandler<AppEnv> = (c, next) => {
  c.set("db", anonymousDb);
  return next();
};

/** Accepts callers with or without a login; the database limits those without an account by their address. */
export const optionalUser: MiddlewareHandler<AppEnv> = declare(async (c, next) => {
  const address = clientAddress(c.req.raw);
  if (isAnonymous(c.req.raw)) {
    c.set("db", dbFrom(address));
  } else {
    const caller = await authenticate(c.req.raw);
    c.env.user = caller.id;
    setCaller(c.req.raw, caller.id);
    c.set("userId", caller.id);
    c.set("db", dbFrom(address, caller.claims, caller.id));
  }
  await next();
}, { security: "user", isLoginOptional: true });

const publicReader: MiddlewareHandler<AppEnv> = declare((c, next) => {
  c.set("reads", startPublicReads());
  return next();
}, { isPublicRead: true });

export interface EdgeFunction {
  /** Every registered handler; the OpenAPI document derives from what they declare. */
  handlers: RegisteredHandler[];
  fetch(request: Request): Promise<Response>;
}

/** Builds the edge function `name` from routers: `["/media", media]` serves /name/media/…; a path may have several. */
export function edgeFunction(name: string, routers: [path: string, router: Hono<AppEnv>][]): EdgeFunction {
  const app = new Hono<AppEnv>({ strict: false }); // a trailing slash makes no difference
  app.use((c, next) => {
    const { method, path } = c.req;
    const routes = c.req.matchedRoutes.filter((route) => route.method === method);
    if (!routes.some((route) => holdsLiteral(route.path, path))) return next();
    const error = routingError(method, path);
    return error ? Promise.resolve(sendError(error)) : next();
  });
  for (const [path, router] of routers) app.route(`/${name}${path}`, router);

  let siblings: ReturnType<typeof literalSiblings> | undefined;

  /**
   * Whether a parameter of a route holds what another route has in its place. Such a segment is never an id:
   * /templates/preview is not the template "preview", for any method.
   */
  function holdsLiteral(route: string, path: string): boolean {
    siblings ??= literalSiblings(app.routes.filter(({ method }) => method !== "ALL").map(({ path }) => path));
    const places = siblings.get(route);
    if (!places) return false;
    const segments = path.split("/");
    return places.some(({ index, literals }) => literals.has(segments[index]));
  }

  /** Hono registers middleware for ALL, which does not count. */
  const hasRoute = (method: string, path: string) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method && !holdsLiteral(route.path, path));

  /** Methods with a route at this path. */
  function methodsAt(path: string): string[] {
    const found = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => hasRoute(method, path));
    if (found.length === 0) return [];
    return [...found, ...found.includes("GET") ? ["HEAD"] : [], "OPTIONS"];
  }

  function routingError(method: string, path: string): ErrorResponse | undefined {
    const methods = methodsAt(path);
    if (methods.length === 0) return { status: 404, body: { error: "Route not found" }, isInternal: false };
    if (methods.includes(method)) return;
    const allow = methods.join(", ");
    return { status: 405, body: { error: "Method not allowed" }, headers: { allow }, isInternal: false };
  }

  app.notFound((c) => (c.get("errorPage") ?? sendError)(routingError(c.req.method, c.req.path)!));
  app.onError((error, c) => {
    // Routing errors take precedence, so that callers without a token get 404 or 405 as well
    const response = routingError(c.req.method, c.req.path) ??
      toErrorResponse(error, { requestId: c.env.requestId, isSignedIn: !!c.env.user });
    if (response.isInternal) c.env.unexpectedError = error;
    else c.env.cause = error.cause;
    return (c.get("errorPage") ?? sendError)(response);
  });

  async function handle(request: Request, bindings: Bindings): Promise<Response> {
    try {
      const rejection = rejectUrl(request);
      const response = rejection ? sendError(rejection) : await app.fetch(request, bindings);
      if (response.status >= 400) await drainBody(request);
      return response;
    } finally {
      release(request);
    }
  }

  async function respond(request: Request, bindings: Bindings): Promise<Response> {
    const startedAt = performance.now();
    const path = pathOf(request.url);
    const response = request.method === "OPTIONS"
      ? preflight(methodsAt(app.getPath(request)))
      : await handle(request, bindings);
    response.headers.set("access-control-allow-origin", "*");
    response.headers.set("access-control-expose-headers", EXPOSED_HEADERS);
    response.headers.set("x-castbase-version", VERSION);
    response.headers.set("x-content-type-options", "nosniff");
    response.headers.set("x-request-id", bindings.requestId);
    logRequest(request.method, path, response.status, performance.now() - startedAt, bindings);
    return response;
  }

  return {
    handlers: app.routes,
    fetch(request: Request): Promise<Response> {
      const requestId = crypto.randomUUID();
      return withLogContext({ function: name, request_id: requestId }, () => respond(request, { requestId }));
    },
  };
}

/** Of routes that have parameters where others have literals: the places of these, by the path of the route. */
function literalSiblings(paths: string[]): Map<string, { index: number; literals: Set<string> }[]> {
  const isParameter = (segment: string) => segment.startsWith(":");
  const routes = paths.map((path) => ({ path, segments: path.replaceAll(/\{[^}]*\}/g, "").split("/") }));
  const placeOf = (segments: string[], index: number) =>
    segments.slice(0, index).map((segment) => isParameter(segment) ? ":" : segment).join("/");
  const literals = new Map<string, Set<string>>();
  for (const { segments } of routes) {
    segments.forEach((segment, index) => {
      if (isParameter(segment)) return;
      const place = placeOf(segments, index);
      literals.set(place, (literals.get(place) ?? new Set()).add(segment));
    });
  }
  const withSiblings = routes.map(({ path, segments }) => {
    const places = segments.flatMap((segment, index) => {
      const found = isParameter(segment) && literals.get(placeOf(segments, index));
      return found ? [{ index, literals: found }] : [];
    });
    return [path, places] as const;
  });
  return new Map(withSiblings.filter(([, places]) => places.length > 0));
}

const URL_TOO_LONG: ErrorResponse = { status: 414, body: { error: "Request URL too long" }, isInternal: false };
const INVALID_HOST: ErrorResponse = {
  status: 400,
  body: { error: "Invalid Host header", details: "must be one host name or address, with or without a port" },
  isInternal: false,
};

/** The last accepted Host with its origin: nearly all requests have the same ones. */
let acceptedHost = "";

/** The error of a URL that no route may read: the server builds it from the Host header, which it does not check. */
function rejectUrl({ url, headers }: Request): ErrorResponse | undefined {
  if (url.length > MAX_URL_LENGTH) return URL_TOO_LONG;
  const header = headers.get("host") ?? "", host = `${header} ${url.slice(0, url.indexOf("/", "https://".length))}`;
  if (host === acceptedHost) return;
  if (/[\s,/?#@\\]/.test(header) || !URL.canParse(url)) return INVALID_HOST;
  acceptedHost = host;
}

const EXPOSED_HEADERS =
  "age, allow, content-disposition, etag, last-modified, link, retry-after, warning, x-castbase-version, x-request-id";
// supabase-js sends x-retry-count, x-region and, on traced pages, the W3C tracing headers
const ALLOWED_HEADERS =
  "authorization, apikey, baggage, content-type, idempotency-key, if-match, if-modified-since, if-none-match, " +
  "if-unmodified-since, range, traceparent, tracestate, x-client-info, x-region, x-retry-count";

/**
 * Answers preflight. A path without routes allows every method, so that the browser shows its 404 and no CORS error.
 */
function preflight(methods: string[]): Response {
  const allowed = (methods.length ? methods : ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).join(", ");
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": allowed,
      "access-control-allow-headers": ALLOWED_HEADERS,
      "access-control-max-age": "86400",
      ...methods.length && { allow: allowed },
    },
  });
}

const sendError = ({ status, body, headers }: ErrorResponse) =>
  Response.json(body, { status, headers: { "cache-control": UNCACHEABLE, ...headers } });

/** One line per request. */
function logRequest(
  method: string,
  path: string,
  status: number,
  ms: number,
  { user, unexpectedError, cause }: Bindings,
) {
  const line = { method, path: withoutToken(path), status, ms: Math.round(ms * 10) / 10, user };
  if (unexpectedError) logError({ ...line, error: unexpectedError });
  else (status < 500 ? logInfo : logWarning)({ ...line, cause: describeCause(cause) });
}

/** Cut out of the URL as the client sent it: parsing it would cost as much as routing the request. */
function pathOf(url: string): string {
  const start = url.indexOf("/", "https://".length), end = url.indexOf("?", start);
  return url.slice(start, end < 0 ? start + MAX_URL_LENGTH : Math.min(end, start + MAX_URL_LENGTH));
}

/** Tokens of emails are in paths and act without a login, so that the log contains none. */
const withoutToken = (path: string) => path.replace(/(\/email\/\w+\/)[^/]+/, "$1…");
