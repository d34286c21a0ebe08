/** /ep/{episodeId} and /latest/{podcastSlug}: an episode to listen to in a frame on anyone's page. */
import type { Context } from "hono";
import { html } from "hono/html";
import { z } from "zod";
import { Id } from "../../types/envelope.ts";
import { SlugPathParams } from "../../types/public.ts";
import type { AppEnv } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { onlyRow } from "../database/db.ts";
import { ApiError } from "../app/errors.ts";
import { valid } from "../app/validation.ts";
import { PageError, pageRouter } from "./error_page.ts";
import { cover, type Episode, page, player, type Podcast, read } from "./page.ts";

export const episodeFrame = pageRouter("*").get(
  "/:id",
  describeRoute({
    operationId: "showEpisodePlayer",
    summary: "Embeddable episode player",
    responseType: "text/html",
    errors: [404, 503],
  }),
  valid("param", z.object({ id: Id })),
  async (c) => {
    // no verb finds an episode without its podcast; the view shows what is published, to everyone
    const { body } = onlyRow(
      await c.var.reads.serviceSql<{ body: Episode | null }[]>`
    select (select body from private.published_episodes where id = ${c.req.valid("param").id}) as body`,
    );
    if (!body) throw new ApiError(404, "Episode not found");
    return await frame(c, body.podcastSlug, body);
  },
);

export const latestFrame = pageRouter("*").get(
  "/:slug",
  describeRoute({
    operationId: "showLatestEpisodePlayer",
    summary: "Embeddable player of a podcast's latest episode",
    responseType: "text/html",
    errors: [404, 503],
  }),
  valid("param", SlugPathParams),
  async (c) => {
    const { slug } = c.req.valid("param");
    const { data: [latest] } = await read<{ data: Episode[] }>(c, "list_public_episodes", { slug, limit: 1 });
    return await frame(c, slug, latest);
  },
);

async function frame(c: Context<AppEnv>, slug: string, episode?: Episode): Promise<Response> {
  const { data: show } = await read<{ data: Podcast }>(c, "get_public_podcast", { slug });
  if (!episode) {
    const problem = { title: "No episodes yet", advice: "The first one will appear here." };
    throw new PageError(404, "Episode not found", problem, show);
  }
  const body = html`${cover(episode.coverImageUrl ?? show.coverImageUrl)}<h1>${episode.title}</h1>${player(episode)}`;
  return page({ show, title: `${episode.title} · ${show.title}`, body, framedBy: "*" });
}
