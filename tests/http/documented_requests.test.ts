// Routes accept the requests that the OpenAPI documents allow, and reject members that they do not.
import assert from "node:assert/strict";
import { Ajv2020 } from "npm:ajv@8.20.0/dist/2020.js";
import addFormats from "npm:ajv-formats@3.0.1";
import { routes } from "./declared_routes.ts";
import { type Document, DOCUMENTS } from "./documented_responses.ts";
import { assertError, callRpc, person, sendRequest } from "./harness.ts";

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  examples?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minimum?: number;
  minLength?: number;
  default?: unknown;
}

const documents: { prefix: string; document: Document }[] = await Promise.all(
  Object.values(DOCUMENTS).map(async ({ path, prefix }) => ({
    prefix,
    document: (await sendRequest({ method: "GET", path })).body,
  })),
);

const components: Record<string, Schema> = Object.assign(
  {},
  ...documents.map(({ document }) => document.components.schemas),
);

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
addFormats.default(ajv);
for (const format of ["time-zone", "language-tag", "cursor", "binary"]) ajv.addFormat(format, true);
documents.forEach(({ document, prefix }) => ajv.addSchema(document, prefix || "api"));

const ID = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"; // of nothing
/** Records of the caller, by the names under which bodies have them. */
const caller = await person("documented-requests");
const { id: podcastId } = await callRpc<{ id: string }>(caller, "create_podcast", { title: "Of the documents" });
const { id: episodeId } = await callRpc<{ id: string }>(caller, "create_episode", {
  podcast_id: podcastId,
  title: "One",
});
const { body: { rule } } = await sendRequest({
  method: "POST",
  path: "/api/automations/rules",
  as: caller,
  json: { podcast_id: podcastId, name: "Of the documents", trigger_type: "booking.confirmed" },
});

/** Values by name that have rules which no schema tells. */
const VALUES: Record<string, unknown> = {
  podcastId,
  podcast_id: podcastId,
  episodeId,
  endTime: "17:00", // after startTime
  value: "https://host.test/", // of a location whose type is link
  field: "guest_first_name", // a tag of the trigger
  reply_to: "host",
  format: "json", // others are 501
  actions: [{ action_type: "send_webhook", action_config: { url: "https://host.test/" }, execution_order: 0 }],
};

const FORMATS: Record<string, string> = {
  uuid: ID,
  uri: "https://host.test/",
  email: "g@people.test",
  date: "2026-07-01",
  "date-time": "2030-07-01T06:00:00Z",
  "time-zone": "Europe/Berlin",
  "language-tag": "de-AT",
};
/** Texts, of which one has each documented pattern. */
const TEXTS = ["text", "09:00", "17:00", "123456", "A".repeat(22), "eur", `${ID}.vtt`];

/** A value that the schema allows: with all properties, or with the required ones alone. */
function sample(schema: Schema, isFull: boolean): unknown {
  if (schema.$ref) return sample(components[schema.$ref.replace("#/components/schemas/", "")], isFull);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sample({ ...schema, ...schema.anyOf[0], anyOf: undefined }, isFull);
  const type = [schema.type].flat()[0];
  switch (type) {
    case "string": {
      if (schema.format) return FORMATS[schema.format];
      const text = TEXTS.find((text) =>
        new RegExp(schema.pattern ?? "").test(text) && text.length >= (schema.minLength ?? 0)
      );
      return text ?? assert.fail(`no text of the pattern ${schema.pattern}`);
    }
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return isFull ? [sample(schema.items!, isFull)] : [];
    case "object": {
      const names = isFull ? Object.keys(schema.properties ?? {}) : schema.required ?? [];
      return Object.fromEntries(names.map((name) => [name, VALUES[name] ?? sample(schema.properties![name], isFull)]));
    }
    default:
      return "any";
  }
}

/** A sample with what other rules of the schema require: a field for a choice, or at least one. */
function bodyOf(schema: Schema, reference: string, isFull: boolean): Record<string, unknown> {
  const body = sample(schema, isFull) as Record<string, unknown>, validate = ajv.compile({ $ref: reference });
  while (!(validate(body) as boolean)) {
    const superfluous = validate.errors!.find(({ keyword }) => keyword === "false schema")?.instancePath.slice(1);
    if (superfluous) {
      delete body[superfluous];
      continue;
    }
    const missing: string | undefined = validate.errors!.find(({ keyword }) =>
      keyword === "required"
    )?.params.missingProperty ??
      (validate.errors!.some(({ keyword }) => keyword === "minProperties")
        ? Object.keys(schema.properties!)[0]
        : undefined);
    assert.ok(missing && !(missing in body), `${reference}: ${ajv.errorsText(validate.errors)}`);
    body[missing] = VALUES[missing] ?? sample(schema.properties![missing], isFull);
  }
  return body;
}

/** The objects in a body that the document closes, by their place. */
function* closedObjects(
  schema: Schema,
  value: unknown,
  place: (string | number)[] = [],
): Generator<(string | number)[]> {
  const known = schema.anyOf ? { ...schema, ...schema.anyOf[0] } : schema;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* closedObjects(known.items ?? {}, item, [...place, index]);
  } else if (typeof value === "object" && value !== null) {
    if (known.additionalProperties === false) yield place;
    for (const [name, property] of Object.entries(known.properties ?? {})) {
      yield* closedObjects(property, (value as Record<string, unknown>)[name], [...place, name]);
    }
  }
}

function withMember(body: object, place: (string | number)[], name: string): object {
  const copy = structuredClone(body);
  // deno-lint-ignore no-explicit-any -- walks any shape
  (place.reduce((part: any, key) => part[key], copy))[name] = 0;
  return copy;
}

const escape = (segment: string) => encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"));
/** Rules about values that no schema tells: they concern records that do not exist, or secrets. */
const OTHER_CODES = new Set([
  "BLOCKED_URL",
  "CALENDAR_UNREADABLE",
  "EXPIRED",
  "FETCH_FAILED",
  "INVALID_AUTHORIZATION",
  "INVALID_PLAN",
  "INVALID_URL",
  "MISSING_SETTING",
]);

const documented = documents.flatMap(({ document, prefix }) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      name: `${method.toUpperCase()} ${prefix}${path}`,
      route: prefix + path,
      reference: `${prefix || "api"}#/paths/${escape(path)}/${method}`,
      operation,
    }))
  )
);

const concrete = (path: string) =>
  path === "/api/automations/rules/{id}"
    ? `/api/automations/rules/${rule.id}`
    : path.replace("{imageType}", "cover").replaceAll(/\{\w+\}/g, ID);

for (const { method, name, route, reference, operation } of documented) {
  const { schema } = (operation.requestBody?.content["application/json"] ?? {}) as { schema?: Schema };
  const declared = routes.find((one) => one.method === method && one.path === route)!;
  if (!schema || !declared.json) continue; // the route reads other bodies itself
  const pointer = `${reference}/requestBody/content/${escape("application/json")}/schema`;
  const send = (json: object) => sendRequest({ method, path: concrete(route), as: caller, json });

  Deno.test(`${name} accepts a body that its document allows, and no other member in any object of it`, async () => {
    for (const isFull of [false, true]) {
      const body = bodyOf(schema, pointer, isFull);
      const { success, error } = declared.json!.safeParse(body);
      assert.ok(success, `${JSON.stringify(body)}: ${error}`);
      const response = await send(body);
      const isAccepted = response.status < 300 || [401, 403, 404, 409, 422, 429].includes(response.status) ||
        OTHER_CODES.has(response.body.code);
      assert.ok(isAccepted, `${response.status} ${response.text} to ${JSON.stringify(body)}`);
      if (!isFull) continue;
      for (const place of closedObjects(schema, body)) {
        const rejected = await send(withMember(body, place, "surprise"));
        assertError(rejected, 400);
        assert.match(rejected.body.details, /surprise|may have only/, place.join("."));
      }
    }
  });
}

/** Parameters whose values belong to records, or that exclude each other. */
const NOT_SAMPLED = new Set(["cursor", "link", "podcast", "idempotency-key"]);

for (const { method, name, route, operation } of documented) {
  const query = operation.parameters.filter((one) => one.in === "query" && !NOT_SAMPLED.has(one.name));
  if (method !== "GET" || query.length === 0) continue;
  Deno.test(`${name} accepts the parameters that its document allows`, async () => {
    const values = query.map((one) => [one.name, String(VALUES[one.name] ?? sample(one.schema as Schema, true))]);
    const path = `${concrete(route).replace(`${ID}.xml`, "demo.xml")}?${new URLSearchParams(values)}`;
    const isMonitoring = operation.security?.some((one) => "monitoring" in one);
    const as = isMonitoring ? { token: "castbase-local-monitoring" } : caller; // supabase/local/functions.json
    const response = await sendRequest({ method, path, as });
    const isAccepted = response.status < 300 || [404, 409].includes(response.status);
    assert.ok(isAccepted, `${response.status} ${response.text.slice(0, 300)} to ${path}`);
  });
}
