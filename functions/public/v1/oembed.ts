/** GET /v1/oembed: the player of a page, by the oEmbed standard (https://oembed.com). The rules are in sql/95_public. */
import type { z } from "zod";
import { OEmbedQuery, OEmbedResponse } from "../../../types/public.ts";
import { publicReadRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { type CacheableBody, cacheableReply, toCacheableBody } from "../../app/reply.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { podcastKeys } from "../../app/surrogate_keys.ts";
import { valid } from "../../app/validation.ts";
import { stripForbidden } from "../../text/xml_text.ts";
import { readThroughCopies } from "./copied_reads.ts";

export const oembed = publicReadRouter().get(
  "/",
  describeRoute({
    operationId: "getOembed",
    summary: "Get the player of a listen page as oEmbed 1.0",
    description: STALE_COPY_DESCRIPTION,
    response: OEmbedResponse,
    responseType: ["application/json", "text/xml"],
    hasEtag: true,
    errors: [404, 501],
  }),
  valid("query", OEmbedQuery),
  async (c) => {
    const { format, ...args } = c.req.valid("query");
    if (format !== "json" && format !== "xml") {
      throw new ApiError(501, "This format is not supported; use json or xml");
    }
    const found = await readThroughCopies(c, "get_oembed", args, (text) => text); // without `success`
    const response: z.infer<typeof OEmbedResponse> = JSON.parse(new TextDecoder().decode(found.value.bytes));
    const keys = podcastKeys(response.podcast_slug);
    if (format === "json") return cacheableReply(c, found, keys);
    return cacheableReply(c, { ...found, value: await toXml(response) }, keys, "text/xml; charset=utf-8");
  },
);

/** The members as elements. The first call loads the builder. */
async function toXml(response: z.infer<typeof OEmbedResponse>): Promise<CacheableBody> {
  const { XMLBuilder } = await import("fast-xml-parser");
  const oembed = Object.fromEntries(
    Object.entries(response).map(([name, value]) => [name, stripForbidden(String(value))]),
  );
  const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: "@" });
  const declaration = { "@version": "1.0", "@encoding": "utf-8", "@standalone": "yes" };
  return toCacheableBody(builder.build({ "?xml": declaration, oembed }));
}
