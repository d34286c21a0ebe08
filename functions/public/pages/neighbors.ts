/** Links to the episodes that were published before and after one. */
import { html } from "hono/html";
import type { Html } from "../../app/html_page.ts";
import type { Page } from "./page.ts";
import type { Neighbors } from "./page_reads.ts";

export function neighborLinks({ podcastUrl, texts, language }: Page, { previous, next }: Neighbors): Html | false {
  const links = [
    { rel: "prev", episode: previous, label: texts.previousEpisode },
    { rel: "next", episode: next, label: texts.nextEpisode },
  ];
  return (previous !== null || next !== null) &&
    html`<nav class="neighbors">${
      links.map(({ rel, episode, label }) =>
        episode &&
        html`<a href="${podcastUrl}/${
          encodeURIComponent(episode.slug)
        }" rel="${rel}"><span class="quiet" lang="${language}">${label}</span><span dir="auto">${episode.title}</span></a>`
      )
    }</nav>`;
}
