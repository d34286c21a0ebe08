/** Derives the OpenAPI 3.1 document from what routes declare (describe_route.ts). */
import { z } from "zod";
import { ErrorEnvelope, NoFields } from "../../types/envelope.ts";
import { declarationOf, type RegisteredHandler, type RouteDeclaration } from "./describe_route.ts";

export interface DeclaredRoute extends RouteDeclaration {
  method: string;
  /** Under `<project>/functions/v1`, with parameters in braces. */
  path: string;
}

/** One route per method and path, with what its handlers and the middleware before them declare. */
export function declaredRoutes(handlers: RegisteredHandler[]): DeclaredRoute[] {
  const middleware: { prefix: string; declaration: Partial<RouteDeclaration> }[] = [];
  const routes = new Map<string, Partial<DeclaredRoute>>();
  for (const { method, path, handler } of handlers) {
    const declaration = declarationOf(handler);
    if (method === "ALL") {
      if (declaration) middleware.push({ prefix: path.replace(/\*$/, ""), declaration });
      continue;
    }
    const key = `${method} ${path}`;
    const inherited = middleware.filter(({ prefix }) => `${path}/`.startsWith(prefix)).map((one) => one.declaration);
    const known = routes.get(key) ?? Object.assign({}, ...inherited, { method, path: openApiPath(path) });
    routes.set(key, Object.assign(known, declaration));
  }
  return [...routes].map(([key, route]) => {
    if (!isDescribed(route)) throw new Error(`${key} has no describeRoute()`);
    return route;
  });
}

const isDescribed = (route: Partial<DeclaredRoute>): route is DeclaredRoute => route.operationId !== undefined;

/** `/feeds/:slug{[^/]+\.xml}` → `/feeds/{slug}.xml` */
const openApiPath = (path: string) => path.replaceAll(/:(\w+)(?:\{.*?(?:\\(\.\w+))?\})?/g, "{$1}$2");

/** Declared errors, and those that follow from the other declarations. Routes without a body read one to reject fields. */
function errorStatuses(
  { errors = [], security, isPublicRead, param, query, json, bodyTypes }: RouteDeclaration,
): number[] {
  const hasBody = json || bodyTypes;
  return [
    ...new Set([
      ...errors,
      ...security ? [401] : [],
      ...param || query || hasBody ? [400] : [],
      ...security || isPublicRead || hasBody ? [503] : [],
      ...hasBody ? [408] : [],
      ...json ? [413] : [],
    ]),
  ].sort();
}

/** Schemas with an id become components; all others are written inline. */
export function openApiDocument(routes: DeclaredRoute[]) {
  const components: Record<string, unknown> = {};

  function schema(type: z.ZodType, io: "input" | "output") {
    const jsonSchema = z.toJSONSchema(type, {
      io,
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => {
        simplifySchema(jsonSchema);
        // zod leaves default values of schemas with a transform out of the schema of their input
        const { default: value } = z.globalRegistry.get(zodSchema) ?? {};
        if (value !== undefined) jsonSchema.default = value as typeof jsonSchema.default;
      },
    });
    // zod refers to its own $defs; in a document they are components
    const { $schema: _, $defs, ...rest } = JSON.parse(
      JSON.stringify(jsonSchema).replaceAll('"#/$defs/', `"${COMPONENTS}`),
    );
    Object.assign(components, $defs);
    return rest;
  }

  function parameters(location: "path" | "query" | "header", type?: z.ZodType) {
    if (!type) return [];
    const { properties = {}, required = [] } = schema(type, "input");
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      in: location,
      required: required.includes(name),
      schema,
    }));
  }

  function requestBody({ json, bodyTypes }: RouteDeclaration) {
    if (bodyTypes) return { required: true, content: Object.fromEntries(bodyTypes.map((type) => [type, {}])) };
    if (!json || json === NoFields) return;
    const required = !json.safeParse(undefined).success;
    return { required, content: { "application/json": { schema: schema(json, "input") } } };
  }

  const error = { "application/json": { schema: schema(ErrorEnvelope, "output") } };

  function responses(route: RouteDeclaration) {
    const { status = 200, response = z.string(), responseType = "application/json", hasEtag, isRedirect } = route;
    const success = {
      description: "OK",
      ...hasEtag && { headers: { etag: ETAG } },
      content: { [responseType]: { schema: schema(response, "output") } },
    };
    return {
      ...Object.fromEntries([status].flat().map((status) => [status, status === 302 ? FOUND : success])),
      ...isRedirect && { 301: { description: "Moved permanently", headers: { location: LOCATION } } },
      ...hasEtag && { 304: { description: "Not modified", headers: { etag: ETAG } } },
      ...Object.fromEntries(
        errorStatuses(route).map((status) => [status, { description: STATUS_DESCRIPTIONS[status], content: error }]),
      ),
    };
  }

  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, ...route } of routes) {
    const body = requestBody(route);
    (paths[path] ??= {})[method.toLowerCase()] = {
      operationId: route.operationId,
      summary: route.summary,
      ...route.description && { description: route.description },
      security: route.security ? [{ [route.security]: [] }, ...route.isLoginOptional ? [{}] : []] : [],
      parameters: [
        ...parameters("path", route.param),
        ...parameters("query", route.query),
        ...parameters("header", route.headers),
      ],
      ...body && { requestBody: body },
      responses: responses(route),
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Castbase", version: "1" },
    servers: [{ url: "/functions/v1" }],
    paths,
    components: {
      securitySchemes: {
        user: { type: "http", scheme: "bearer", description: "Access token of a signed-in user" },
        worker: { type: "http", scheme: "bearer", description: "Shared secret between database and worker" },
      },
      schemas: components,
    },
  };
}

const ETAG = { schema: { type: "string" } };
const LOCATION = { schema: { type: "string", format: "uri" } };
const FOUND = { description: "Found", headers: { location: LOCATION } };
const COMPONENTS = "#/components/schemas/";

/** Removes what adds nothing (the pattern of a format) and what is not true (responses may get more members). */
function simplifySchema(schema: z.core.JSONSchema.BaseSchema) {
  if (schema.format || schema.type === "integer") delete schema.pattern;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}

const STATUS_DESCRIPTIONS: Record<number, string> = {
  400: "A parameter, the body or its content type is invalid",
  401: "Missing or invalid token",
  403: "The role, the paid plan or the account is missing",
  404: "Not found",
  408: "Request body or upstream timed out",
  409: "Conflicts with the current state, or exceeds the storage allowance",
  410: "The podcast was deleted",
  413: "The body is too large",
  422: "Valid request, but the resource's state does not allow it",
  429: "Rate limit exceeded",
  500: "Internal server error",
  501: "The format is not supported",
  503: "Temporarily unavailable",
  504: "Upstream timed out",
};
