// /api/openapi.json and /v1/openapi.json list the routes that the functions declare. Browsers can reach each of them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { assertReachable } from "./access_matrix.ts";
import { routes } from "./declared_routes.ts";
import { documents, operations, publicApi } from "./documented_operations.ts";
import { DOCUMENTS } from "./documented_responses.ts";
import { sendRequest, sql, stackInfo } from "./harness.ts";

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
  "getHealthReport",
  "getMetrics",
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
