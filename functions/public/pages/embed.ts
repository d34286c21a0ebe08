/**
 * /ep/{episodeId}, /latest/{podcastSlug} and /show/{podcastSlug}: players that other pages embed in a frame. The
 * parameters theme, accent, lang and t are in their query.
 */
import type { Context } from "hono";
import { html } from "hono/html";
import { z } from "zod";
import { idParam } from "../../../types/envelope.ts";
import { PlayerOptionsQuery, SlugPathParams } from "../../../types/public.ts";
import frame from "../../built/frame.json" with { type: "json" };
import type { AppEnv } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { directionOf, inlineAsset, sendPublicPage } from "../../app/html_page.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { podcastKeys } from "../../app/surrogate_keys.ts";
import { valid } from "../../app/validation.ts";
import { tileClass } from "../../text/initials.ts";
import { pageRouter } from "./error_page.ts";
import { playerQuery, readPlayerOptions } from "../../text/player_options.ts";
import { createPage, type Episode, fullPlayerData, player, playerScript, podcastPolicy } from "./page.ts";
import { playerHead } from "./page_head.ts";
import { callPublic } from "./page_reads.ts";
import { iconOf, type PageSettings, readPageSettings } from "./page_settings.ts";

const frameScript = inlineAsset(frame);

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
  valid("query", PlayerOptionsQuery),
  async (c) => {
    const { id } = c.req.valid("param");
    const [{ data: episode }, settings] = await Promise.all([
      callPublic(c, "get_public_episode_by_id", { episodeId: id }),
      readPageSettings(c.var.reads),
    ]);
    return await sendPlayer(c, settings, episode.podcastSlug, episode, c.req.valid("query"), {
      playerUrl: episode.embedUrl,
    });
  },
);

function podcastPlayer(description: { operationId: string; summary: string }, folder: "latest" | "show") {
  return pageRouter("*").get(
    "/:slug",
    describeRoute({
      ...description,
      description: STALE_COPY_DESCRIPTION,
      responseType: "text/html",
      hasEtag: true,
      errors: [404, 410],
    }),
    valid("param", SlugPathParams),
    valid("query", PlayerOptionsQuery),
    async (c) => {
      const { slug } = c.req.valid("param");
      const [{ data: latest }, settings] = await Promise.all([
        callPublic(c, "get_latest_public_episode", { slug }),
        readPageSettings(c.var.reads),
      ]);
      const playerUrl = latest.embedUrl && `${settings.embed_url}/${folder}/${encodeURIComponent(slug)}`;
      return await sendPlayer(c, settings, slug, latest, c.req.valid("query"), {
        playerUrl,
        hasList: folder === "show",
      });
    },
  );
}

export const latestEpisodePlayer = podcastPlayer({
  operationId: "showLatestEpisodePlayer",
  summary: "Embeddable player of a podcast's latest episode",
}, "latest");

export const showPlayer = podcastPlayer({
  operationId: "showPodcastPlayer",
  summary: "Embeddable player of a podcast, with a list of its episodes",
}, "show");

interface PlayerFrame {
  /** The address of the player itself, null if the installation has no pages. */
  playerUrl: string | null;
  hasList?: boolean;
}

async function sendPlayer(
  c: Context<AppEnv>,
  settings: PageSettings,
  slug: string,
  episode: Episode,
  query: z.infer<typeof PlayerOptionsQuery>,
  { playerUrl, hasList = false }: PlayerFrame,
) {
  const { data: podcast } = await callPublic(c, "get_public_podcast", { slug });
  const page = createPage(podcast, settings, c.req.url, 2), { pictures, texts, language } = page;
  const options = readPlayerOptions(query), { theme, accent, lang, t } = options;
  const isTile = ![episode, podcast].some(({ coverImageUrl }) => pictures.isOwn(coverImageUrl));
  const dir = lang && directionOf(lang); // else that of the page
  const values = { dir, podcast: hasList && podcast.slug, theme, accent, start: t };
  const attributes = html` lang="${lang ?? language}" class="${isTile && tileClass(podcast.title)}"${
    Object.entries(values).map(([name, value]) => value && html` ${name}="${value}"`)
  }`;
  const body = html`<main>
  <h1 dir="auto">${hasList ? podcast.title : episode.title}<noscript> <a class="away" href="${
    hasList ? page.podcastUrl : page.episodeUrl(episode)
  }" target="_blank" rel="noopener" aria-label="${texts.openPage}" lang="${language}"></a></noscript></h1>
  ${player(page, episode, fullPlayerData(page, episode), attributes)}
</main>
${playerScript(page)}`;
  return await sendPublicPage(c, {
    language: podcast.language,
    title: hasList ? podcast.title : `${episode.title} · ${podcast.title}`,
    head: playerHead(page, playerUrl && playerUrl + playerQuery(options), hasList ? undefined : episode),
    body,
    icon: iconOf(settings),
    kind: "embed",
    data: theme && { theme },
    script: frameScript,
    policies: [podcastPolicy(settings)],
    frameAncestors: "*",
    headers: podcastKeys(slug),
  });
}
