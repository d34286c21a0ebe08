/** /chapters/{episodeId}.json: the chapters of a published episode, as podcast:chapters of its feed names them. */
import { ChaptersPathParams, JsonChapters } from "../../../types/public.ts";
import type { Context } from "hono";
import { type AppEnv, publicReadRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { cacheableReply } from "../../app/reply.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { episodeKeys } from "../../app/surrogate_keys.ts";
import { valid } from "../../app/validation.ts";
import { toUri } from "../../text/uri.ts";
import { readThroughCopies } from "./copied_reads.ts";

export const chapters = publicReadRouter().get(
  "/:episodeId{[^/]+\\.json}",
  describeRoute({
    operationId: "getPublicChapters",
    summary: "Get the chapters of a published episode, as JSON chapters of the podcast namespace",
    description: STALE_COPY_DESCRIPTION,
    response: JsonChapters,
    responseType: "application/json+chapters",
    hasEtag: true,
    errors: [404],
  }),
  valid("param", ChaptersPathParams),
  async (c) => {
    const args = c.req.valid("param"), found = await readChaptersDocument(c, args);
    const keys = await episodeKeys(c.var.reads, args.episodeId, found);
    return cacheableReply(c, found, keys, "application/json+chapters");
  },
);

export const readChaptersDocument = (c: Context<AppEnv>, args: { episodeId: string }) =>
  readThroughCopies(c, "get_public_chapters", args, encodeUrls);

/** URLs that people typed become URIs, as in the feed. */
function encodeUrls(text: string): string {
  return JSON.stringify(
    JSON.parse(text, (name, value) => name === "img" || name === "url" ? toUri(value) : value),
  );
}
