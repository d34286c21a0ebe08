/** /ep/{episodeId} and /latest/{podcastSlug}: players that other pages embed in a frame. */
import type { Context } from "hono";
import { html } from "hono/html";
import { z } from "zod";
import { idParam } from "../../../types/envelope.ts";
import { SlugPathParams } from "../../../types/public.ts";
import type { AppEnv } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { sendPublicPage } from "../../app/html_page.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { podcastKeys } from "../../app/surrogate_keys.ts";
import { valid } from "../../app/validation.ts";
import { tileClass } from "../../text/initials.ts";
import { pageRouter } from "./error_page.ts";
import { createPage, type Episode, fullPlayerData, player, playerScript, podcastPolicy } from "./page.ts";
import { playerHead } from "./page_head.ts";
import { callPublic } from "./page_reads.ts";
import { type PageSettings, readPageSettings } from "./page_settings.ts";

export const episodePlayer = pageRouter("*").get(
  "/:id",
  describeRoute({
    operationId: "showEpisodePlayer",
    summary: "Embeddable episode player",
    description: STALE_COPY_DESCRIPTION,
    responseType: "text/html",
    hasEtag: true,
    errors: [404, 410],
  }),
  valid("param", z.object({ id: idParam("episode") })),
  async (c) => {
    const { id } = c.req.valid("param");
    const [{ data: episode }, settings] = await Promise.all([
      callPublic(c, "get_public_episode_by_id", { episodeId: id }),
      readPageSettings(c.var.reads),
    ]);
    return await showPlayer(c, episode.podcastSlug, episode, settings, episode.embedUrl);
  },
);

export const latestEpisodePlayer = pageRouter("*").get(
  "/:slug",
  describeRoute({
    operationId: "showLatestEpisodePlayer",
    summary: "Embeddable player of a podcast's latest episode",
    description: STALE_COPY_DESCRIPTION,
    responseType: "text/html",
    hasEtag: true,
    errors: [404, 410],
  }),
  valid("param", SlugPathParams),
  async (c) => {
    const { slug } = c.req.valid("param");
    const [{ data: latest }, settings] = await Promise.all([
      callPublic(c, "get_latest_public_episode", { slug }),
      readPageSettings(c.var.reads),
    ]);
    const playerUrl = latest.embedUrl && `${settings.embed_url}/latest/${encodeURIComponent(slug)}`;
    return await showPlayer(c, slug, latest, settings, playerUrl);
  },
);

/** `playerUrl` is the address of the player itself, null if the installation has no pages. */
async function showPlayer(
  c: Context<AppEnv>,
  slug: string,
  episode: Episode,
  settings: PageSettings,
  playerUrl: string | null,
) {
  const { data: podcast } = await callPublic(c, "get_public_podcast", { slug });
  const page = createPage(podcast, settings, c.req.url, 2), { pictures, texts, language } = page;
  const isTile = ![episode, podcast].some(({ coverImageUrl }) => pictures.isOwn(coverImageUrl));
  const attributes = html` lang="${language}" class="${isTile && tileClass(podcast.title)}"`;
  const body = html`<main>
  <h1 dir="auto">${episode.title}<noscript> <a class="away" href="${
    page.episodeUrl(episode)
  }" target="_blank" rel="noopener" aria-label="${texts.openPage}" lang="${language}"></a></noscript></h1>
  ${player(page, episode, fullPlayerData(page, episode), attributes)}
</main>
${playerScript(page)}`;
  return await sendPublicPage(c, {
    language: podcast.language,
    title: `${episode.title} · ${podcast.title}`,
    head: playerHead(page, playerUrl, episode),
    body,
    kind: "embed",
    policies: [podcastPolicy(settings)],
    frameAncestors: "*",
    headers: podcastKeys(slug),
  });
}
