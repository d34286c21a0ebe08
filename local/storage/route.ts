// An entry of the service's route table.
import type { Access, AuthenticatedCaller } from "./authentication.ts";
import type { RequestBody } from "./request_body.ts";
import type { Server as TusServer } from "@tus/server";
import type { Schema } from "./schema.ts";
import type { Signing } from "./signing.ts";
import type { Service } from "./upload.ts";

/** The dependencies and the request of a route. */
export interface RequestContext<Input = unknown> extends Service {
  request: Request;
  body: RequestBody;
  url: URL;
  /** The query parameters, converted by the route's schema. */
  query: Record<string, unknown>;
  /** The JSON body, converted by the route's schema. */
  input: Input;
  bucket: string;
  key: string;
  caller: AuthenticatedCaller;
  signing: Signing;
  tus: TusServer;
}

interface RouteOptions {
  query?: Schema;
  /** The schema of the JSON body. */
  json?: Schema;
  /** The route accepts an empty JSON body. */
  allowsEmptyJson?: boolean;
  /** The route reads the body itself. */
  streams?: boolean;
  /** GET routes respond to HEAD, except those that another route does. */
  hasNoHead?: boolean;
}

export interface Route extends RouteOptions {
  method: string;
  pattern: RegExp;
  operation: string;
  access: Access;
  /** Returns a Response, or a value that becomes JSON. */
  run(context: RequestContext): Promise<unknown>;
}

/** In `path`, `:b` is a bucket and `*` a key with its slashes. */
export function handle<Input>(
  method: string,
  path: string,
  operation: string,
  access: Access,
  run: (context: RequestContext<Input>) => Promise<unknown>,
  options: RouteOptions = {},
): Route {
  const pattern = path.replace(":b", "(?<bucket>[^/]+)").replace("*", "(?<key>.*)");
  return { method, pattern: new RegExp(`^${pattern}$`), operation, access, run: run as Route["run"], ...options };
}

/** Finds the first route that fits; for HEAD also one for GET. */
export function findRoute(routes: Route[], method: string, path: string): Route | undefined {
  const fits = (route: Route) =>
    route.method === method || method === "HEAD" && route.method === "GET" && !route.hasNoHead;
  return routes.find((route) => fits(route) && route.pattern.test(path));
}
