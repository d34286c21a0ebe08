// The OpenAPI documents of both edge functions pass the recommended rules of Redocly.
import assert from "node:assert/strict";
import { createConfig, lintFromString } from "npm:@redocly/openapi-core@2.64.0";
import { openApiDocument } from "../../functions/app/openapi.ts";
import { ListEpisodesResponse, PublicEpisode, PublicPodcast } from "../../types/public.ts";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

/** Rules that do not fit: the service has no license, some paths overlap, and some routes only redirect. */
const OMITTED_RULES = {
  "info-license": "off",
  "no-ambiguous-paths": "off",
  "operation-2xx-response": "off",
  "operation-4xx-response": "off", // some routes accept everything
} as const;

const config = await createConfig({
  extends: ["recommended"],
  rules: { ...OMITTED_RULES, "operation-description": "off", "tag-description": "error" },
});

async function problemsOf(document: object): Promise<string[]> {
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "/openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${location[0]?.pointer} ${ruleId}: ${message}`);
}

const { deriveApiDocument, derivePublicDocument } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../scripts/api_release/documents.ts"),
);
const api = deriveApiDocument("https://podcasts.example"), publicApi = derivePublicDocument("https://podcasts.example");

Deno.test("the OpenAPI document of the API passes the linter", async () => {
  assert.deepEqual(await problemsOf(api), []);
});

Deno.test("the OpenAPI document of the public API passes the linter", async () => {
  assert.deepEqual(await problemsOf(publicApi), []);
});

Deno.test("the linter finds a document with a missing reference, and one with malformed parameters", async () => {
  const broken = structuredClone(publicApi) as { paths: Record<string, Record<string, Record<string, unknown>>> };
  const operation = Object.values(broken.paths)[0].get;
  operation.responses = { 200: { $ref: "#/components/responses/none" } };
  assert.match((await problemsOf(broken)).join("\n"), /no-unresolved-refs/);
  operation.parameters = "none";
  assert.match((await problemsOf(broken)).join("\n"), /struct/);
});

Deno.test("the examples of a podcast, an episode and a list of episodes in the public document fit their schemas", () => {
  const { schemas } = publicApi.components as { schemas: Record<string, { examples: unknown[] }> };
  const list = (publicApi.paths["/v1/podcasts/{slug}/episodes"].get as {
    responses: Record<string, { content: Record<string, { schema: { examples: unknown[] } }> }>;
  }).responses["200"].content["application/json"].schema;
  for (
    const [{ examples: [example] }, schema] of [
      [schemas.PublicPodcast, PublicPodcast],
      [schemas.PublicEpisode, PublicEpisode],
      [list, ListEpisodesResponse],
    ] as const
  ) assert.deepEqual(schema.parse(example), example);
});

Deno.test("a route whose path has no tag fails the derivation of an OpenAPI document", () => {
  const facts = { title: "T", description: "D", tags: { things: "Things" } };
  const route = { method: "GET", operationId: "getThing", summary: "Get a thing" };
  assert.throws(() => openApiDocument([{ ...route, path: "/api/others" }], facts), /\/api\/others has no tag/);
  assert.deepEqual(openApiDocument([{ ...route, path: "/api/things" }], facts).tags, [
    { name: "things", description: "Things" },
  ]);
});
