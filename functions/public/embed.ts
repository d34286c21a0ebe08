/** /ep/{episodeId} and /latest/{podcastSlug}: players that other pages embed in a frame. */
import type { Context } from "hono";
import { html } from "hono/html";
import { z } from "zod";
import { Id } from "../../types/envelope.ts";
import { SlugPathParams } from "../../types/public.ts";
import type { AppEnv } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { onlyRow } from "../database/db.ts";
import { valid } from "../app/validation.ts";
import { EPISODE_NOT_FOUND, PageError, pageRouter } from "./error_page.ts";
import { cover, type Episode, player, sendPodcastPage } from "./page.ts";
import { callPublic, throwIfDeleted } from "./page_reads.ts";

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
    // no public function finds an episode without its podcast; the view contains published episodes only
    const { body } = onlyRow(
      await c.var.reads.serviceSql<{ body: Episode | null }[]>`
    select (select body from private.published_episodes where id = ${id}) as body`,
    );
    if (!body) {
      await throwIfDeleted(c, { episodeId: id });
      throw new PageError(404, "Episode not found", EPISODE_NOT_FOUND);
    }
    return await showPlayer(c, body.podcastSlug, body);
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
    const { data: [latest] } = await callPublic(c, "list_public_episodes", { slug, limit: 1 });
    return await showPlayer(c, slug, latest);
  },
);

async function showPlayer(c: Context<AppEnv>, slug: string, episode?: Episode): Promise<Response> {
  const { data: podcast } = await callPublic(c, "get_public_podcast", { slug });
  if (!episode) {
    const content = { title: "No episodes yet", advice: "The first one will appear here.", podcast };
    throw new PageError(404, "Episode not found", content);
  }
  const body = html`${cover(episode.coverImageUrl ?? podcast.coverImageUrl)}<h1>${episode.title}</h1>${
    player(episode)
  }`;
  return sendPodcastPage({ podcast, title: `${episode.title} · ${podcast.title}`, body, frameAncestors: "*" });
}
