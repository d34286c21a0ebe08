/** Derives the OpenAPI 3.1 document from what routes declare (describe_route.ts). */
import { z } from "zod";
import { ErrorEnvelope, NoFields } from "../../types/envelope.ts";
import { declarationOf, type RegisteredHandler, type RouteDeclaration } from "./describe_route.ts";
import { DOCUMENTED_ERRORS } from "./documented_errors.ts";
import { VERSION } from "../runtime/product_version.ts";

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
    if (!isDescribed(route)) throw new Error(`${key} has neither operation() nor describeRoute()`);
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
      414,
      ...errors,
      ...security ? [401] : [],
      ...param || query || hasBody ? [400] : [],
      ...security || isPublicRead || hasBody ? [503] : [],
      ...hasBody ? [408] : [],
      ...json ? [413] : [],
    ]),
  ].sort();
}

/** What a document says besides its routes. */
export interface DocumentFacts {
  title: string;
  description: string;
  /** Removed from the paths of routes: `/public`. */
  pathPrefix?: string;
  /** Descriptions of tags. The tag of a route is the first segment of its path that is one. */
  tags: Record<string, string>;
  /** The tag of the path /. */
  rootTag?: string;
}

/** Without `serverUrl` the document has no servers. Schemas with an id become components; others are inline. */
export function openApiDocument(routes: DeclaredRoute[], facts: DocumentFacts, serverUrl?: string) {
  const components: Record<string, unknown> = {};

  function schema(type: z.ZodType, io: "input" | "output") {
    const jsonSchema = z.toJSONSchema(type, {
      io,
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => {
        simplifySchema(jsonSchema);
        // clients must ignore members that responses get later
        if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        // zod leaves default values of schemas with a transform out of the schema of their input
        const { default: value } = z.globalRegistry.get(zodSchema) ?? {};
        if (value !== undefined) jsonSchema.default = value as typeof jsonSchema.default;
      },
    });
    // zod refers to its own $defs; in a document they are components
    const { $schema: _, $defs, ...rest } = JSON.parse(
      JSON.stringify(jsonSchema).replaceAll('"#/$defs/', `"#/components/schemas/`),
    );
    for (const [name, component] of Object.entries($defs ?? {})) {
      if (JSON.stringify(components[name] ?? component) !== JSON.stringify(component)) {
        throw new Error(`${name} is a schema of requests and another one of responses`);
      }
      components[name] = component;
    }
    return rest;
  }

  function parameters(location: "path" | "query" | "header", type?: z.ZodType) {
    if (!type) return [];
    const { properties = {}, required = [] } = schema(type, "input");
    return Object.entries<{ description?: string }>(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: location,
      required: required.includes(name),
      ...description && { description },
      schema,
    }));
  }

  function requestBody({ json, bodyTypes, body }: RouteDeclaration) {
    if (bodyTypes) {
      const media = { schema: body ? schema(body, "input") : FILE };
      return { required: true, content: Object.fromEntries(bodyTypes.map((type) => [type, media])) };
    }
    if (!json || json === NoFields) return;
    const required = !json.safeParse(undefined).success;
    return { required, content: { "application/json": { schema: schema(json, "input") } } };
  }

  const errors: Record<string, unknown> = {};

  /** A reference to the response of an error, which many operations share. */
  function errorResponse(status: number, { hasErrorPage }: RouteDeclaration) {
    const isPage = hasErrorPage && status !== 414; // no route has read the URL
    const name = isPage ? `${status}OrPage` : `${status}`;
    const { description, example } = DOCUMENTED_ERRORS[status];
    errors[name] ??= {
      description,
      ...[429, 503].includes(status) && { headers: { "retry-after": RETRY_AFTER } },
      content: {
        "application/json": { schema: schema(ErrorEnvelope, "output"), example },
        ...isPage && { "text/html": { schema: { type: "string" } } },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  function content(type: string, response?: z.ZodType) {
    if (response && /\bjson\b/.test(type)) return { schema: schema(response, "output") };
    return { schema: type.startsWith("image/") ? FILE : { type: "string" } };
  }

  function responses(route: RouteDeclaration) {
    const { status = 200, response, responseType = "application/json", hasEtag, isRedirect, security } = route;
    const headers = { etag: ETAG, "cache-control": CACHE_CONTROL, ...!security && { vary: VARY } };
    const success = {
      ...hasEtag && { headers },
      content: Object.fromEntries([responseType].flat().map((type) => [type, content(type, response)])),
    };
    return {
      ...Object.fromEntries(
        [status].flat().map((
          status,
        ) => [status, status === 302 ? FOUND : { description: SUCCESSES[status], ...success }]),
      ),
      ...isRedirect && {
        301: {
          description: "Moved permanently; the body is the same, or without a document an error",
          headers: { location: LOCATION },
          content: { ...success.content, "application/json": { schema: schema(ErrorEnvelope, "output") } },
        },
      },
      ...hasEtag && { 304: { description: "Not modified", headers } },
      ...Object.fromEntries(errorStatuses(route).map((status) => [status, errorResponse(status, route)])),
    };
  }

  const paths: Record<string, Record<string, unknown>> = {};
  const tags = new Set<string>(), securitySchemes: Record<string, unknown> = {};
  for (const { method, path: fullPath, ...route } of routes) {
    const path = fullPath.slice((facts.pathPrefix ?? "").length) || "/";
    const tag = path === "/" ? facts.rootTag : path.split("/").find((segment) => segment in facts.tags);
    if (!tag) throw new Error(`${path} has no tag`);
    tags.add(tag);
    if (route.security) securitySchemes[route.security] = SECURITY_SCHEMES[route.security];
    const body = requestBody(route);
    (paths[path] ??= {})[method.toLowerCase()] = {
      operationId: route.operationId,
      summary: route.summary,
      ...route.description && { description: route.description },
      tags: [tag],
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
    info: { title: facts.title, version: VERSION, description: `${facts.description}\n${CONVENTIONS}` },
    ...serverUrl && { servers: [{ url: serverUrl }] },
    tags: Object.entries(facts.tags).filter(([name]) => tags.has(name)).map(([name, description]) => ({
      name,
      description,
    })),
    paths,
    components: {
      ...Object.keys(securitySchemes).length && { securitySchemes },
      responses: errors,
      schemas: components,
    },
  };
}

/** What does not depend on what a route declares. */
const CONVENTIONS = `- Every path may return 405 for a method that it does not have, with \`Allow\`, and 500 with a
  \`requestId\`, which the operator finds in the log.
- Formats: \`time-zone\` is a name of the IANA time zone database, \`language-tag\` a tag of BCP 47, and \`cursor\`
  opaque text of an earlier response.`;

const SECURITY_SCHEMES = {
  user: { type: "http", scheme: "bearer", description: "Access token of a signed-in user" },
  worker: { type: "http", scheme: "bearer", description: "Shared secret between database and worker" },
  monitoring: { type: "http", scheme: "bearer", description: "The secret of the operator's monitoring" },
};
const FILE = { type: "string", format: "binary" };
const SUCCESSES: Record<number, string> = { 200: "OK", 201: "Created", 202: "Accepted" };
const ETAG = { description: "For If-None-Match", schema: { type: "string" } };
const CACHE_CONTROL = { description: "How long a cache may keep the response", schema: { type: "string" } };
const VARY = { description: "Accept-Encoding", schema: { type: "string" } };
const LOCATION = { schema: { type: "string", format: "uri" } };
const FOUND = { description: "Found", headers: { location: LOCATION } };
const RETRY_AFTER = { description: "Seconds", schema: { type: "integer" } };

/** Removes what adds nothing: the pattern of a format, the bounds of JavaScript's integers. */
function simplifySchema(schema: z.core.JSONSchema.BaseSchema) {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format || schema.type === "integer") delete schema.pattern;
  nameProperties(schema);
}

/** A record of an enum has these properties; a record of strings needs no schema of its names. */
function nameProperties(schema: z.core.JSONSchema.BaseSchema) {
  const { propertyNames: names, additionalProperties: value } = schema;
  if (typeof names !== "object") return;
  if (names.enum || Object.keys(names).length === 1) delete schema.propertyNames;
  if (!names.enum) return;
  schema.properties = Object.fromEntries(names.enum.map((name) => [name, value ?? {}]));
  delete schema.additionalProperties;
}
