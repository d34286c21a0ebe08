/** Finds the changes of an OpenAPI document that break clients. Additions are none. */
import { findSchemaBreaks, type Schema, type Schemas } from "./schema_breaks.ts";

interface Reference {
  $ref: string;
}

interface Content {
  schema?: Schema;
}

interface ApiResponse {
  headers?: Record<string, { schema?: Schema }>;
  content?: Record<string, Content>;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}

interface Operation {
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, ApiResponse | Reference>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components?: { responses?: Record<string, ApiResponse>; schemas?: Schemas };
}

/** Returns what breaks clients of the document before, a line each. */
export function findDocumentBreaks(before: ApiDocument, after: ApiDocument): string[] {
  const [beforeSchemas, afterSchemas] = [before, after].map(({ components }) => components?.schemas ?? {});
  const pathsNow = new Map(Object.entries(after.paths).map(([path, methods]) => [withoutNames(path), methods]));

  const compareSchemas = (was: Schema, is: Schema, direction: "response" | "request", at: string) =>
    findSchemaBreaks(
      { schema: was, components: beforeSchemas },
      { schema: is, components: afterSchemas },
      direction,
      at,
    );

  function compareContents(
    was: Record<string, Content> = {},
    is: Record<string, Content> = {},
    direction: "response" | "request",
    at: string,
  ): string[] {
    return Object.entries(was).flatMap(([type, { schema = {} }]) =>
      type in is ? compareSchemas(schema, is[type].schema ?? {}, direction, at) : [`${at}: ${type} is removed`]
    );
  }

  function compareParameters(was: Parameter[] = [], is: Parameter[] = [], at: string): string[] {
    const breaks: string[] = [];
    const optional = (parameters: Parameter[]) => parameters.filter((one) => one.in !== "path");
    for (const { name, in: location, required, schema = {} } of optional(was)) {
      const now = is.find((one) => one.name === name && one.in === location), where = `${at}: ${location} ${name}`;
      if (!now) {
        breaks.push(`${where} is removed`);
        continue;
      }
      if (now.required && !required) breaks.push(`${where} is now required`);
      if (now.schema?.default !== schema.default) breaks.push(`${where} has another default value`);
      breaks.push(...compareSchemas(schema, now.schema ?? {}, "request", where));
    }
    for (const { name, in: location, required } of optional(is)) {
      if (required && !was.some((one) => one.name === name && one.in === location)) {
        breaks.push(`${at}: ${location} ${name} is new and required`);
      }
    }
    return [...breaks, ...comparePathParameters(was, is, at)];
  }

  /** Their names may change: clients fill them by their place. */
  function comparePathParameters(was: Parameter[], is: Parameter[], at: string): string[] {
    const ofPath = (parameters: Parameter[]) => parameters.filter((one) => one.in === "path");
    return ofPath(was).flatMap(({ name, schema = {} }, i) =>
      compareSchemas(schema, ofPath(is)[i]?.schema ?? {}, "request", `${at}: path ${name}`)
    );
  }

  function compareOperations(was: Operation, is: Operation, at: string): string[] {
    const breaks = compareParameters(was.parameters, is.parameters, at);
    if (isOpen(was) && !isOpen(is)) breaks.push(`${at} requires a token`);
    if (is.requestBody?.required && !was.requestBody?.required) breaks.push(`${at} requires a body`);
    breaks.push(...compareContents(was.requestBody?.content, is.requestBody?.content, "request", `${at}: body`));
    for (const [status, reference] of Object.entries(was.responses)) {
      const response = resolve(reference, before), now = is.responses[status] && resolve(is.responses[status], after);
      if (!now) {
        breaks.push(`${at}: ${status} is removed`);
        continue;
      }
      for (const header of Object.keys(response.headers ?? {})) {
        if (!now.headers?.[header]) breaks.push(`${at}: ${status} has no header ${header}`);
      }
      breaks.push(...compareContents(response.content, now.content, "response", `${at}: ${status} body`));
    }
    return breaks;
  }

  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const now = pathsNow.get(withoutNames(path))?.[method], at = `${method.toUpperCase()} ${path}`;
      return now ? compareOperations(operation, now, at) : [`${at} is removed`];
    })
  );
}

const withoutNames = (path: string) => path.replaceAll(/\{\w+\}/g, "{}");

/** Whether callers without a token are accepted. */
const isOpen = ({ security = [] }: Operation) =>
  security.length === 0 || security.some((one) => Object.keys(one).length === 0);

function resolve(response: ApiResponse | Reference, { components }: ApiDocument): ApiResponse {
  if (!("$ref" in response)) return response;
  return components?.responses?.[response.$ref.slice("#/components/responses/".length)] ?? {};
}
