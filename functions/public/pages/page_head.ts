/** Metadata of pages: for search engines, for other sites that show a preview, and for feed readers. */
import { html } from "hono/html";
import type { Html } from "../../app/html_page.ts";
import { toPlainText, truncate } from "../../text/plain_text.ts";
import { PLAYER_HEIGHT, PLAYER_WIDTH, SHOW_HEIGHT } from "../../text/player_frame.ts";
import { localeOf } from "./locale.ts";
import { type Episode, type Page, scriptJson } from "./page.ts";
import type { PageSettings } from "./page_settings.ts";
import { previewOf } from "./pictures.ts";

/** Pages of older episodes have a title and an address of their own. */
export function podcastHead(page: Page, title = page.podcast.title, listenUrl = page.podcast.listenUrl): Html {
  return html`${preview(page, { title, listenUrl, oembedUrl: page.podcast.listenUrl, playerUrl: null })}
  ${linkedData(podcastData(page))}`;
}

export function episodeHead(page: Page, episode: Episode): Html {
  const { listenUrl, embedUrl } = episode;
  return html`${preview(page, { episode, oembedUrl: listenUrl, playerUrl: embedUrl })}
  ${linkedData(episodeData(page, episode))}`;
}

/**
 * Of a player in a frame, by its own address with its parameters: previews show it, and its canonical page is the listen page of the episode
 * that it begins with, or of its podcast.
 */
export const playerHead = (page: Page, url: string | null, episode?: Episode): Html =>
  preview(page, { episode, oembedUrl: url, playerUrl: url });

const DESCRIPTION_CHARS = 300, LINKED_DESCRIPTION_CHARS = 5000;

interface PreviewOptions {
  /** What the page is about, beside its podcast. */
  episode?: Episode;
  /** Of the page, if they are not those of the episode or podcast. */
  title?: string;
  listenUrl?: string | null;
  /** The address whose player oEmbed returns; null if the installation has no pages. */
  oembedUrl: string | null;
  /** The page of the player that the preview contains. */
  playerUrl: string | null;
}

function preview({ podcast, settings }: Page, { episode, oembedUrl, playerUrl, ...own }: PreviewOptions): Html {
  const { title, listenUrl } = { ...episode ?? podcast, ...own }, { feedUrl } = podcast, { twitter_site } = settings;
  const description = episode ? descriptionOf(episode) : podcast.description;
  const text = truncate(description.replace(/\s+/g, " ").trim(), DESCRIPTION_CHARS) || title; // consumers want one
  const image = previewOf(episode ? [episode, podcast] : [podcast]), { url = null, copy } = image ?? {};
  return html`
  <meta name="description" content="${text}">
  ${listenUrl && html`<link rel="canonical" href="${listenUrl}">`}
  ${property("og:type", episode ? "article" : "website")}${property("og:site_name", podcast.title)}
  ${property("og:title", title)}${property("og:description", text)}${property("og:url", listenUrl)}
  ${property("og:image", url)}${
    copy &&
    html`${property("og:image:type", copy.type)}${property("og:image:width", copy.width)}${
      property("og:image:height", copy.height)
    }`
  }${property("og:image:alt", url && podcast.title)}
  ${property("og:locale", localeOf(podcast.language))}
  ${
    episode &&
    html`${property("article:published_time", episode.publishedAt)}${property("og:audio", episode.audioUrl)}${
      property("og:audio:type", episode.audioUrl && episode.audioContentType)
    }`
  }
  ${named("twitter:card", playerUrl ? "player" : "summary")}
  ${named("twitter:site", twitter_site && `@${twitter_site.replace(/^@/, "")}`)}
  ${named("twitter:title", title)}${named("twitter:description", text)}
  ${named("twitter:image", url)}${named("twitter:image:alt", url && podcast.title)}
  ${
    playerUrl &&
    html`${named("twitter:player", playerUrl)}${named("twitter:player:width", PLAYER_WIDTH)}${
      named("twitter:player:height", episode ? PLAYER_HEIGHT : SHOW_HEIGHT)
    }`
  }
  ${feedUrl && html`<link rel="alternate" type="application/rss+xml" title="${podcast.title}" href="${feedUrl}">`}
  ${oembedUrl && oembedLinks(settings, oembedUrl, title)}`;
}

const descriptionOf = ({ description, showNotesHtml }: Episode) =>
  description || toPlainText(showNotesHtml ?? "", DESCRIPTION_CHARS);

type Content = string | number | null;
const property = (name: string, content: Content) => content && html`<meta property="${name}" content="${content}">`;
const named = (name: string, content: Content) => content && html`<meta name="${name}" content="${content}">`;

/** https://oembed.com, section 4: consumers find the endpoint by these links. */
const oembedLinks = ({ public_api_url }: PageSettings, url: string, title: string) =>
  (["json", "xml"] as const).map((format) =>
    html`
  <link rel="alternate" type="${
      format === "json" ? "application/json+oembed" : "text/xml+oembed"
    }" title="${title}" href="${public_api_url}/v1/oembed?url=${encodeURIComponent(url)}&format=${format}">`
  );

const linkedData = (data: object) =>
  html`<script type="application/ld+json">${scriptJson({ "@context": "https://schema.org", ...data })}</script>`;

/** https://schema.org/PodcastSeries */
function podcastData({ podcast }: Page) {
  const { title, description, author, listenUrl, link, feedUrl, coverImageUrl, categories, credits } = podcast;
  return {
    "@type": "PodcastSeries",
    ...podcast.listenUrl && { "@id": podcast.listenUrl },
    name: title,
    description: truncate(description, LINKED_DESCRIPTION_CHARS),
    url: listenUrl ?? link ?? undefined,
    ...link && link !== listenUrl && { sameAs: link },
    webFeed: feedUrl ?? undefined,
    image: coverImageUrl ?? undefined,
    inLanguage: podcast.language,
    isFamilyFriendly: !podcast.explicit,
    ...author && { author: { "@type": "Organization", name: author } },
    ...credits.length > 0 && { contributor: credits.map(personData) },
    ...categories.length > 0 && { genre: categories.flatMap(({ category, subcategory }) => subcategory ?? category) },
  };
}

/** https://schema.org/PodcastEpisode */
function episodeData({ podcast }: Page, episode: Episode) {
  const { audioUrl, audioContentType, audioFileSizeBytes, durationSeconds, seasonNumber, episodeNumber } = episode;
  const duration = durationSeconds ? `PT${durationSeconds}S` : undefined;
  return {
    "@type": "PodcastEpisode",
    ...episode.listenUrl && { "@id": episode.listenUrl },
    name: episode.title,
    description: truncate(descriptionOf(episode), LINKED_DESCRIPTION_CHARS),
    url: episode.listenUrl ?? undefined,
    datePublished: episode.publishedAt,
    timeRequired: duration,
    image: episode.coverImageUrl ?? podcast.coverImageUrl ?? undefined,
    inLanguage: podcast.language,
    isFamilyFriendly: !episode.explicit,
    ...episodeNumber && { episodeNumber },
    ...seasonNumber && { partOfSeason: { "@type": "PodcastSeason", seasonNumber } },
    partOfSeries: {
      "@type": "PodcastSeries",
      name: podcast.title,
      url: podcast.listenUrl ?? podcast.link ?? undefined,
      webFeed: podcast.feedUrl ?? undefined,
    },
    ...audioUrl && {
      associatedMedia: {
        "@type": "AudioObject",
        contentUrl: audioUrl,
        encodingFormat: audioContentType ?? undefined,
        contentSize: audioFileSizeBytes ? String(audioFileSizeBytes) : undefined,
        duration,
      },
    },
    ...episode.credits.length > 0 && { contributor: episode.credits.map(personData) },
  };
}

const personData = ({ name, externalUrl }: Episode["credits"][number]) => ({
  "@type": "Person",
  name,
  ...externalUrl && { url: externalUrl },
});
