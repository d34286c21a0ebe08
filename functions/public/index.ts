/** The edge function `public`: reads without a login. Reads under /v1, feeds, listen pages, embedded players. */
import { type EdgeFunction, edgeFunction } from "../app/app.ts";
import { openApiRouter } from "../app/openapi_router.ts";
import { chapters } from "./v1/chapters.ts";
import { docs } from "./docs/docs.ts";
import { episodePlayer, latestEpisodePlayer, showPlayer } from "./pages/embed.ts";
import { episodes } from "./v1/episodes.ts";
import { favicon } from "./pages/favicon.ts";
import { feeds } from "./feeds/feeds.ts";
import { guest } from "./pages/guest.ts";
import { listen } from "./pages/listen.ts";
import { oembed } from "./v1/oembed.ts";
import { PUBLIC_DOCUMENT } from "./v1/openapi.ts";
import { playerScript } from "./pages/player_script.ts";
import { podcasts } from "./v1/podcasts.ts";
import { robots, sitemap, sitemapIndex } from "./pages/sitemaps.ts";
import { rootPage } from "./pages/root_page.ts";
import { transcripts } from "./v1/transcripts.ts";

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
  ["/v1/oembed", oembed],
  ["/feeds", feeds],
  ["/chapters", chapters],
  ["/transcripts", transcripts],
  ["/listen", listen],
  ["/ep", episodePlayer],
  ["/latest", latestEpisodePlayer],
  ["/show", showPlayer],
  ["/player", playerScript],
  ["/guest", guest],
  ["/docs", docs],
  ["/sitemap.xml", sitemapIndex],
  ["/sitemap", sitemap],
  ["/robots.txt", robots],
  ["/favicon.ico", favicon],
  ["", rootPage],
]);
export default publicFunction;
