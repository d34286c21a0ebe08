// GET /v1/openapi.json lists the routes that the functions declare. Browsers can reach each of them.
import assert from "node:assert/strict";
import { sendRequest, sql } from "../harness.ts";
import { assertReachable } from "../access_matrix.ts";
import { routes } from "../declared_routes.ts";

const { body: served } = await sendRequest({ method: "GET", path: "/public/v1/openapi.json" });

const documented = Object.entries<Record<string, { operationId: string }>>(served.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({
    route: `${method.toUpperCase()} ${path}`,
    operationId,
  }))
);

for (const { route } of documented) {
  const path = route.split(" ")[1].replaceAll(/\{[^}]+\}/g, "x");
  assertReachable(route, () => Promise.resolve({ path }));
}

Deno.test("the OpenAPI document lists every route of every edge function, and no other", () => {
  const declared = routes.map(({ method, path, operationId }) => ({ route: `${method} ${path}`, operationId }));
  const byRoute = (a: { route: string }, b: { route: string }) => a.route < b.route ? -1 : 1;
  assert.deepEqual(documented.toSorted(byRoute), declared.toSorted(byRoute));
});

Deno.test("the OpenAPI document lists the redirect of a feed, and 410 for feeds and pages of deleted podcasts", () => {
  const responsesOf = (path: string) => served.paths[path].get.responses;
  assert.deepEqual(Object.keys(responsesOf("/public/feeds/{slug}.xml")), [
    ...["200", "301", "304", "400", "404", "410", "503"],
  ]);
  assert.ok(responsesOf("/public/feeds/{slug}.xml")["301"].headers.location);
  for (const path of ["listen/{slug}", "listen/{slug}/{episode}", "ep/{id}", "latest/{slug}"]) {
    assert.ok(responsesOf(`/public/${path}`)["410"], path);
  }
});

Deno.test("the OpenAPI document has the default values of query parameters", () => {
  const defaultsOf = (path: string) =>
    served.paths[path].get.parameters
      .filter(({ schema }: { schema: { default?: unknown } }) => schema.default !== undefined)
      .map(({ name, schema }: { name: string; schema: { default: unknown } }) => [name, schema.default]);
  assert.deepEqual(defaultsOf("/api/notifications"), [["limit", 25], ["archivedOnly", false], ["unreadOnly", false]]);
  assert.deepEqual(defaultsOf("/api/podcast-guests"), [["limit", 20]]);
  assert.deepEqual(defaultsOf("/public/v1/podcasts/{slug}/episodes"), [["limit", 25]]);
});

Deno.test("every operationId of the OpenAPI document is unique", () => {
  const ids = documented.map(({ operationId }) => operationId);
  assert.deepEqual(ids.filter((id, index) => ids.indexOf(id) !== index), []);
});

/** Operations that call several SQL functions, or none. */
const withoutFunction = [
  "addCalendarUrl",
  "completeDirectUpload",
  "downloadEpisodeCover",
  "finishCalendarConnection",
  "getFeed",
  "getHealth",
  "getOpenApiDocument",
  "getPlayerScript",
  "getPublicTranscript",
  "importArtwork",
  "moveArtwork",
  "openCheckout",
  "openPortal",
  "recheckFeed",
  "recordResendEvent",
  "recordStripeEvent",
  "redirectCalendarCallback",
  "removePushSubscriptionById", // removePushSubscription with another argument
  "showEpisodePage",
  "showEpisodePlayer",
  "showGuestPage",
  "showLatestEpisodePlayer",
  "showPodcastPage",
  "showUnsubscribePage",
  "uploadAudio",
  "uploadImage",
  "uploadTranscript",
  "wakeWorker",
];

Deno.test("every operationId is the name of a public SQL function in camelCase, unless it is listed as having none", async () => {
  const rows = await sql<{ name: string }[]>`
    select proname as name from pg_proc where pronamespace = 'public'::regnamespace`;
  const functions = new Set(rows.map(({ name }) => name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase())));
  const ids = documented.map(({ operationId }) => operationId);
  assert.deepEqual(ids.filter((id) => !functions.has(id)).sort(), withoutFunction);
});

Deno.test("every route except GET declares its body", () => {
  const undeclared = routes.filter(({ method, json, bodyTypes }) => method !== "GET" && !json && !bodyTypes);
  assert.deepEqual(undeclared.map(({ method, path }) => `${method} ${path}`), []);
});

interface Documented {
  security: object[];
  requestBody?: { required: boolean; content: object };
  responses: object;
}

const operations = Object.entries<Record<string, Documented>>(served.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method} ${path}`, ...operation }))
);

Deno.test("the OpenAPI document lists 401 for every route that requires a token", () => {
  const withToken = operations.filter(({ security }) => security.length > 0);
  assert.ok(withToken.length > 0);
  assert.deepEqual(withToken.filter(({ responses }) => !("401" in responses)).map(({ route }) => route), []);
});

Deno.test("the OpenAPI document lists a route whose login is optional with a token and without", () => {
  assert.deepEqual(
    operations.filter(({ security }) => security.length > 1).map(({ route, security }) => [route, security]),
    [["post /api/notifications/events/chat", [{ user: [] }, {}]]],
  );
});

Deno.test("the OpenAPI document lists 503 for every route except those that succeed without the database", () => {
  assert.deepEqual(
    operations.filter(({ responses }) => !("503" in responses)).map(({ route }) => route),
    [
      "get /api/health",
      "get /api/notifications/email/open/{token}",
      "get /public/v1/openapi.json",
      "get /public/player/v1.js",
    ],
  );
});

Deno.test("the OpenAPI document lists 408 for every body, and 413 for every JSON body", () => {
  const bodies = operations.filter(({ requestBody }) => requestBody);
  assert.ok(bodies.length > 0);
  for (const { requestBody, responses } of bodies) {
    for (const status of "application/json" in requestBody!.content ? ["408", "413"] : ["408"]) {
      assert.ok(status in responses, `${status}: ${JSON.stringify(Object.keys(responses))}`);
    }
  }
});

Deno.test("the OpenAPI document lists 200 and 201 for routes that create or find a person or a credit", () => {
  const { post } = served.paths["/api/episodes/{id}/people"];
  const { put } = served.paths["/api/episodes/{id}/people/{personId}/credit"];
  for (const { responses } of [post, put] as Documented[]) {
    assert.deepEqual(Object.keys(responses).filter((status) => status < "300"), ["200", "201"]);
  }
});

Deno.test("the OpenAPI document describes the redirect of a click by its location", () => {
  const { responses } = served.paths["/api/notifications/email/click/{token}"].get as Documented;
  assert.deepEqual(Object.keys(responses), ["302", "400", "503"]);
  assert.deepEqual((responses as Record<string, object>)["302"], {
    description: "Found",
    headers: { location: { schema: { type: "string", format: "uri" } } },
  });
});

Deno.test("the OpenAPI document marks a body as required unless its schema has a default", () => {
  assert.deepEqual(
    operations.filter(({ requestBody }) => requestBody?.required === false).map(({ route }) => route),
    [
      "post /api/automations/rules/{id}/toggle",
      "post /api/bookings/{id}/confirm",
      "post /api/bookings/{id}/decline",
      "post /api/bookings/{id}/cancel",
      "put /api/episodes/{id}/people/{personId}/credit",
      "post /worker",
    ],
  );
});

Deno.test("every reference in the OpenAPI document has a target", () => {
  const names = [...JSON.stringify(served).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) =>
    name
  );
  assert.ok(names.length > 0);
  for (const name of names) assert.ok(served.components.schemas[name], name);
});
