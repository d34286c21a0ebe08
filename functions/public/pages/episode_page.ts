/** The page of an episode: its player, notes, chapters, transcript and people. */
import { html, raw } from "hono/html";
import type { Html } from "../../app/html_page.ts";
import { toClock } from "../../text/clock_times.ts";
import { linkForeignImages } from "../../show_notes/link_foreign_images.ts";
import { linkTimes } from "../../show_notes/link_times.ts";
import { downloadLink } from "./download_link.ts";
import { toPlainText } from "../../text/plain_text.ts";
import { briefPlayerData, type Episode, type Page, player, playerScript } from "./page.ts";
import { creditsList, episodeFacts, fundingLinks, subscribeLinks, titleClass } from "./page_parts.ts";
import { neighborLinks } from "./neighbors.ts";
import type { Chapter, Neighbors } from "./page_reads.ts";
import { fill } from "../../text/languages/texts.ts";
import type { PageTranscript } from "./page_transcript.ts";

/** Longer lists are closed at first. */
const OPEN_CHAPTERS = 15;

interface EpisodeContent {
  episode: Episode;
  chapters: Chapter[];
  transcript?: PageTranscript;
  neighbors: Neighbors;
}

export function renderEpisode(page: Page, content: EpisodeContent): Html {
  const { podcast, pictures, texts, language } = page, { episode, chapters, transcript, neighbors } = content;
  const { title, credits } = episode;
  const subscribe = subscribeLinks(page);
  return html`<main>
  <header class="hero episode-hero${titleClass(title)}">
    ${pictures.cover([episode, podcast], podcast.title, "hero")}
    <p class="show-link" dir="auto"><a href="${page.podcastUrl}">${podcast.title}</a></p>
    <h1 dir="auto">${title}</h1>
    ${episodeFacts(page, episode, false)}
    <div class="player-space">${
    player(page, episode, briefPlayerData(page, episode), html` class="controls-only" lang="${language}"`)
  }${downloadLink(page, episode)}</div>
  </header>
  <div class="columns">
    <div class="main-column">
      ${notes(page, episode)}
      ${chapters.length > 0 && chapterList(page, episode, chapters)}
      ${transcript && transcriptSection(page, episode, transcript)}
      ${neighborLinks(page, neighbors)}
    </div>
    <aside class="side-column">
      ${
    credits.length > 0 &&
    html`<section><h2 lang="${language}">${texts.credits}</h2>${creditsList(page, credits)}</section>`
  }
      ${subscribe && html`<section><h2 lang="${language}">${texts.subscribe}</h2>${subscribe}</section>`}
      ${fundingLinks(page)}
    </aside>
  </div>
</main>
${playerScript(page)}`;
}

/** The description is omitted if the show notes begin with it. */
function notes(page: Page, episode: Episode): Html {
  const { texts, language } = page, { description, showNotesHtml, audioUrl, durationSeconds } = episode;
  const heading = html`<h2 class="hidden" lang="${language}">${texts.about}</h2>`;
  if (!showNotesHtml) return html`<section>${heading}<p class="text" dir="auto">${description}</p></section>`;
  const foldWhitespace = (text: string) => text.replaceAll("&lt;", "<").replace(/\s+/g, " ").trim();
  const isRepeated = foldWhitespace(toPlainText(showNotesHtml, description.length + 100)).startsWith(
    foldWhitespace(description).replace(/…$/, ""), // a description derived from the notes may be truncated
  );
  return html`<section>${heading}${!isRepeated && html`<p class="text lead" dir="auto">${description}</p>`}
    <div class="notes" dir="auto">${
    formattedText(
      page,
      linkTimes(showNotesHtml, audioUrl && durationSeconds || 0, (seconds, text) =>
        String(timeLink(episode, seconds, text))),
    )
  }</div></section>`;
}

/** Sanitized HTML that people wrote. The keyboard scrolls a wide table if it can have the focus. */
function formattedText({ pictures, texts }: Page, safeHtml: string): Html {
  const linked = linkForeignImages(safeHtml, pictures.isOwn, texts.image);
  return html`${raw(linked.replaceAll("<table", '<table tabindex="0"'))}`;
}

/** Without scripts, a time opens the audio there; with them, the player seeks. Clocks read from left to right. */
const timeLink = ({ audioUrl }: Episode, startTime: number, time: string): Html =>
  audioUrl
    ? html`<a class="time" href="${audioUrl}#t=${startTime}" data-seek="${startTime}" dir="ltr">${time}</a>`
    : html`<span class="time" dir="ltr">${time}</span>`;

function chapterList({ pictures, texts, language, format }: Page, episode: Episode, chapters: Chapter[]): Html {
  const images = chapters.map(pictures.chapterImage), hasImages = images.some(Boolean);
  return html`<details class="section"${chapters.length <= OPEN_CHAPTERS && html` open`}>
    <summary><h2 lang="${language}">${texts.chapters} <span class="count">${
    chapters.length.toLocaleString(format)
  }</span></h2></summary>
    <ol class="chapters${hasImages && " illustrated"}" role="list">${
    chapters.map(({ startTime, title, url }, n) =>
      html`
      <li data-start="${startTime}">${timeLink(episode, startTime, toClock(startTime))}${
        images[n]
      }<span class="title" dir="auto">${title}</span>${
        url &&
        html`<a class="away" href="${url}" rel="noopener nofollow ugc" aria-label="${
          fill(texts.chapterLink, title ?? "")
        }" lang="${language}"></a>`
      }</li>`
    )
  }</ol>
  </details>`;
}

function transcriptSection(page: Page, episode: Episode, transcript: PageTranscript): Html {
  const { podcast, texts, language } = page, { paragraphs, safeHtml, url, isCut } = transcript;
  const file = (text: string) => html`<p lang="${language}"><a href="${url}" rel="noopener">${text}</a></p>`;
  const heading = html`<h2 lang="${language}">${texts.transcript}</h2>`;
  if (!paragraphs.length && !safeHtml) return html`<section>${heading}${file(texts.transcriptFile)}</section>`;
  return html`<details class="section">
    <summary>${heading}</summary>
    <div class="transcript" lang="${transcript.language ?? podcast.language}">${
    safeHtml && html`<div class="notes" dir="auto">${formattedText(page, safeHtml)}</div>`
  }${
    paragraphs.map(({ startTime, speaker, text }) => {
      const content = html`${speaker && html`<b dir="auto">${speaker}</b> `}${text}`;
      return startTime === undefined
        ? html`
      <p class="text" dir="auto">${content}</p>`
        : html`
      <div class="line" data-start="${startTime}">${
          timeLink(episode, startTime, toClock(startTime))
        }<p dir="auto">${content}</p></div>`;
    })
  }</div>
    <button class="follow" type="button" lang="${language}" hidden>${texts.follow}</button>
    ${isCut && file(texts.wholeTranscript)}
  </details>`;
}
