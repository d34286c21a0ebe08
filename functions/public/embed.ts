/** /ep/{episodeId} and /latest/{podcastSlug}: an episode to listen to in a frame on anyone's page. */
import type { Context } from "hono";
import { html } from "hono/html";
import { z } from "zod";
import { Id } from "../../types/envelope.ts";
import { Slug } from "../../types/public.ts";
import { type AppEnv, readRouter } from "../_shared/app.ts";
import { only } from "../_shared/db.ts";
import { Refusal } from "../_shared/refusal.ts";
import { valid } from "../_shared/valid.ts";
import { cover, type Episode, page, player, type Podcast, read } from "./page.ts";

export const episodeFrame = readRouter().get("/:id", valid("param", z.object({ id: Id })), async (c) => {
  // no verb finds an episode without its podcast; the view shows what is published, to everyone
  const { shown } = only(
    await c.var.reads.service<{ shown: Episode | null }[]>`
    select (select shown from private.published_episodes where id = ${c.req.valid("param").id}) as shown`,
  );
  return await frame(c, shown ?? undefined);
});

export const latestFrame = readRouter().get("/:slug", valid("param", Slug), async (c) => {
  const { slug } = c.req.valid("param");
  const { data: [latest] } = await read<{ data: Episode[] }>(c, "list_public_episodes", { slug, limit: 1 });
  return await frame(c, latest);
});

async function frame(c: Context<AppEnv>, episode?: Episode): Promise<Response> {
  if (!episode) throw new Refusal(404, "Episode not found");
  const { data: show } = await read<{ data: Podcast }>(c, "get_public_podcast", { slug: episode.podcastSlug });
  const body = html`${cover(episode.coverImageUrl ?? show.coverImageUrl)}<h1>${episode.title}</h1>${player(episode)}`;
  return page(c, { show, title: `${episode.title} · ${show.title}`, body, framedBy: "*" });
}
