/** Parts that the pages of podcasts and of episodes share. */
import { html } from "hono/html";
import type { Html } from "../../app/html_page.ts";
import { podcastLinks } from "../../text/podcast_apps.ts";
import type { Episode, Page, Podcast } from "./page.ts";
import { fill } from "../../text/languages/texts.ts";

// The pages are in the podcast's language; our own words on them are marked with theirs.
// Lists have a role, because Safari ignores lists without markers.

export const playIcon =
  html`<svg viewBox="0 0 24 24" aria-hidden="true"><path class="icon-play" d="M8 5.1v13.8L19.2 12z"/><path class="icon-pause" d="M8.5 6v12M15.5 6v12"/></svg>`;

/** A class for titles that need smaller letters. */
export const titleClass = (title: string) => title.length > 80 || /\S{18}/.test(title) ? " long" : "";

/** "Season 2, episode 5 · November 22, 2026 · 12 min": the numbers are the episode's own. Short ones are for lists. */
export function episodeFacts(page: Page, episode: Episode, isShort: boolean): Html {
  const { texts, language, format } = page, { publishedAt, durationSeconds, explicit } = episode;
  const number = numberLabel(page, episode), dateStyle = isShort ? "medium" : "long";
  const day = new Date(publishedAt).toLocaleDateString(format, { dateStyle, timeZone: "UTC" });
  const facts = [
    isShort && number
      ? html`<span aria-hidden="true">${shortNumberLabel(page, episode)}</span><span class="hidden">${number}</span>`
      : number,
    html`<time datetime="${publishedAt}">${day}</time>`,
    durationSeconds && toMinutes(durationSeconds, format),
    explicit && html`<span class="explicit">${texts.explicit}</span>`,
  ];
  return html`<p class="facts" lang="${language}">${
    facts.filter(Boolean).map((fact) => html`<span><bdi>${fact}</bdi></span> `)
  }</p>`;
}

function numberLabel({ texts, format }: Page, episode: Episode): string {
  const [season, number] = numbers(episode, format, texts.season, texts[episode.episodeType]);
  return capitalize(season && number ? fill(texts.seasonAndEpisode, season, number) : season || number);
}

/** "S2 E5" */
function shortNumberLabel({ texts, format }: Page, episode: Episode): string {
  const { episodeType } = episode, text = episodeType === "full" ? texts.shortEpisode : texts[episodeType];
  return numbers(episode, format, texts.shortSeason, text).map(capitalize).join(" ").trim();
}

/** The season and the episode, each empty if it has no number. A season such as 2026 has no separator. */
function numbers(
  { seasonNumber, episodeNumber, episodeType }: Episode,
  format: string,
  seasonText: string,
  episodeText: string,
): [season: string, episode: string] {
  const show = (number: number | null) => number?.toLocaleString(format, { useGrouping: false }) ?? "";
  return [
    seasonNumber ? fill(seasonText, show(seasonNumber)) : "",
    episodeNumber || episodeType !== "full" ? fill(episodeText, show(episodeNumber)).trim() : "",
  ];
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** "1 hr 5 min", each without a break. */
function toMinutes(seconds: number, format: string): string {
  const minutes = Math.max(1, Math.round(seconds / 60)), hours = Math.floor(minutes / 60);
  const part = (count: number, unit: string) =>
    count.toLocaleString(format, { style: "unit", unit, unitDisplay: "short" }).replaceAll(" ", "\u00a0");
  return [hours && part(hours, "hour"), (minutes % 60 || !hours) && part(minutes % 60, "minute")]
    .filter(Boolean).join(" ");
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
