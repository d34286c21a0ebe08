/** The edge function `public`: what strangers read. Reads under /v1, the feeds, the listen pages, the frames. */
import { edgeFunction } from "../app/app.ts";
import { episodeFrame, latestFrame } from "./embed.ts";
import { feeds } from "./feeds.ts";
import { guest } from "./guest.ts";
import { listen } from "./listen.ts";
import { openapi } from "./openapi.ts";
import { podcasts } from "./podcasts.ts";

export default edgeFunction("public", {
  "/v1/openapi.json": openapi,
  "/v1/podcasts": podcasts,
  "/feeds": feeds,
  "/listen": listen,
  "/ep": episodeFrame,
  "/latest": latestFrame,
  "/guest": guest,
});
