/**
 * GET /v1/oembed: the player of a page, by the oEmbed standard (https://oembed.com). sql/95_public finds the player; the
 * frame, its size and its parameters are those of functions/text.
 */
import type { z } from "zod";
import { OEmbedQuery, OEmbedResponse } from "../../../types/public.ts";
import { publicReadRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { type CacheableBody, cacheableReply, toCacheableBody } from "../../app/reply.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { podcastKeys } from "../../app/surrogate_keys.ts";
import { valid } from "../../app/validation.ts";
import { BAR_HEIGHT, fitPlayer, fitsList, type FrameSize, MIN_WIDTH, playerFrame } from "../../text/player_frame.ts";
import { type PlayerOptions, playerQuery, readPlayerOptions } from "../../text/player_options.ts";
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
    const { format, theme, accent, lang, t, ...args } = c.req.valid("query"), { url, maxwidth, maxheight } = args;
    if (format !== "json" && format !== "xml") {
      throw new ApiError(501, "This format is not supported; use json or xml");
    }
    const [size, listSize] = [false, true].map((hasList) => fitPlayer(maxwidth, maxheight, hasList));
    if (!size || !listSize) {
      throw new ApiError(404, `The player needs at least ${MIN_WIDTH} by ${BAR_HEIGHT} pixels`);
    }
    const found = await readThroughCopies(c, "get_oembed", args, (text) => text);
    const player: FoundPlayer = JSON.parse(new TextDecoder().decode(found.value.bytes));
    const options = readPlayerOptions({ ...optionsOf(url), ...definedOf({ theme, accent, lang, t }) });
    const response = toResponse(player, player.has_list ? listSize : size, options);
    const keys = podcastKeys(response.podcast_slug);
    if (format === "json") {
      return cacheableReply(c, { ...found, value: toCacheableBody(JSON.stringify(response)) }, keys);
    }
    return cacheableReply(c, { ...found, value: await toXml(response) }, keys, "text/xml; charset=utf-8");
  },
);

type OEmbed = z.infer<typeof OEmbedResponse>;

/** What the database knows of a player. */
type FoundPlayer =
  & Pick<OEmbed, "podcast_slug" | "author_name" | "author_url" | "provider_url">
  & Pick<OEmbed, "thumbnail_url" | "thumbnail_width" | "thumbnail_height">
  & { podcast_title: string; embed_url: string; has_list: boolean }
  & ({ episode_id: string; episode_title: string } | { episode_id: null; episode_title: null });

/** The parameters in the query of a page's URL, and the time in its fragment. */
function optionsOf(url: string): Record<string, string> {
  if (!URL.canParse(url)) return {};
  const { searchParams, hash } = new URL(url), [, t] = /[#&]t=([\w:]+)/.exec(hash) ?? [];
  return { ...Object.fromEntries(searchParams), ...t && { t } };
}

const definedOf = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

function toResponse(player: FoundPlayer, size: FrameSize, options: PlayerOptions): OEmbed {
  const { podcast_slug, podcast_title, embed_url, has_list, episode_id, episode_title, ...facts } = player;
  const slug = encodeURIComponent(podcast_slug);
  // A player of the latest episode alone fits where the list does not
  const page = episode_id ? `ep/${episode_id}` : `${has_list && fitsList(size) ? "show" : "latest"}/${slug}`;
  const name = [episode_title, podcast_title].filter(Boolean).join(" · ");
  return {
    version: "1.0",
    type: "rich",
    title: episode_title ?? podcast_title,
    provider_name: "Castbase",
    cache_age: 300,
    ...facts,
    ...size,
    podcast_slug,
    html: playerFrame(`${embed_url}/${page}${playerQuery(options)}`, name, size),
  };
}

/** The members as elements. The first call loads the builder. */
async function toXml(response: OEmbed): Promise<CacheableBody> {
  const { XMLBuilder } = await import("fast-xml-parser");
  const oembed = Object.fromEntries(
    Object.entries(response).map(([name, value]) => [name, stripForbidden(String(value))]),
  );
  const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: "@" });
  const declaration = { "@version": "1.0", "@encoding": "utf-8", "@standalone": "yes" };
  return toCacheableBody(builder.build({ "?xml": declaration, oembed }));
}
