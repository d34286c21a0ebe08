/** What the HTML pages of podcasts share: links, texts, pictures and the player. They show published fields only. */
import { html, raw } from "hono/html";
import type { z } from "zod";
import type { PublicEpisode, PublicPodcast } from "../../../types/public.ts";
import script from "../../built/player.json" with { type: "json" };
import { type Html, type Policy, toSource } from "../../app/html_page.ts";
import { imageOrigins, originsOf, type PageSettings } from "./page_settings.ts";
import { playerTexts, TEXTS } from "../../text/languages/all.ts";
import { formatTag, type Language, languageOf, LANGUAGES, type Texts } from "../../text/languages/texts.ts";
import { createPictures, type Pictures } from "./pictures.ts";

export type Episode = z.infer<typeof PublicEpisode>;
export type Podcast = z.infer<typeof PublicPodcast>;

export interface Page {
  podcast: Podcast;
  settings: PageSettings;
  pictures: Pictures;
  texts: Texts["shared"] & Texts["pages"];
  /** Language of the texts. */
  language: Language;
  /** Tag for dates and numbers. */
  format: string;
  /** URL of the podcast's page. */
  podcastUrl: string;
  episodeUrl(episode: Episode): string;
}

/** `url` is the requested one, `depth` the number of its path's segments below the pages' base. */
export function createPage(podcast: Podcast, settings: PageSettings, url: string, depth: 2 | 3): Page {
  // Without a domain for pages, links are relative: the requested host is unknown behind proxies
  const base = "../".repeat(depth - (new URL(url).pathname.endsWith("/") ? 0 : 1)) + "listen/";
  const language = languageOf(podcast.language);
  const podcastUrl = podcast.listenUrl ?? base + encodeURIComponent(podcast.slug);
  return {
    podcast,
    settings,
    pictures: createPictures(settings),
    texts: { ...TEXTS[language].shared, ...TEXTS[language].pages },
    language,
    format: formatTag(podcast.language),
    podcastUrl,
    episodeUrl: ({ listenUrl, slug }) => listenUrl ?? `${podcastUrl}/${encodeURIComponent(slug)}`,
  };
}

/** Audio may be hosted anywhere; it is requested when the listener presses play. */
export function podcastPolicy(settings: PageSettings): Policy {
  const { media_url, public_api_url, embed_url } = settings;
  return {
    "script-src": [toSource(settings.embed_url + PLAYER_SCRIPT)],
    "connect-src": originsOf([embed_url, public_api_url, media_url]), // a transcript redirects to its file
    "img-src": ["'self'", "data:", ...imageOrigins(settings)],
    "media-src": ["http:", "https:"],
  };
}

/** Of the player, and of the panels that it imports: a policy ignores the query. */
const PLAYER_SCRIPT = "/player/v1.js";

/**
 * The script of the player, after the texts in the language of the page, which it then need not load. With its version,
 * a page that is loaded after a deployment does not get the script from before it.
 */
export const playerScript = ({ settings, language }: Page): Html =>
  html`${
    language !== LANGUAGES[0] &&
    html`<script type="application/json" id="castbase-texts" lang="${language}">${
      scriptJson(playerTexts(language))
    }</script>`
  }<script src="${settings.embed_url}${PLAYER_SCRIPT}?v=${script.etag}" async></script>`;

/** JSON for a script element: no `<` can end it or begin a comment. */
export const scriptJson = (value: unknown) => raw(JSON.stringify(value).replaceAll("<", "\\u003c"));

/** The player with its data, and the browser's own controls for pages without scripts. */
export function player(page: Page, episode: Episode, shown: PlayerData, attributes: Html = html``): Html {
  const { title, audioUrl, audioContentType } = episode;
  return html`<castbase-player${attributes}><script type="application/json">${scriptJson(shown)}</script>${
    audioUrl
      ? html`<audio controls preload="none" aria-label="${title}"><source src="${audioUrl}" type="${audioContentType}"></audio>`
      : html`<p class="quiet" lang="${page.language}">${page.texts.noAudio}</p>`
  }</castbase-player>`;
}

interface PlayerData {
  podcast: Partial<Podcast>;
  episode: Partial<Episode>;
  /** Of images that the player may show when it reads more. */
  imageOrigins?: string[];
}

/** All that the player shows. Its pictures obey the rule of pages. */
export const fullPlayerData = (page: Page, episode: Episode): PlayerData => ({
  imageOrigins: imageOrigins(page.settings),
  podcast: { ...page.podcast, ...briefPodcast(page), description: undefined, credits: undefined },
  episode: {
    ...episode,
    ...briefEpisode(page, episode),
    credits: episode.credits.map((credit) => ({ ...credit, ...page.pictures.ownAvatar(credit) })),
    description: undefined,
    showNotesHtml: undefined,
  },
});

/** For players on pages that show chapters, transcript, credits and links themselves. */
export const briefPlayerData = (page: Page, episode: Episode): PlayerData => ({
  podcast: briefPodcast(page),
  episode: briefEpisode(page, episode),
});

export const briefPodcast = ({ podcast, pictures }: Page): Partial<Podcast> => ({
  slug: podcast.slug,
  title: podcast.title,
  language: podcast.language,
  listenUrl: podcast.listenUrl,
  ...pictures.ownCover(podcast),
});

export const briefEpisode = ({ pictures }: Page, episode: Episode): Partial<Episode> => ({
  id: episode.id,
  podcastSlug: episode.podcastSlug,
  title: episode.title,
  durationSeconds: episode.durationSeconds,
  audioUrl: episode.audioUrl,
  listenUrl: episode.listenUrl,
  embedUrl: episode.embedUrl,
  ...pictures.ownCover(episode),
});
