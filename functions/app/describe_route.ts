/** A route's declaration beside its handler. openapi.ts derives the OpenAPI document from it. */
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";

export interface RouteDescription {
  /** camelCase name of the SQL function that the route calls, if it calls one. */
  operationId: string;
  summary: string;
  description?: string;
  /** The schema of a JSON response. */
  response?: z.ZodType;
  /** Media types of the response, if they are not JSON alone. */
  responseType?: string | string[];
  /** Status of success, if it is not 200 alone. */
  status?: number | number[];
  /** Besides 401 of routes that need a token, 503, and the statuses of invalid parameters and bodies. */
  errors?: number[];
  /** The response has an ETag, and If-None-Match returns 304. */
  hasEtag?: true;
  /** The response may also be a 301 with a Location, and with the same body or an error. */
  isRedirect?: true;
  /** Errors may be HTML pages. */
  hasErrorPage?: true;
  /** Request headers, by their names in lower case. */
  headers?: z.ZodType;
  /** Media types of a body that the route reads itself. */
  bodyTypes?: readonly string[];
  /** The schema of such a body, if it is not a file. The route may accept others. */
  body?: z.ZodType;
}

/** The declarations of all handlers of a route. */
export interface RouteDeclaration extends RouteDescription {
  /** The token that the route requires: a user's, or the secret of the worker or of monitoring. */
  security?: "user" | "worker" | "monitoring";
  /** Callers without a login are accepted too. */
  isLoginOptional?: true;
  /** The route reads from the database in limited time, and is 503 without it. */
  isPublicRead?: true;
  param?: z.ZodType;
  query?: z.ZodType;
  json?: z.ZodType;
}

/** A handler of a route or middleware, as Hono lists them in order of registration. */
export interface RegisteredHandler {
  method: string;
  path: string;
  handler: object;
}

/** Of all routes: longer URLs are rejected before a route reads them; few gateways accept longer ones. */
export const MAX_URL_LENGTH = 8192;

const declarations = new WeakMap<object, Partial<RouteDeclaration>>();

/** Attaches a declaration to a handler. */
export function declare<T extends object>(handler: T, declaration: Partial<RouteDeclaration>): T {
  declarations.set(handler, declaration);
  return handler;
}

export const declarationOf = (handler: object): Partial<RouteDeclaration> | undefined => declarations.get(handler);

/** Middleware that describes its route. It does nothing at run time. */
export function describeRoute(description: RouteDescription): MiddlewareHandler {
  return declare((_, next) => next(), description);
}
