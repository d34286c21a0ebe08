/**
 * /player/v1.js: the script of <castbase-player>, whose interface is functions/browser/player/interface.json, and the
 * texts that it loads: /player/texts/{language}.json.
 */
import { z } from "zod";
import script from "../../built/player.json" with { type: "json" };
import { publicRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { cacheableReply, toCacheableBody } from "../../app/reply.ts";
import { valid } from "../../app/validation.ts";
import { TEXTS } from "../../text/languages/all.ts";
import { type Language, LANGUAGES } from "../../text/languages/texts.ts";
import { assetHandler } from "../asset.ts";

const TextsPathParams = z.object({
  language: z.string().transform((file) => file.slice(0, -".json".length)).pipe(z.enum(LANGUAGES))
    .describe("Language of the texts"),
});

const bodies = new Map(
  LANGUAGES.map((language) => [language, toCacheableBody(JSON.stringify(playerTexts(language)))]),
);

function playerTexts(language: Language) {
  const { shared, player } = TEXTS[language];
  return { ...shared, ...player };
}

export const playerScript = publicRouter()
  .get(
    "/v1.js",
    describeRoute({
      operationId: "getPlayerScript",
      summary: "Get the script that defines <castbase-player>",
      responseType: "text/javascript",
      hasEtag: true,
    }),
    assetHandler(script, "public, max-age=300"),
  )
  .get(
    "/texts/:language{[^/]+\\.json}",
    describeRoute({
      operationId: "getPlayerTexts",
      summary: "Get the texts of the player in a language, by their keys",
      response: z.record(z.string(), z.string()),
      hasEtag: true,
    }),
    valid("param", TextsPathParams),
    (c) => cacheableReply(c, { value: bodies.get(c.req.valid("param").language)! }),
  );
