/**
 * /listen/{podcast} and /listen/{podcast}/{episode}: the pages that feeds link to. The platform's default domain
 * serves HTML as plain text, so an installation needs its own domain (docs/operating.md).
 */
import type { Context } from "hono";
import { z } from "zod";
import { ListEpisodesQuery, SlugPathParams } from "../../../types/public.ts";
import listenScript from "../../built/listen.json" with { type: "json" };
import type { AppEnv } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { type Html, inlineAsset, sendPublicPage } from "../../app/html_page.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { podcastKeys } from "../../app/surrogate_keys.ts";
import { valid } from "../../app/validation.ts";
import { renderEpisode } from "./episode_page.ts";
import { EPISODE_NOT_FOUND, PageError, pageRouter } from "./error_page.ts";
import { createPage, type Page, podcastPolicy } from "./page.ts";
import { episodeHead, podcastHead } from "./page_head.ts";
import { callPublic, readChapters } from "./page_reads.ts";
import { readPageSettings } from "./page_settings.ts";
import { readPageTranscript } from "./page_transcript.ts";
import { renderShow } from "./show_page.ts";

const EpisodeSlug = SlugPathParams.extend({ episode: z.string().min(1).describe("Slug or id") });
const Cursor = ListEpisodesQuery.pick({ cursor: true });

export const listen = pageRouter("'self'")
  .get(
    "/:slug",
    describeRoute({
      operationId: "showPodcastPage",
      summary: "Page of a published podcast",
      description: STALE_COPY_DESCRIPTION,
      responseType: "text/html",
      hasEtag: true,
      errors: [404, 410],
    }),
    valid("param", SlugPathParams),
    valid("query", Cursor),
    async (c) => {
      const { slug } = c.req.valid("param"), query = c.req.valid("query");
      const [{ data: podcast }, listed, settings] = await Promise.all([
        callPublic(c, "get_public_podcast", { slug }),
        callPublic(c, "list_public_episodes", { slug, ...query }),
        readPageSettings(c.var.reads),
      ]);
      const page = createPage(podcast, settings, c.req.url, 2);
      return send(c, page, podcast.title, podcastHead(page), renderShow(page, listed, query.cursor === undefined));
    },
  )
  .get(
    "/:slug/:episode",
    describeRoute({
      operationId: "showEpisodePage",
      summary: "Page of a published episode",
      description: STALE_COPY_DESCRIPTION,
      responseType: "text/html",
      hasEtag: true,
      errors: [404, 410],
    }),
    valid("param", EpisodeSlug),
    (c) => showEpisode(c, c.req.valid("param")),
  );

async function showEpisode(c: Context<AppEnv>, { slug, episode: idOrSlug }: z.infer<typeof EpisodeSlug>) {
  const [{ data: podcast }, found, settings] = await Promise.all([
    callPublic(c, "get_public_podcast", { slug }),
    callPublic(c, "get_public_episode", { slug, idOrSlug }).catch(undefinedIfNotFound),
    readPageSettings(c.var.reads),
  ]);
  const page = createPage(podcast, settings, c.req.url, 3);
  if (!found) {
    const { title, language } = podcast;
    const content = { ...EPISODE_NOT_FOUND, podcast: { url: page.podcastUrl, title, language } };
    throw new PageError(404, "Episode not found", content);
  }
  const { data: episode } = found;
  const [chapters, transcript] = await Promise.all([
    readChapters(c, episode, settings),
    readPageTranscript(c, podcast, episode),
  ]);
  const title = `${episode.title} · ${podcast.title}`;
  return send(c, page, title, episodeHead(page, episode), renderEpisode(page, { episode, chapters, transcript }));
}

function undefinedIfNotFound(error: { code?: string }): undefined {
  if (error.code !== "PT404") throw error;
}

const script = inlineAsset(listenScript);

function send(c: Context<AppEnv>, page: Page, title: string, head: Html, body: Html): Promise<Response> {
  const { podcast: { language, slug }, settings, texts } = page;
  return sendPublicPage(c, {
    language,
    title,
    head,
    body,
    kind: "listen",
    data: { "play-word": texts.play, "pause-word": texts.pause },
    script,
    policies: [podcastPolicy(settings)],
    frameAncestors: "'self'",
    headers: podcastKeys(slug),
  });
}
