// The public API still has what api/released holds, and so has the player. Additions join by `npm run api:release`.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { join } from "node:path";
import { repository } from "../../../local/host/project.ts";
import { type ApiDocument, findDocumentBreaks } from "../../../scripts/api_release/document_breaks.ts";
import { findPlayerBreaks, PLAYER_LISTS, type PlayerInterface } from "../../../scripts/api_release/player_breaks.ts";
import { UNREACHABLE_ENV, withEnvironment } from "../../environment.ts";

const folder = join(repository, "api/released");
const read = async (file: string) => JSON.parse(await Deno.readTextFile(join(folder, file)));

const released: ApiDocument = await read("v1.json");
const { deriveReleasableDocument, readPlayerInterface } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../../scripts/api_release/documents.ts"),
);

Deno.test("the public API breaks no client of the released one", () => {
  deepEqual(findDocumentBreaks(released, deriveReleasableDocument()), []);
});

Deno.test("the released API has the /v1 routes for podcasts, episodes and oEmbed", () => {
  for (
    const path of [
      "/v1/podcasts/{slug}",
      "/v1/podcasts/{slug}/episodes",
      "/v1/podcasts/{slug}/episodes/latest",
      "/v1/podcasts/{slug}/episodes/{idOrSlug}",
      "/v1/episodes/{episodeId}",
      "/v1/oembed",
    ]
  ) ok(released.paths[path]?.get, path);
});

Deno.test("a field that the released episode has and the public API lacks is reported for each route that has it", () => {
  const current = deriveReleasableDocument();
  delete current.components!.schemas!.PublicEpisode.properties!.guid;
  const breaks = findDocumentBreaks(released, current);
  ok(breaks.includes("GET /v1/podcasts/{slug}/episodes: 200 body.data[].guid is removed"), breaks.join("\n"));
  ok(breaks.includes("GET /v1/episodes/{episodeId}: 200 body.data.guid is removed"), breaks.join("\n"));
});

Deno.test("the player breaks no page that embeds the released one", async () => {
  deepEqual(findPlayerBreaks(await read("player-v1.json"), await readPlayerInterface()), []);
});

Deno.test("the released interface of the player names each member once", async () => {
  const { element, ...lists }: PlayerInterface = await read("player-v1.json");
  equal(element, "castbase-player");
  deepEqual(Object.keys(lists), PLAYER_LISTS);
  for (const list of PLAYER_LISTS) {
    const names = lists[list].map(({ name }) => name);
    ok(names.length > 0, list);
    deepEqual(names, [...new Set(names)], list);
  }
});

const player: PlayerInterface = {
  element: "castbase-player",
  attributes: [{ name: "episode", type: "string", description: "Id" }],
  properties: [{ name: "paused", type: "boolean" }],
  methods: [{ name: "play", type: "() => Promise<void>" }],
  events: [{ name: "castbase-play", detail: { episode: "string" } }],
  parts: [{ name: "controls" }],
  variables: [{ name: "--castbase-accent", type: "color" }],
};

Deno.test("findPlayerBreaks reports each removed name and each changed fact, and accepts additions", () => {
  const changed = structuredClone(player);
  changed.attributes[0].description = "The id of the episode";
  changed.attributes.push({ name: "start", type: "string" });
  deepEqual(findPlayerBreaks(player, changed), []);
  for (const list of PLAYER_LISTS) {
    deepEqual(findPlayerBreaks(player, { ...player, [list]: [] }), [`${list}: ${player[list][0].name} is removed`]);
  }
  changed.properties[0].type = "string";
  changed.events[0].detail = {};
  changed.element = "castbase-audio";
  deepEqual(findPlayerBreaks(player, changed), [
    "the element is named castbase-audio",
    "properties: paused has another type",
    "events: castbase-play has another detail",
  ]);
});
