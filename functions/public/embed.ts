/** /ep/{episodeId} and /latest/{podcastSlug}: players that other pages embed in a frame. */
import type { Context } from "hono";
import { html } from "hono/html";
import { z } from "zod";
import { Id } from "../../types/envelope.ts";
import { SlugPathParams } from "../../types/public.ts";
import type { AppEnv } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { valid } from "../app/validation.ts";
import { pageRouter } from "./error_page.ts";
import { cover, type Episode, player, sendPodcastPage } from "./page.ts";
import { callPublic } from "./page_reads.ts";

export const episodePlayer = pageRouter("*").get(
  "/:id",
  describeRoute({
    operationId: "showEpisodePlayer",
    summary: "Embeddable episode player",
    responseType: "text/html",
    errors: [404, 410],
  }),
  valid("param", z.object({ id: Id })),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data: episode } = await callPublic(c, "get_public_episode_by_id", { episodeId: id });
    return await showPlayer(c, episode.podcastSlug, episode);
  },
);

export const latestEpisodePlayer = pageRouter("*").get(
  "/:slug",
  describeRoute({
    operationId: "showLatestEpisodePlayer",
    summary: "Embeddable player of a podcast's latest episode",
    responseType: "text/html",
    errors: [404, 410],
  }),
  valid("param", SlugPathParams),
  async (c) => {
    const { slug } = c.req.valid("param");
    const { data: latest } = await callPublic(c, "get_latest_public_episode", { slug });
    return await showPlayer(c, slug, latest);
  },
);

async function showPlayer(c: Context<AppEnv>, slug: string, episode: Episode): Promise<Response> {
  const { data: podcast } = await callPublic(c, "get_public_podcast", { slug });
  const body = html`${cover(episode.coverImageUrl ?? podcast.coverImageUrl)}<h1>${episode.title}</h1>${
    player(episode)
  }`;
  return sendPodcastPage({ podcast, title: `${episode.title} · ${podcast.title}`, body, frameAncestors: "*" });
}
