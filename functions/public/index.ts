/** The edge function `public`: reads without a login. Reads under /v1, feeds, listen pages, embedded players. */
import { type EdgeFunction, edgeFunction } from "../app/app.ts";
import { openApiRouter } from "../app/openapi_router.ts";
import { chapters } from "./chapters.ts";
import { docs } from "./docs.ts";
import { episodePlayer, latestEpisodePlayer } from "./embed.ts";
import { episodes } from "./episodes.ts";
import { feeds } from "./feeds.ts";
import { guest } from "./guest.ts";
import { listen } from "./listen.ts";
import { PUBLIC_DOCUMENT } from "./openapi.ts";
import { playerScript } from "./player_script.ts";
import { podcasts } from "./podcasts.ts";
import { transcripts } from "./transcripts.ts";

const openApi = openApiRouter({
  operationId: "getPublicOpenApiDocument",
  facts: PUBLIC_DOCUMENT,
  serverSetting: "public_api_url",
  handlers: () => publicFunction.handlers,
});

const publicFunction: EdgeFunction = edgeFunction("public", [
  ["/v1/openapi.json", openApi],
  ["/v1/podcasts", podcasts],
  ["/v1/episodes", episodes],
  ["/feeds", feeds],
  ["/chapters", chapters],
  ["/transcripts", transcripts],
  ["/listen", listen],
  ["/ep", episodePlayer],
  ["/latest", latestEpisodePlayer],
  ["/player", playerScript],
  ["/guest", guest],
  ["/docs", docs],
]);
export default publicFunction;
