/** Metadata of listen pages: for search engines, for other sites that show a preview, and for feed readers. */
import { html } from "hono/html";
import type { Html } from "../../app/html_page.ts";
import { toPlainText, truncate } from "../../text/plain_text.ts";
import { localeOf } from "./locale.ts";
import { type Episode, type Page, scriptJson } from "./page.ts";

/** Size of the player in previews of other sites. */
const CARD_WIDTH = 600, CARD_HEIGHT = 180;

export function podcastHead(page: Page): Html {
  const { podcast } = page, { title, description, listenUrl, coverImageUrl } = podcast;
  return html`${
    common(page, { title, description, url: listenUrl, image: coverImageUrl, type: "website", card: "summary" })
  }
  ${listenUrl && oembedLinks(page, listenUrl, title)}
  ${linkedData(podcastData(page))}`;
}

export function episodeHead(page: Page, episode: Episode): Html {
  const { podcast } = page, { title, listenUrl, embedUrl, audioUrl, audioContentType } = episode;
  const description = episode.description || toPlainText(episode.showNotesHtml ?? "", DESCRIPTION_CHARS);
  const image = episode.coverImageUrl ?? podcast.coverImageUrl;
  return html`${
    common(page, { title, description, url: listenUrl, image, type: "article", card: embedUrl ? "player" : "summary" })
  }
  ${property("article:published_time", episode.publishedAt)}
  ${property("og:audio", audioUrl)}${property("og:audio:type", audioUrl && audioContentType)}
  ${
    embedUrl && html`<meta name="twitter:player" content="${embedUrl}">
  <meta name="twitter:player:width" content="${CARD_WIDTH}">
  <meta name="twitter:player:height" content="${CARD_HEIGHT}">`
  }
  ${listenUrl && oembedLinks(page, listenUrl, title)}
  ${linkedData(episodeData(page, episode, description))}`;
}

/** The canonical page of a player in a frame is the listen page. */
export const canonicalLink = (url: string | null): Html | "" => url ? html`<link rel="canonical" href="${url}">` : "";

const DESCRIPTION_CHARS = 300, LINKED_DESCRIPTION_CHARS = 5000;

interface PageMetadata {
  title: string;
  description: string;
  url: string | null;
  image: string | null;
  type: "website" | "article";
  card: "summary" | "player";
}

function common({ podcast }: Page, { title, description, url, image, type, card }: PageMetadata): Html {
  const text = truncate(description.replace(/\s+/g, " ").trim(), DESCRIPTION_CHARS);
  const { feedUrl } = podcast;
  return html`
  <meta name="description" content="${text}">
  ${canonicalLink(url)}
  ${property("og:type", type)}${property("og:site_name", podcast.title)}${property("og:title", title)}
  ${property("og:description", text)}${property("og:url", url)}${property("og:image", image)}
  ${property("og:locale", localeOf(podcast.language))}
  <meta name="twitter:card" content="${card}">
  <meta name="twitter:title" content="${title}">
  <meta name="twitter:description" content="${text}">
  ${image && html`<meta name="twitter:image" content="${image}">`}
  ${feedUrl && html`<link rel="alternate" type="application/rss+xml" title="${podcast.title}" href="${feedUrl}">`}`;
}

const property = (name: string, content: string | null) =>
  content && html`<meta property="${name}" content="${content}">`;

/** https://oembed.com, section 4: consumers find the endpoint by these links. */
const oembedLinks = ({ settings }: Page, listenUrl: string, title: string) =>
  (["json", "xml"] as const).map((format) =>
    html`
  <link rel="alternate" type="${
      format === "json" ? "application/json+oembed" : "text/xml+oembed"
    }" title="${title}" href="${settings.public_api_url}/v1/oembed?url=${
      encodeURIComponent(listenUrl)
    }&format=${format}">`
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
function episodeData({ podcast }: Page, episode: Episode, description: string) {
  const { audioUrl, audioContentType, audioFileSizeBytes, durationSeconds, seasonNumber, episodeNumber } = episode;
  const duration = durationSeconds ? `PT${durationSeconds}S` : undefined;
  return {
    "@type": "PodcastEpisode",
    ...episode.listenUrl && { "@id": episode.listenUrl },
    name: episode.title,
    description: truncate(description, LINKED_DESCRIPTION_CHARS),
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
