// The requests of the OpenAPI documents: parameters, their formats, and bodies.
import assert from "node:assert/strict";
import { routes } from "./declared_routes.ts";
import { api, documents, operations, publicApi, schemasIn } from "./documented_operations.ts";
import type { Document } from "./documented_responses.ts";

Deno.test("the OpenAPI documents have the default values of query parameters", () => {
  const defaultsOf = (document: Document, path: string) =>
    document.paths[path].get.parameters
      .filter(({ schema }) => schema.default !== undefined)
      .map(({ name, schema }) => [name, schema.default]);
  assert.deepEqual(
    defaultsOf(api, "/api/notifications"),
    [["limit", 25], ["archivedOnly", false], ["unreadOnly", false]],
  );
  assert.deepEqual(defaultsOf(api, "/api/podcast-guests"), [["limit", 20]]);
  assert.deepEqual(defaultsOf(publicApi, "/v1/podcasts/{slug}/episodes"), [["limit", 25]]);
});

Deno.test("every parameter of the OpenAPI documents has a description", () => {
  const undescribed = operations.flatMap(({ route, parameters }) =>
    parameters.filter(({ description }) => !description).map(({ name }) => `${route} ${name}`)
  );
  assert.deepEqual(undescribed, []);
});

Deno.test("the OpenAPI documents name the formats of time zones, languages, cursors and ids", () => {
  const formatOf = (document: Document, path: string, name: string) =>
    (document.paths[path].get.parameters.find((one) => one.name === name)!.schema as { format?: string }).format;
  assert.deepEqual(
    [
      formatOf(api, "/api/availability", "timezone"),
      formatOf(api, "/api/bookings", "cursor"),
      formatOf(publicApi, "/v1/podcasts/{slug}/episodes", "cursor"),
      formatOf(publicApi, "/chapters/{episodeId}.json", "episodeId"),
    ],
    ["time-zone", "cursor", "cursor", "uuid"],
  );
  for (const { document } of documents) {
    const formats = [...schemasIn(document)].map(({ format }) => format).filter((format) => typeof format === "string");
    for (const format of new Set(formats)) {
      const isDescribed = document.info.description.includes(`\`${format}\``);
      const isKnown = ["binary", "date", "date-time", "email", "uri", "uuid"].includes(format);
      assert.ok(isDescribed || isKnown, `${format} is described`);
    }
  }
});

Deno.test("objects of request bodies allow no other members, except in signed events, forms and free JSON", () => {
  const open = operations.flatMap(({ route, requestBody }) =>
    [...schemasIn(requestBody)].filter(({ type, additionalProperties }) =>
      type === "object" && additionalProperties !== false
    ).map(() => route)
  );
  assert.deepEqual([...new Set(open)], [
    "POST /api/automations/templates/preview", // sample_data
    "POST /api/automations/rules", // configurations and the editor's workflow
    "PUT /api/automations/rules/{id}",
    "POST /api/billing/webhooks/stripe",
    "POST /api/bookings", // answers
    "POST /api/notifications/email/unsubscribe/{token}",
    "POST /api/notifications/webhooks/resend",
  ]);
});

Deno.test("the OpenAPI document says which bodies need at least one of their fields", () => {
  const needing = operations.filter(({ requestBody }) =>
    "minProperties" in (requestBody?.content["application/json"]?.schema ?? {})
  );
  assert.deepEqual(needing.map(({ route }) => route), [
    "PUT /api/booking-links/{id}",
    "PUT /api/episodes/{id}/people/{personId}",
    "PUT /api/podcast-guests/{id}",
  ]);
});

Deno.test("every route except GET declares its body", () => {
  const undeclared = routes.filter(({ method, json, bodyTypes }) => method !== "GET" && !json && !bodyTypes);
  assert.deepEqual(undeclared.map(({ method, path }) => `${method} ${path}`), []);
});

Deno.test("the OpenAPI document marks a body as required unless its schema has a default", () => {
  assert.deepEqual(
    operations.filter(({ requestBody }) => requestBody?.required === false).map(({ route }) => route),
    [
      "POST /api/automations/rules/{id}/toggle",
      "POST /api/automations/rules/{id}/retry-failed",
      "POST /api/automations/actions/{id}/test",
      "POST /api/automations/executions/{id}/retry",
      "POST /api/bookings/{id}/confirm",
      "POST /api/bookings/{id}/decline",
      "POST /api/bookings/{id}/cancel",
      "PUT /api/episodes/{id}/people/{personId}/credit",
    ],
  );
});
