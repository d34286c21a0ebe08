/** Parts that the pages of podcasts and of episodes share. */
import { html } from "hono/html";
import type { Html } from "../../app/html_page.ts";
import { podcastLinks } from "../../text/podcast_apps.ts";
import type { Episode, Page, PageTexts, Podcast } from "./page.ts";
import { fill } from "../../text/languages/texts.ts";

// The pages are in the podcast's language; our own words on them are marked with theirs.
// Lists have a role, because Safari ignores lists without markers.

export const playIcon =
  html`<svg viewBox="0 0 24 24" aria-hidden="true"><path class="icon-play" d="M8 5.1v13.8L19.2 12z"/><path class="icon-pause" d="M8.5 6v12M15.5 6v12"/></svg>`;

/** A class for titles that need smaller letters. */
export const titleClass = (title: string) => title.length > 80 || /\S{18}/.test(title) ? " long" : "";

/** "Season 2, episode 5 · November 22, 2026 · 12 min": the numbers are the episode's own. Short ones are for lists. */
export function episodeFacts({ texts, language }: Page, episode: Episode, isShort: boolean): Html {
  const { publishedAt, durationSeconds, explicit } = episode, number = numberLabel(episode, texts);
  const dateStyle = isShort ? "medium" : "long";
  const day = new Date(publishedAt).toLocaleDateString(language, { dateStyle, timeZone: "UTC" });
  const facts = [
    isShort && number
      ? html`<span aria-hidden="true">${shortNumberLabel(episode, texts)}</span><span class="hidden">${number}</span>`
      : number,
    html`<time datetime="${publishedAt}">${day}</time>`,
    durationSeconds && toMinutes(durationSeconds),
    explicit && html`<span class="explicit">${texts.explicit}</span>`,
  ];
  return html`<p class="facts" lang="${language}">${
    facts.filter(Boolean).map((fact) => html`<span><bdi>${fact}</bdi></span> `)
  }</p>`;
}

function numberLabel({ seasonNumber, episodeNumber, episodeType }: Episode, texts: PageTexts): string {
  const parts = [];
  if (seasonNumber) parts.push(fill(texts.season, seasonNumber));
  if (episodeNumber || episodeType !== "full") parts.push(fill(texts[episodeType], episodeNumber ?? "").trim());
  return capitalize(parts.join(", "));
}

/** "S2 E5" */
function shortNumberLabel({ seasonNumber, episodeNumber, episodeType }: Episode, texts: PageTexts): string {
  const number = episodeType === "full"
    ? episodeNumber && `E${episodeNumber}`
    : capitalize(fill(texts[episodeType], episodeNumber ?? "").trim());
  return [seasonNumber && `S${seasonNumber}`, number].filter(Boolean).join(" ");
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function toMinutes(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60)), hours = Math.floor(minutes / 60);
  return [hours && `${hours}\u00a0h`, (minutes % 60 || !hours) && `${minutes % 60}\u00a0min`].filter(Boolean).join(" ");
}

export const creditsList = ({ pictures, texts, language }: Page, credits: Podcast["credits"]): Html =>
  html`<ul class="people" role="list">${
    credits.map((credit) => {
      const { name, roleLabel, externalUrl } = credit;
      return html`
      <li>${pictures.avatar(credit)}
      <div><p dir="auto">${
        externalUrl ? html`<a href="${externalUrl}" rel="noopener nofollow">${name}</a>` : name
      }</p><p class="quiet" lang="${language}">${texts[roleLabel]}</p></div></li>`;
    })
  }</ul>`;

/** The podcast in directories and apps, and its feed. False if it is hosted elsewhere and in no directory. */
export function subscribeLinks({ podcast, texts, language }: Page): Html | false {
  const { feedUrl } = podcast, links = podcastLinks(podcast);
  return (feedUrl !== null || links.length > 0) &&
    html`<ul class="chips" role="list" lang="${language}">${
      links.map(({ name, href }) => html`<li><a href="${href}" rel="noopener">${name}</a></li>`)
    }${feedUrl && html`<li><a href="${feedUrl}">${texts.feed}</a></li>`}</ul>`;
}

export const fundingLinks = ({ podcast: { funding }, texts, language }: Page): Html | false =>
  funding.length > 0 &&
  html`<section><h2 lang="${language}">${texts.support}</h2><ul class="chips" role="list">${
    funding.map(({ url, text }) =>
      html`<li><a href="${url}" rel="noopener nofollow" dir="auto">${
        text || html`<span lang="${language}">${texts.support}</span>`
      }</a></li>`
    )
  }</ul></section>`;
