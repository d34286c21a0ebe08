/** What the OpenAPI document of the public interface, /v1/openapi.json, says besides its routes. */
import type { DocumentFacts } from "../../app/openapi.ts";

export const PUBLIC_DOCUMENT: DocumentFacts = {
  title: "Castbase public API",
  description:
    `Published podcasts and episodes, for everyone and without a key: a read API below \`/v1\`, feeds, chapters,
transcripts, an embeddable player, and pages.

- \`/v1\` is versioned by its prefix. It may get new fields, endpoints and optional query parameters at any time, so
  clients must ignore unknown fields. Anything else appears below a new prefix only, and \`/v1\` continues for at least
  twelve months beside it.
- Successful responses may be cached for a minute, and have an ETag for \`If-None-Match\`.
- Every GET also accepts HEAD. Unknown query parameters and an Authorization header are ignored.
- Errors are \`{ error, details?, code? }\`.`,
  pathPrefix: "/public",
  rootTag: "listen",
  tags: {
    podcasts: "Published podcasts",
    episodes: "Published episodes",
    oembed: "Embedding by URL (oEmbed 1.0)",
    feeds: "RSS feeds, with the podcast namespace",
    chapters: "Chapters of published episodes",
    transcripts: "Transcripts of published episodes",
    player: "The embeddable player, a web component",
    ep: "Pages with the player of an episode, for iframes",
    latest: "Pages with the player of a podcast's latest episode, for iframes",
    show: "Pages with the player of a podcast's episodes, for iframes",
    listen: "Pages of podcasts and episodes",
    guest: "The page of guest invitations",
    docs: "The pages of this documentation",
    "sitemap.xml": "The index of sitemaps",
    sitemap: "Sitemaps of the pages of podcasts",
    "robots.txt": "What search engines may read, and the sitemaps",
    "favicon.ico": "The icon of the pages",
    "openapi.json": "This document",
  },
};
