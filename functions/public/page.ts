/** HTML pages of podcasts, from published fields only. */
import { html } from "hono/html";
import type { z } from "zod";
import type { PublicEpisode, PublicPodcast } from "../../types/public.ts";
import { podcastKeys } from "../app/surrogate_keys.ts";
import { type FrameAncestors, type Html, sendPage } from "../app/html_page.ts";

export type Episode = z.infer<typeof PublicEpisode>;
export type Podcast = z.infer<typeof PublicPodcast>;

export const cover = (url: string | null) => url && html`<img src="${url}" alt="" width="240" height="240">`;

export const player = ({ title, audioUrl, audioContentType }: Episode) =>
  audioUrl &&
  html`<audio controls preload="metadata" aria-label="${title}"><source src="${audioUrl}" type="${audioContentType}"></audio>`;

interface Page {
  podcast: Podcast;
  title: string;
  body: Html;
  frameAncestors: FrameAncestors;
}

export function sendPodcastPage({ podcast, title, body, frameAncestors }: Page): Promise<Response> {
  const head = html`
  <meta name="description" content="${podcast.description.slice(0, 200)}">
  ${
    podcast.feedUrl &&
    html`<link rel="alternate" type="application/rss+xml" title="${podcast.title}" href="${podcast.feedUrl}">`
  }`;
  return sendPage({
    language: podcast.language,
    title,
    head,
    body,
    frameAncestors,
    status: 200,
    headers: podcastKeys(podcast.slug),
  });
}
