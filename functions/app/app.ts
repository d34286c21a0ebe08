/**
 * What every edge function is made of: routers per resource, put together into one `{ fetch }` that answers preflight,
 * unknown routes and wrong methods, turns errors into the envelope, and writes one log line per request.
 */
import { Hono, type MiddlewareHandler } from "hono";
import { callerOf } from "./auth.ts";
import { letPass } from "./request_body.ts";
import { anyone, as, type Db, publicReads, type Reads } from "../database/db.ts";
import { letGo } from "./body_memory.ts";
import { type Refused, refused } from "./errors.ts";

/** What a request carries for its log line. `user` is known once the token is verified. */
interface Bindings {
  requestId: string;
  user?: string;
  /** Our fault: logged with its stack. */
  failure?: unknown;
  /** What is behind a refusal that is none of ours: logged in its own words. */
  cause?: unknown;
}

export interface AppEnv {
  Bindings: Bindings;
  /**
   * `db` is the caller: what it runs, runs as them. A public read has `reads` instead. `errorPage` shows errors to a
   * client that asks for a page.
   */
  Variables: { db: Db; reads: Reads; userId: string; errorPage?: (error: Refused) => Response | Promise<Response> };
}

/** A router for signed-in callers: without a valid token every route of it is a 401. */
export const router = () => new Hono<AppEnv>().use(signedIn);

/** A part of a router that is spread over files; what it is mounted on sees to the login. */
export const part = () => new Hono<AppEnv>();

/** A router that needs no login: it ignores an Authorization header, whatever is in it. */
export const openRouter = () => new Hono<AppEnv>().use(stranger);

/** A router of public reads: their time with the database is limited. They ignore an Authorization header too. */
export const readRouter = () => new Hono<AppEnv>().use(reader);

const signedIn: MiddlewareHandler<AppEnv> = async (c, next) => {
  const caller = await callerOf(c.req.raw);
  c.env.user = caller.id;
  c.set("userId", caller.id);
  c.set("db", as(caller.claims));
  await next();
};

const stranger: MiddlewareHandler<AppEnv> = (c, next) => {
  c.set("db", anyone);
  return next();
};

const reader: MiddlewareHandler<AppEnv> = (c, next) => {
  c.set("reads", publicReads());
  return next();
};

/** The edge function `name`, with its routers by path: `{ '/media': media }` answers /name/media/…. */
export function edgeFunction(name: string, routers: Record<string, Hono<AppEnv>>) {
  const app = new Hono<AppEnv>({ strict: false }); // a trailing slash makes no difference
  for (const [path, router] of Object.entries(routers)) app.route(`/${name}${path}`, router);

  /** The methods that have a route at this path, as Hono reads it; middleware (registered for ALL) is none. */
  function methodsAt(path: string): string[] {
    const found = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) =>
      app.router.match(method, path)[0].some(([[, route]]) => route.method === method)
    );
    if (found.length === 0) return [];
    return [...found, ...found.includes("GET") ? ["HEAD"] : [], "OPTIONS"];
  }

  function noRoute(method: string, path: string): Refused | undefined {
    const methods = methodsAt(path);
    if (methods.length === 0) return { status: 404, body: { error: "No such route" }, internal: false };
    if (methods.includes(method)) return;
    const allow = methods.join(", ");
    return { status: 405, body: { error: "Method not allowed" }, headers: { allow }, internal: false };
  }

  app.notFound((c) => (c.get("errorPage") ?? envelope)(noRoute(c.req.method, c.req.path)!));
  app.onError((error, c) => {
    // Someone without a token learns first of all that there is no such route, or no such method
    const refusal = noRoute(c.req.method, c.req.path) ??
      refused(error, { requestId: c.env.requestId, signedIn: !!c.env.user });
    if (refusal.internal) c.env.failure = error;
    else c.env.cause = error.cause;
    return (c.get("errorPage") ?? envelope)(refusal);
  });

  async function answered(request: Request, bindings: Bindings): Promise<Response> {
    try {
      const isTooLong = request.url.length > MAX_URL_LENGTH;
      const response = isTooLong ? envelope(urlTooLong) : await app.fetch(request, bindings);
      if (response.status >= 400) await letPass(request);
      return response;
    } finally {
      letGo(request);
    }
  }

  return {
    /** What it answers, for whoever checks the OpenAPI document. */
    routes: app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => ({ method, path })),
    async fetch(request: Request): Promise<Response> {
      const began = performance.now();
      const bindings: Bindings = { requestId: crypto.randomUUID() };
      const path = new URL(request.url).pathname.slice(0, MAX_URL_LENGTH);
      const response = request.method === "OPTIONS"
        ? preflight(methodsAt(app.getPath(request)))
        : await answered(request, bindings);
      response.headers.set("access-control-allow-origin", "*");
      response.headers.set("access-control-expose-headers", EXPOSED);
      response.headers.set("x-request-id", bindings.requestId);
      log({ function: name, method: request.method, path, status: response.status, began }, bindings);
      return response;
    },
  };
}

/** Longer ones are rejected before a route reads them; a gateway in front usually takes no more. */
const MAX_URL_LENGTH = 8192;
const urlTooLong: Refused = { status: 414, body: { error: "Request URL too long" }, internal: false };

const EXPOSED = "age, allow, content-disposition, etag, last-modified, retry-after, warning, x-request-id";
// supabase-js sends x-retry-count and x-region, and the W3C's tracing headers when a page traces
const ASKABLE = "authorization, apikey, baggage, content-type, if-modified-since, if-none-match, range, traceparent, " +
  "tracestate, x-client-info, x-region, x-retry-count";

/** Preflight. A path without routes lets every method through, so that the browser shows its 404 and no CORS error. */
function preflight(methods: string[]): Response {
  const allowed = (methods.length ? methods : ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).join(", ");
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": allowed,
      "access-control-allow-headers": ASKABLE,
      "access-control-max-age": "86400",
      ...methods.length && { allow: allowed },
    },
  });
}

const envelope = ({ status, body, headers }: Refused) => Response.json(body, { status, headers });

interface Line {
  function: string;
  method: string;
  path: string;
  status: number;
  began: number;
}

/** One line of JSON per request. Never the query, a header or a body: tokens travel there. */
function log({ began, ...line }: Line, { requestId, user, failure, cause }: Bindings) {
  const ms = Math.round((performance.now() - began) * 10) / 10;
  const said = { ...line, ms, requestId, user };
  if (!failure) return console.log(JSON.stringify({ ...said, cause: inWords(cause) }));
  const error = failure instanceof Error ? failure : { stack: String(failure), cause: undefined };
  console.error(JSON.stringify({ ...said, failure: error.stack, cause: inWords(error.cause) }));
}

const inWords = (cause: unknown) => cause === undefined ? undefined : String(cause);
