/**
 * /player/v1.js: the script of <castbase-player>, whose interface is functions/browser/player/interface.json, and what
 * it loads: the script of its panels, /player/v1.js?panels=…, because policies of other sites allow one path and ignore
 * queries, and texts, /player/texts/{language}.json.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import panels from "../../built/panels.json" with { type: "json" };
import script from "../../built/player.json" with { type: "json" };
import { publicRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { valid } from "../../app/validation.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { playerTexts } from "../../text/languages/all.ts";
import { LANGUAGES } from "../../text/languages/texts.ts";
import { assetHandler } from "../asset.ts";

const TextsPathParams = z.object({ file: z.string().describe("Language of the texts, with .json: `de.json`") });

/** A new text is in English until the old file is outdated, because the player falls back to it. */
const TEXTS_LIFETIME = "public, max-age=86400";

const texts = new Map(
  LANGUAGES.map((language) => {
    const json = Buffer.from(JSON.stringify(playerTexts(language)));
    const asset = {
      contentType: "application/json",
      etag: createHash("sha256").update(json).digest("base64url").slice(0, 27),
      bytes: json.length,
      gzip: gzipSync(json).toString("base64"),
    };
    return [`${language}.json`, assetHandler(asset, TEXTS_LIFETIME)];
  }),
);

const ScriptQuery = z.object({
  v: z.string().optional().describe("Version, by which caches may keep it; for another one, the current script"),
  panels: z.string().optional().describe("Version of the panels, which the script imports; 404 for another one"),
});
const FOREVER = "public, max-age=31536000, immutable";
const sendCurrent = assetHandler(script, "public, max-age=300");
const sendVersion = assetHandler(script, FOREVER);
const sendPanels = assetHandler(panels, FOREVER);

export const playerScript = publicRouter()
  .get(
    "/v1.js",
    describeRoute({
      operationId: "getPlayerScript",
      summary: "Get the script that defines <castbase-player>",
      responseType: "text/javascript",
      hasEtag: true,
      errors: [404],
    }),
    valid("query", ScriptQuery),
    (c) => {
      const { v, panels: version } = c.req.valid("query");
      if (version === undefined) return (v === script.etag ? sendVersion : sendCurrent)(c);
      if (version === panels.etag) return sendPanels(c);
      throw new ApiError(404, "This version of the player is no longer here; load player/v1.js again");
    },
  )
  .get(
    "/texts/:file",
    describeRoute({
      operationId: "getPlayerTexts",
      summary: "Get the texts of the player in a language, by their keys",
      response: z.record(z.string(), z.string()),
      hasEtag: true,
      errors: [404],
    }),
    valid("param", TextsPathParams),
    (c) => {
      const send = texts.get(c.req.valid("param").file);
      if (!send) {
        throw new ApiError(404, "No texts in this language", {
          details: `Known files: ${[...texts.keys()].join(", ")}`,
        });
      }
      return send(c);
    },
  );
