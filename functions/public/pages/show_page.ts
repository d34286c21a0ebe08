/** The page of a podcast: what it is about, and its episodes. */
import { html } from "hono/html";
import type { Html } from "../../app/html_page.ts";
import { truncate } from "../../text/plain_text.ts";
import { briefEpisode, briefPodcast, type Episode, type Page, playerScript, scriptJson } from "./page.ts";
import { creditsList, episodeFacts, fundingLinks, playIcon, subscribeLinks, titleClass } from "./page_parts.ts";
import { TEXTS } from "../../text/languages/all.ts";
import { fill } from "../../text/languages/texts.ts";

const SUMMARY_CHARS = 220;
/** Fewer episodes need no search. */
const MIN_SEARCHED = 10;
/** A longer description is folded. */
const SHOWN_CHARS = 320;

/** The episodes of a page: the newest, those of a number, or those with the words of a search. */
export interface Listing {
  episodes: Episode[];
  number?: number;
  q?: string;
  /** Earlier results of the search are on other pages. */
  isContinued?: boolean;
  /** Of the pages before and after this one, in the order of the episodes. */
  olderHref: string | null;
  newerHref: string | null;
}

export function renderShow(page: Page, listing: Listing) {
  const { episodes, number, q, olderHref } = listing, isFirst = number === undefined && q === undefined;
  const { podcast, pictures, texts, language } = page, { title, author, link } = podcast;
  const subscribe = subscribeLinks(page), latest = isFirst ? episodes.find(({ audioUrl }) => audioUrl) : undefined;
  return html`<main>
  <header class="hero${titleClass(title)}">
    ${pictures.cover([podcast], title, "hero")}
    <div class="hero-text">
      <h1 dir="auto">${title}</h1>
      ${author && html`<p class="byline" dir="auto">${author}</p>`}
    </div>
    ${descriptionText(page)}
    <div class="actions" lang="${language}">
      ${
    latest &&
    html`<a class="button primary" href="${
      page.episodeUrl(latest)
    }" data-play="${latest.id}">${playIcon}<span>${texts.playLatest}</span></a>`
  }
      ${
    subscribe &&
    html`<details class="disclosure"><summary class="button">${texts.subscribe}</summary>${subscribe}</details>`
  }
    </div>
  </header>
  <div class="columns">
    <section class="main-column" aria-labelledby="episodes-title">
      <h2 id="episodes-title" lang="${language}">${texts.episodes} <span class="count">${
    podcast.episodeCount.toLocaleString(page.format)
  }</span></h2>
      ${(podcast.episodeCount > MIN_SEARCHED || q !== undefined) && searchForm(page, q)}
      ${!isFirst && listFacts(page, listing)}
      ${
    episodes.length > 0 &&
    html`<ul class="episodes" role="list">${episodes.map((episode) => episodeItem(page, episode))}</ul>`
  }
      ${
    olderHref &&
    html`<p lang="${language}"><a class="button" href="${olderHref}" rel="next" data-more>${texts.moreEpisodes}</a></p>
      <p class="quiet" role="status" lang="${language}" data-loaded="${texts.moreLoaded}" data-failed="${texts.moreFailed}"></p>`
  }
    </section>
    <aside class="side-column">
      ${
    podcast.credits.length > 0 &&
    html`<section><h2 lang="${language}">${texts.people}</h2>${creditsList(page, podcast.credits)}</section>`
  }
      ${fundingLinks(page)}
      ${topics(page)}
      ${
    link &&
    html`<section><h2 lang="${language}">${texts.website}</h2><p><a href="${link}" rel="noopener">${
      hostOf(link)
    }</a></p></section>`
  }
    </aside>
  </div>
</main>
<aside class="dock" aria-label="${texts.player}" lang="${language}" hidden></aside>
<script type="application/json" id="playable">${
    scriptJson({ podcast: briefPodcast(page), episodes: episodes.map((episode) => briefEpisode(page, episode)) })
  }</script>
${playerScript(page)}`;
}

const searchIcon =
  html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13M15.5 15.5 20 20"/></svg>`;

/** Without an address: the form is sent to this page. */
const searchForm = ({ texts, language }: Page, q = ""): Html =>
  html`<form class="search" role="search" lang="${language}">
        <input type="search" name="q" value="${q}" maxlength="200" aria-label="${texts.search}" placeholder="${texts.search}" dir="auto">
        <button type="submit" aria-label="${texts.search}">${searchIcon}</button>
      </form>`;

/** Where the reader is, and the way to newer episodes. */
function listFacts({ podcastUrl, texts, language }: Page, listing: Listing): Html {
  const { episodes, number, q, isContinued, olderHref, newerHref } = listing;
  const count = `${episodes.length}${olderHref ? "+" : ""}`;
  return html`<p lang="${language}" class="list-facts">${
    q === undefined ? html`<span>${fill(texts.page, number!)}</span>` : !isContinued &&
      html`<span role="status">${episodes.length ? fill(texts.results, q, count) : fill(texts.noResults, q)}</span>`
  } <a href="${newerHref ?? podcastUrl}"${newerHref && html` rel="prev"`}>${
    newerHref ? texts.newerEpisodes : texts.newestEpisodes
  }</a></p>`;
}

/** The title's link covers the item; the play button lies above it. */
function episodeItem(page: Page, episode: Episode): Html {
  const { podcast, pictures, texts, language } = page, { id, title, description, audioUrl } = episode;
  const url = page.episodeUrl(episode);
  return html`
  <li>${pictures.cover([episode, podcast], podcast.title, "list")}
    <div class="episode-text">
      ${episodeFacts(page, episode, true)}
      <h3 dir="auto"><a href="${url}">${title}</a></h3>
      <p class="summary" dir="auto">${truncate(description, SUMMARY_CHARS)}</p>
    </div>
    ${
    audioUrl &&
    html`<a class="play" href="${url}" data-play="${id}" aria-label="${texts.play}: ${title}" lang="${language}">${playIcon}</a>`
  }</li>`;
}

/** The rest of a long description is folded. */
function descriptionText({ podcast: { description }, texts, language }: Page): Html {
  const [start, rest] = splitText(description, SHOWN_CHARS);
  return html`<div class="text" dir="auto"><p>${start}</p>${
    rest && html`<details class="more"><summary lang="${language}">${texts.more}</summary><p>${rest}</p></details>`
  }</div>`;
}

/** Splits a text that is much longer at the end of a paragraph, a sentence or a word. */
function splitText(text: string, maxChars: number): [start: string, rest: string] {
  if (text.length <= 1.5 * maxChars) return [text, ""];
  const head = text.slice(0, maxChars);
  const ends = [/[^]*\n(?=[^]*$)/, /[^]*[.!?…](?=\s)/, /[^]*[。！？]/, /[^]*(?=\s)/];
  const start = ends.map((end) => end.exec(head)?.[0] ?? "").find(({ length }) => length > maxChars / 3) ??
    truncateWhole(head);
  return [start.trim(), text.slice(start.length).trim()];
}

/** Without half a surrogate pair at its end. */
const truncateWhole = (text: string) => text.replace(/[\ud800-\udbff]$/, "");

function topics({ podcast: { categories }, texts, language }: Page): Html | false {
  const names: Record<string, string> = TEXTS[language].categories, nameOf = (name: string) => names[name] ?? name;
  return categories.length > 0 &&
    html`<section lang="${language}"><h2>${texts.topics}</h2><ul class="tags" role="list">${
      categories.map(({ category, subcategory }) => html`<li>${nameOf(subcategory ?? category)}</li>`)
    }</ul></section>`;
}

const hostOf = (url: string) => URL.canParse(url) ? new URL(url).host.replace(/^www\./, "") : url;
