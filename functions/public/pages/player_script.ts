/** /player/v1.js: the script of <castbase-player>. Its interface is functions/browser/player/interface.json. */
import script from "../../built/player.json" with { type: "json" };
import { publicRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { assetHandler } from "../asset.ts";

export const playerScript = publicRouter().get(
  "/v1.js",
  describeRoute({
    operationId: "getPlayerScript",
    summary: "Get the script that defines <castbase-player>",
    responseType: "text/javascript",
    hasEtag: true,
  }),
  assetHandler(script, "public, max-age=300"),
);
