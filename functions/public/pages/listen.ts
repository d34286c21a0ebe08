/**
 * /listen/{podcast} and /listen/{podcast}/{episode}: the pages that feeds link to. The platform's default domain
 * serves HTML as plain text, so an installation needs its own domain (docs/operating.md).
 */
import type { Context } from "hono";
import { html } from "hono/html";
import { z } from "zod";
import { cursorParam, integerParam } from "../../../types/envelope.ts";
import { MAX_SEARCH_CHARS, searchParam, SlugPathParams } from "../../../types/public.ts";
import listenScript from "../../built/listen.json" with { type: "json" };
import type { AppEnv } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { type Html, inlineAsset, sendPublicPage } from "../../app/html_page.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { podcastKeys } from "../../app/surrogate_keys.ts";
import { valid } from "../../app/validation.ts";
import { renderEpisode } from "./episode_page.ts";
import { EPISODE_NOT_FOUND, PAGE_NOT_FOUND, PageError, pageRouter } from "./error_page.ts";
import { createPage, type Page, podcastPolicy } from "./page.ts";
import { episodeHead, podcastHead } from "./page_head.ts";
import { callPublic, readChapters } from "./page_reads.ts";
import { iconOf, readPageSettings } from "./page_settings.ts";
import { readPageTranscript } from "./page_transcript.ts";
import { type Listing, renderShow } from "./show_page.ts";
import { fill } from "../../text/languages/texts.ts";

const EpisodeSlug = SlugPathParams.extend({ episode: z.string().min(1).describe("Slug or id") });

/** A cursor continues a search. Other addresses with one, which older pages had, show the newest episodes. */
const ShowQuery = z.object({
  page: integerParam(1, 1_000_000).optional().describe("1 has the oldest episodes; the newest ones by default"),
  q: z.string().meta({ maxLength: MAX_SEARCH_CHARS }).optional().transform((text) => text?.trim() || undefined).pipe(
    searchParam.optional(),
  )
    .describe("Only episodes with these words"),
  cursor: cursorParam,
});

const SEARCH_PAGE_SIZE = 20;

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
    valid("query", ShowQuery),
    async (c) => {
      const { slug } = c.req.valid("param"), { q, cursor, page: number } = c.req.valid("query");
      const [{ data: podcast }, listing, settings] = await Promise.all([
        callPublic(c, "get_public_podcast", { slug }),
        q === undefined ? listPage(c, slug, number) : search(c, slug, q, cursor),
        readPageSettings(c.var.reads),
      ]);
      const page = createPage(podcast, settings, c.req.url, 2);
      if (!listing) {
        const { title, language } = podcast;
        const content = { ...PAGE_NOT_FOUND, podcast: { url: page.podcastUrl, title, language } };
        throw new PageError(404, "The podcast has no page of this number", content);
      }
      const title = listTitle(page, listing);
      return send(c, page, title, listHead(page, title, listing), renderShow(page, listing), true);
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

/** Undefined if the podcast has no page of this number. */
async function listPage(c: Context<AppEnv>, slug: string, number?: number): Promise<Listing | undefined> {
  const listed = await callPublic(c, "list_public_episode_page", { slug, page: number ?? null })
    .catch(undefinedIfNotFound);
  if (!listed) return;
  const { data: episodes, olderPage, newerPage } = listed;
  return {
    episodes,
    number,
    olderHref: pageHref(olderPage),
    newerHref: pageHref(newerPage),
  };
}

const pageHref = (number: number | null) => number === null ? null : `?page=${number}`;

async function search(c: Context<AppEnv>, slug: string, q: string, cursor?: string): Promise<Listing | undefined> {
  const found = await callPublic(c, "list_public_episodes", {
    slug,
    limit: SEARCH_PAGE_SIZE,
    q,
    cursor: cursor ?? null,
  })
    .catch(undefinedIfNotFound);
  if (!found) return;
  const { data: episodes, pagination: { nextCursor } } = found;
  return {
    episodes,
    q,
    isContinued: cursor !== undefined,
    olderHref: nextCursor && `?${new URLSearchParams({ q, cursor: nextCursor })}`,
    newerHref: null,
  };
}

function listTitle({ podcast, texts }: Page, { q, number }: Listing): string {
  const part = q ?? (number && fill(texts.page, number));
  return part ? `${part} · ${podcast.title}` : podcast.title;
}

/** Search engines leave out searches. */
function listHead(page: Page, title: string, { q, number, olderHref, newerHref }: Listing): Html {
  if (q !== undefined) {
    return html`
  <meta name="robots" content="noindex">`;
  }
  const { listenUrl } = page.podcast, newer = newerHref ?? (number && page.podcastUrl);
  return html`${podcastHead(page, title, number && listenUrl ? `${listenUrl}?page=${number}` : listenUrl)}
  ${newer && html`<link rel="prev" href="${newer}">`}${olderHref && html`<link rel="next" href="${olderHref}">`}`;
}

async function showEpisode(c: Context<AppEnv>, { slug, episode: idOrSlug }: z.infer<typeof EpisodeSlug>) {
  const [{ data: podcast }, found, neighbors, settings] = await Promise.all([
    callPublic(c, "get_public_podcast", { slug }),
    callPublic(c, "get_public_episode", { slug, idOrSlug }).catch(undefinedIfNotFound),
    callPublic(c, "get_public_neighbors", { slug, idOrSlug }).catch(undefinedIfNotFound),
    readPageSettings(c.var.reads),
  ]);
  const page = createPage(podcast, settings, c.req.url, 3);
  if (!found || !neighbors) {
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
  const body = renderEpisode(page, { episode, chapters, transcript, neighbors });
  return send(c, page, title, episodeHead(page, episode), body);
}

function undefinedIfNotFound(error: { code?: string }): undefined {
  if (error.code !== "PT404") throw error;
}

const script = inlineAsset(listenScript);

function send(
  c: Context<AppEnv>,
  page: Page,
  title: string,
  head: Html,
  body: Html,
  isShow?: true,
): Promise<Response> {
  const { podcast: { language, slug }, settings, texts } = page;
  return sendPublicPage(c, {
    language,
    title,
    head,
    body,
    icon: iconOf(settings),
    kind: "listen",
    data: { "play-word": texts.play, "pause-word": texts.pause },
    script,
    policies: [podcastPolicy(settings), isShow ? { "connect-src": ["'self'"] } : {}], // its script loads more episodes
    hasForm: isShow,
    frameAncestors: "'self'",
    headers: podcastKeys(slug),
  });
}
