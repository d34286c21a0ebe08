// The OpenAPI documents of the running stack declare every response of the HTTP tests: its status, media type, headers
// and body. Bodies have no members but the documented ones, although clients must ignore others.
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "npm:ajv@8.20.0/dist/2020.js";
import addFormats from "npm:ajv-formats@3.0.1";
import { stack } from "../stack.ts";

interface Reference {
  $ref: string;
}

export interface DocumentedResponse {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: object; example?: unknown }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: { name: string; in: string; required: boolean; description?: string; schema: { default?: unknown } }[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, DocumentedResponse | Reference>;
}

export interface Document {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses: Record<string, DocumentedResponse> };
}

/** The paths of the documents below `<project>/functions/v1`, and the prefix that their paths lack. */
export const DOCUMENTS = {
  api: { path: "/api/openapi.json", prefix: "" },
  public: { path: "/public/v1/openapi.json", prefix: "/public" },
} as const;
type Name = keyof typeof DOCUMENTS;

const { functionsUrl } = await stack();
const ajv = new Ajv2020({ strict: false, validateSchema: false, inlineRefs: false });
addFormats.default(ajv);

interface Route {
  name: Name;
  document: Document;
  path: string;
  pattern: RegExp;
}

const routes = (await Promise.all(Object.keys(DOCUMENTS).map((name) => loadRoutes(name as Name)))).flat();

async function loadRoutes(name: Name): Promise<Route[]> {
  const { path, prefix } = DOCUMENTS[name];
  const response = await fetch(functionsUrl + path);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const document: Document = JSON.parse(text, closeObjects);
  ajv.addSchema(document, name);
  // "{" sorts after letters, so that a fixed segment precedes a parameter
  return Object.keys(document.paths).sort().map((path) => ({
    name,
    document,
    path,
    pattern: new RegExp(
      `^${(prefix + path).replace(/\/$/, "").replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`,
    ),
  }));
}

function closeObjects(_key: string, value: unknown): unknown {
  const schema = value as { type?: unknown; properties?: unknown; additionalProperties?: unknown } | null;
  if (schema?.type === "object" && typeof schema.properties === "object") schema.additionalProperties ??= false;
  return value;
}

/** `fetch()` of a route of the functions, on the shared stack or a test's own, that asserts the same. */
export async function fetchDocumented(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  const { pathname, search } = new URL(url);
  const path = pathname.replace(/^\/functions\/v1/, "") + search;
  assertDocumented({ method: init.method ?? "GET", path, response, text: await response.clone().text() });
  return response;
}

interface Exchange {
  method: string;
  /** Under `<project>/functions/v1`, with the query. */
  path: string;
  response: Pick<Response, "status" | "headers" | "redirected">;
  text: string;
}

/** Asserts that the documents declare a response of the functions `api` and `public`. */
export function assertDocumented({ method, path, response, text }: Exchange) {
  const { status, headers, redirected } = response;
  if (!redirected) {
    assert.equal(headers.get("x-content-type-options"), "nosniff", `${method} ${path} lets browsers guess its type`);
  }
  if (method === "OPTIONS" || !/^\/(api|public)\//.test(path)) return;
  const pathname = path.replace(/[?#].*/, "").replace(/(?<=[^/])\/$/, "");
  const candidates = routes.filter(({ pattern }) => pattern.test(pathname));
  // a fixed path is never an id
  const literal = candidates.filter(({ path }) => !path.includes("{"));
  const route = (literal.length ? literal : candidates).find(({ document, path }) =>
    documentedMethod(method) in document.paths[path]
  );
  const shown = `${method} ${route?.path ?? pathname}: ${status} ${text.slice(0, 1000)}`;
  if (!route) return assert.ok([404, 405, 414].includes(status), `${shown} is not a documented operation`);

  const { name, document } = route;
  const { responses } = document.paths[route.path][documentedMethod(method)];
  if (redirected) return assert.ok("301" in responses || "302" in responses, `${shown} has no documented redirect`);
  if (method === "HEAD" && status === 200 && "302" in responses) return; // programs that check links follow nothing
  const documented = responses[status];
  assert.ok(documented, `${shown} has a status that is not among ${Object.keys(responses)}`);
  const pointer = "$ref" in documented
    ? documented.$ref
    : `#/paths/${escape(route.path)}/${documentedMethod(method)}/responses/${status}`;
  const { content, headers: documentedHeaders = {} } = "$ref" in documented
    ? document.components.responses[documented.$ref.slice("#/components/responses/".length)]
    : documented;
  for (const header of Object.keys(documentedHeaders)) assert.ok(headers.has(header), `${shown} has no ${header}`);
  if (!content) return assert.equal(text, "", `${shown} has a body that is not documented`);
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  assert.ok(
    content[type] ?? content[type.replace(/\/.*/, "/*")],
    `${shown} has the type ${type}, not ${Object.keys(content)}`,
  );
  if (!/json/.test(type) || method === "HEAD") return;
  const validate = validatorOf(`${name}${pointer}/content/${escape(type)}/schema`);
  assert.ok(validate(JSON.parse(text)), `${shown} is not as documented: ${ajv.errorsText(validate.errors)}`);
}

const documentedMethod = (method: string) => method === "HEAD" ? "get" : method.toLowerCase();

const escape = (segment: string) => encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"));

const validators = new Map<string, ValidateFunction>();

/** Compiles the schema of an operation when a test first needs it. */
function validatorOf(reference: string): ValidateFunction {
  const validator = validators.get(reference) ?? ajv.compile({ $ref: reference });
  validators.set(reference, validator);
  return validator;
}
