// /api/openapi.json and /v1/openapi.json list the routes that the functions declare. Browsers can reach each of them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { assertReachable } from "./access_matrix.ts";
import { routes } from "./declared_routes.ts";
import { type Document, type DocumentedResponse, DOCUMENTS, type Operation } from "./documented_responses.ts";
import { sendRequest, sql, stackInfo } from "./harness.ts";

interface DocumentedRoute extends Operation {
  /** Under `<project>/functions/v1`. */
  route: string;
  document: Document;
}

const documents = await Promise.all(
  Object.values(DOCUMENTS).map(async ({ path, prefix }) => {
    const { status, text, body } = await sendRequest({ method: "GET", path });
    assert.equal(status, 200, text);
    return { path, prefix, document: body as Document };
  }),
);
const [{ document: api }, { document: publicApi }] = documents;

const operations: DocumentedRoute[] = documents.flatMap(({ document, prefix }) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      route: `${method.toUpperCase()} ${prefix}${path}`.replace(/\/$/, ""), // the root of the pages
      document,
    }))
  )
);

for (const { route } of operations) {
  const path = route.split(" ")[1].replaceAll(/\{[^}]+\}/g, "x");
  assertReachable(route, () => Promise.resolve({ path }));
}

Deno.test("the OpenAPI documents list every route of the functions api and public, and no other", () => {
  const declared = routes.map(({ method, path, operationId }) => ({ route: `${method} ${path}`, operationId }))
    .filter(({ operationId }) => operationId !== "wakeWorker"); // only the database may call it
  const byRoute = (a: { route: string }, b: { route: string }) => a.route < b.route ? -1 : 1;
  const documented = operations.map(({ route, operationId }) => ({ route, operationId }));
  assert.deepEqual(documented.toSorted(byRoute), declared.toSorted(byRoute));
});

Deno.test("an OpenAPI document names the URL of this installation below which its paths lie", () => {
  const { functionsUrl } = stackInfo;
  assert.deepEqual(
    documents.map(({ path, document }) => [path, document.servers]),
    [
      ["/api/openapi.json", [{ url: functionsUrl }]],
      ["/public/v1/openapi.json", [{ url: `${functionsUrl}/public` }]],
    ],
  );
});

Deno.test("the OpenAPI documents have the version of package.json", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(join(repository, "package.json")));
  assert.deepEqual(documents.map(({ document }) => document.info.version), [version, version]);
});

/** Deno's server compresses responses, and makes their ETags weak. */
const strongEtag = (headers: Headers) => headers.get("etag")!.replace(/^W\//, "");

for (const { path } of Object.values(DOCUMENTS)) {
  Deno.test(`GET ${path} may be cached for a minute, and returns 304 without a body to the ETag's holder`, async () => {
    const { headers } = await sendRequest({ method: "GET", path });
    assert.equal(headers.get("cache-control"), "public, max-age=60, stale-if-error=600, no-transform");
    const etag = strongEtag(headers);
    assert.match(etag, /^"[\w-]{27}-gzip"$/);
    const again = await sendRequest({ method: "GET", path, headers: { "if-none-match": etag } });
    assert.deepEqual([again.status, again.text, strongEtag(again.headers)], [304, "", etag]);
    const head = await sendRequest({ method: "HEAD", path });
    assert.deepEqual([head.status, head.text, strongEtag(head.headers)], [200, "", etag]);
  });
}

Deno.test("every /v1 route returns 200 to a key of the reserved scheme, as without one", async () => {
  const { body: { data: [episode] } } = await sendRequest({ method: "GET", path: "/public/v1/podcasts/demo/episodes" });
  const values: Record<string, string> = {
    slug: "demo",
    idOrSlug: episode.slug,
    id: episode.id,
    episodeId: episode.id,
  };
  const paths = Object.keys(publicApi.paths).filter((path) => path.startsWith("/v1/"));
  assert.ok(paths.length >= 4);
  for (const template of paths) {
    const path = `/public${template.replaceAll(/\{(\w+)\}/g, (_, name) => values[name])}${
      template === "/v1/oembed" ? `?url=${encodeURIComponent(episode.listenUrl)}` : ""
    }`;
    for (const token of ["castbase_live_y", "castbase_test_y", "x_live_y"]) {
      const { status, text } = await sendRequest({ method: "GET", path, as: { token } });
      assert.equal(status, 200, `${path}: ${text}`);
    }
  }
});

Deno.test("the OpenAPI document lists the redirect of a feed, and 410 for feeds and pages of deleted podcasts", () => {
  const responsesOf = (path: string) => publicApi.paths[path].get.responses;
  assert.deepEqual(Object.keys(responsesOf("/feeds/{slug}.xml")), [
    ...["200", "301", "304", "400", "404", "410", "412", "414", "503"],
  ]);
  assert.ok((responsesOf("/feeds/{slug}.xml")["301"] as DocumentedResponse).headers?.location);
  for (const path of ["listen/{slug}", "listen/{slug}/{episode}", "ep/{id}", "latest/{slug}", "show/{slug}"]) {
    assert.deepEqual(responsesOf(`/${path}`)["410"], { $ref: "#/components/responses/410OrPage" }, path);
  }
});

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

Deno.test("the OpenAPI documents list the cache headers of 200 and 304 of routes with an ETag", () => {
  const conditional = operations.filter(({ responses }) => "304" in responses);
  assert.ok(conditional.length > 10);
  for (const { route, responses, security } of conditional) {
    const expected = ["etag", "cache-control", ...security.length ? [] : ["vary"]];
    for (const status of ["200", "304"]) {
      const { headers } = responses[status] as DocumentedResponse;
      assert.deepEqual(Object.keys(headers ?? {}), expected, `${route} ${status}`);
    }
  }
});

Deno.test("the OpenAPI documents name the errors of every path: 405 with Allow, and 500", () => {
  for (const { document } of documents) assert.match(document.info.description, /405.*`Allow`.*500/s);
});

Deno.test("every operation of the OpenAPI documents lists 414, which names the longest URL", () => {
  assert.deepEqual(operations.filter(({ responses }) => !("414" in responses)).map(({ route }) => route), []);
  for (const { document } of documents) assert.match(document.components.responses["414"].description, /\b8192\b/);
});

Deno.test("a request whose URL is too long returns the documented 414", async () => {
  for (const path of ["/api/account", "/public/v1/podcasts/demo", "/public/listen/demo"]) {
    assert.equal((await sendRequest({ method: "GET", path: `${path}?x=${"x".repeat(8192)}` })).status, 414, path);
  }
});

/** The schemas of a document's part, at every depth. */
function* schemasIn(part: unknown): Generator<Record<string, unknown>> {
  if (typeof part !== "object" || part === null) return;
  yield part as Record<string, unknown>;
  for (const value of Object.values(part)) yield* schemasIn(value);
}

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

Deno.test("objects of responses may get more members", () => {
  for (const { document } of documents) {
    const { schemas, responses } = document.components;
    for (const part of [schemas, responses, ...operations.map((operation) => operation.responses)]) {
      for (const { additionalProperties } of schemasIn(part)) assert.notEqual(additionalProperties, false);
    }
  }
});

Deno.test("every media type of the OpenAPI documents has a schema, and a file that of binary text", () => {
  const media = operations.flatMap(({ route, requestBody, responses }) =>
    [requestBody, ...Object.values(responses)].flatMap((part) =>
      Object.entries((part as DocumentedResponse | undefined)?.content ?? {}).map(([type, { schema }]) => ({
        route,
        type,
        schema,
      }))
    )
  );
  assert.deepEqual(media.filter(({ schema }) => !schema), []);
  const files = media.filter(({ schema }) => (schema as { format?: string }).format === "binary");
  assert.deepEqual([...new Set(files.map(({ route }) => route))].sort(), [
    "GET /api/media/episode-cover/{episodeId}/download",
    "GET /api/notifications/email/open/{token}",
    "GET /public/favicon.ico",
    "PUT /api/media/audio/upload/{uploadId}",
    "PUT /api/media/transcript/upload/{uploadId}",
    "PUT /api/media/upload/{uploadId}",
  ]);
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

Deno.test("every operationId of the OpenAPI documents is unique", () => {
  const ids = operations.map(({ operationId }) => operationId);
  assert.deepEqual(ids.filter((id, index) => ids.indexOf(id) !== index), []);
});

/** Operations that call several SQL functions, or none. */
const withoutFunction = [
  "addCalendarUrl",
  "completeDirectUpload",
  "downloadEpisodeCover",
  "finishCalendarConnection",
  "getDocsScript",
  "getDocsStyle",
  "getFavicon",
  "getFeed",
  "getHealth",
  "getOpenApiDocument",
  "getPlayerScript",
  "getPlayerTexts",
  "getPublicOpenApiDocument",
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
  "showApiDocs",
  "showEpisodePage",
  "showEpisodePlayer",
  "showGuestPage",
  "showLatestEpisodePlayer",
  "showPodcastPage",
  "showPodcastPlayer",
  "showRootPage",
  "showUnsubscribePage",
  "uploadAudio",
  "uploadImage",
  "uploadTranscript",
];

Deno.test("every operationId is the name of a public SQL function in camelCase, unless it is listed as having none", async () => {
  const rows = await sql<{ name: string }[]>`
    select proname as name from pg_proc where pronamespace = 'public'::regnamespace`;
  const functions = new Set(rows.map(({ name }) => name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase())));
  const ids = operations.map(({ operationId }) => operationId);
  assert.deepEqual(ids.filter((id) => !functions.has(id)).sort(), withoutFunction);
});

/** Errors that every route may return, or that the OpenAPI documents declare for a kind of route. */
const COMMON_ERRORS = ["400", "401", "408", "413", "500", "503"];

Deno.test("an operation documents the errors that the comment of its function names", async () => {
  const rows = await sql<{ name: string; comment: string }[]>`
    select proname as name, obj_description(oid, 'pg_proc') as comment from pg_proc
    where pronamespace = 'public'::regnamespace and obj_description(oid, 'pg_proc') is not null`;
  const comments = new Map(rows.map(({ name, comment }) => [name, comment]));
  const missing = operations.flatMap(({ operationId, responses }) => {
    const comment = comments.get(operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) ?? "";
    return [...new Set(comment.match(/\b(4[0-3]\d|50\d)\b/g))]
      .filter((status) => !COMMON_ERRORS.includes(status) && !(status in responses))
      .map((status) => `${operationId} ${status}`);
  });
  assert.deepEqual(missing.sort(), ["verifyGuestBooking 429"]);
});

Deno.test("every route except GET declares its body", () => {
  const undeclared = routes.filter(({ method, json, bodyTypes }) => method !== "GET" && !json && !bodyTypes);
  assert.deepEqual(undeclared.map(({ method, path }) => `${method} ${path}`), []);
});

Deno.test("the OpenAPI document lists 401 for every route that requires a token", () => {
  const withToken = operations.filter(({ security }) => security.length > 0);
  assert.ok(withToken.length > 0);
  assert.deepEqual(withToken.filter(({ responses }) => !("401" in responses)).map(({ route }) => route), []);
});

Deno.test("the OpenAPI document lists a route whose login is optional with a token and without", () => {
  assert.deepEqual(
    operations.filter(({ security }) => security.length > 1).map(({ route, security }) => [route, security]),
    [
      ["POST /api/bookings", [{ user: [] }, {}]],
      ["POST /api/notifications/events/chat", [{ user: [] }, {}]],
    ],
  );
});

Deno.test("the OpenAPI document lists 503 for every route except those that succeed without the database", () => {
  assert.deepEqual(
    operations.filter(({ responses }) => !("503" in responses)).map(({ route }) => route),
    [
      "GET /api/health",
      "GET /api/notifications/email/open/{token}",
      "GET /public/player/v1.js",
      "GET /public/player/texts/{file}",
      "GET /public/favicon.ico",
    ],
  );
});

Deno.test("the OpenAPI document names Retry-After of 429 and 503", () => {
  const names = Object.entries(api.components.responses)
    .filter(([, { headers }]) => headers?.["retry-after"]).map(([status]) => status);
  assert.deepEqual(names, ["429", "503", "503OrPage"]);
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
  const { post } = api.paths["/api/episodes/{id}/people"];
  const { put } = api.paths["/api/episodes/{id}/people/{personId}/credit"];
  for (const { responses } of [post, put] as Operation[]) {
    assert.deepEqual(Object.keys(responses).filter((status) => status < "300"), ["200", "201"]);
  }
});

Deno.test("the OpenAPI document describes the redirect of a click by its location", () => {
  const { responses } = api.paths["/api/notifications/email/click/{token}"].get;
  assert.deepEqual(Object.keys(responses), ["302", "400", "414", "503"]);
  assert.deepEqual(responses["302"], {
    description: "Found",
    headers: { location: { schema: { type: "string", format: "uri" } } },
  });
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

Deno.test("every reference in the OpenAPI documents has a target", () => {
  for (const { document } of documents) {
    const { schemas, responses } = document.components;
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    assert.ok(references.length > 0);
    for (const [, kind, name] of references) {
      assert.ok({ schemas, responses }[kind as "schemas" | "responses"][name], `${kind}/${name}`);
    }
  }
});

Deno.test("an error of a page is HTML or the envelope in the OpenAPI document, and any other the envelope alone", () => {
  const typesOf = (name: string) => Object.keys(publicApi.components.responses[name].content!);
  assert.deepEqual([typesOf("404OrPage"), typesOf("404")], [["application/json", "text/html"], ["application/json"]]);
});

Deno.test("an example of an error in an OpenAPI document has the members of the envelope", () => {
  for (const { document } of documents) {
    for (const [name, { content }] of Object.entries(document.components.responses)) {
      const { error } = content!["application/json"].example as { error: string };
      assert.ok(error, name);
    }
  }
});
