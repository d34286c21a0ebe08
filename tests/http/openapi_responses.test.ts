// The responses of the OpenAPI documents: statuses, headers, media types and errors.
import assert from "node:assert/strict";
import { api, documents, operations, publicApi, schemasIn } from "./documented_operations.ts";
import type { DocumentedResponse, Operation } from "./documented_responses.ts";
import { sendRequest, sql } from "./harness.ts";

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
