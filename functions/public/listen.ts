/**
 * /listen/{podcast} and /listen/{podcast}/{episode}: the pages that feeds link to. The platform's default domain
 * serves HTML as plain text, so an installation needs its own domain (docs/operating.md).
 */
import { html, raw } from "hono/html";
import { z } from "zod";
import { ListEpisodesQuery, SlugPathParams } from "../../types/public.ts";
import { toPlainText } from "../text/plain_text.ts";
import { describeRoute } from "../app/describe_route.ts";
import { valid } from "../app/validation.ts";
import { EPISODE_NOT_FOUND, PageError, pageRouter } from "./error_page.ts";
import type { Html } from "../app/html_page.ts";
import { cover, type Episode, player, type Podcast, sendPodcastPage } from "./page.ts";
import { callPublic, type EpisodeList } from "./page_reads.ts";

const EpisodeSlug = SlugPathParams.extend({ episode: z.string().min(1).describe("Slug or id") });
const Cursor = ListEpisodesQuery.pick({ cursor: true });

export const listen = pageRouter("'self'")
  .get(
    "/:slug",
    describeRoute({
      operationId: "showPodcastPage",
      summary: "Page of a published podcast",
      responseType: "text/html",
      errors: [404, 410],
    }),
    valid("param", SlugPathParams),
    valid("query", Cursor),
    async (c) => {
      const { slug } = c.req.valid("param");
      const [{ data: podcast }, listed] = await Promise.all([
        callPublic(c, "get_public_podcast", { slug }),
        callPublic(c, "list_public_episodes", { slug, ...c.req.valid("query") }),
      ]);
      return sendPodcastPage({
        podcast,
        title: podcast.title,
        body: renderPodcast(podcast, listed),
        frameAncestors: "'self'",
      });
    },
  )
  .get(
    "/:slug/:episode",
    describeRoute({
      operationId: "showEpisodePage",
      summary: "Page of a published episode",
      responseType: "text/html",
      errors: [404, 410],
    }),
    valid("param", EpisodeSlug),
    async (c) => {
      const { slug, episode: idOrSlug } = c.req.valid("param");
      const [{ data: podcast }, found] = await Promise.all([
        callPublic(c, "get_public_podcast", { slug }),
        callPublic(c, "get_public_episode", { slug, idOrSlug }).catch(undefinedIfNotFound),
      ]);
      if (!found) throw new PageError(404, "Episode not found", { ...EPISODE_NOT_FOUND, podcast });
      const { data: episode } = found;
      const title = `${episode.title} · ${podcast.title}`;
      return sendPodcastPage({ podcast, title, body: renderEpisode(podcast, episode), frameAncestors: "'self'" });
    },
  );

function undefinedIfNotFound(error: { code?: string }): undefined {
  if (error.code !== "PT404") throw error;
}

// The pages are in the podcast's language; our own words on them are marked as English.
const feedLink = ({ feedUrl }: Podcast) => feedUrl && html`<p lang="en"><a href="${feedUrl}">RSS feed</a></p>`;

// Lists have a role, because Safari ignores lists without markers.
function renderPodcast(podcast: Podcast, { data: episodes, pagination: { nextCursor } }: EpisodeList): Html {
  return html`
    ${cover(podcast.coverImageUrl)}
    <h1>${podcast.title}</h1>
    ${podcast.author && html`<p class="quiet">${podcast.author}</p>`}
    <p class="text">${podcast.description}</p>
    ${feedLink(podcast)}
    <h2 lang="en">Episodes</h2>
    ${
    episodes.length
      ? html`<ul class="episodes" role="list">${
        episodes.map((episode) =>
          html`
          <li><a href="${episode.listenUrl}">${episode.title}</a><p class="quiet" lang="en">${
            episodeFacts(episode)
          }</p></li>`
        )
      }</ul>`
      : html`<p class="quiet" lang="en">No episodes yet.</p>`
  }
    ${
    nextCursor &&
    html`<p lang="en"><a href="?cursor=${encodeURIComponent(nextCursor)}" rel="next">More episodes</a></p>`
  }`;
}

function renderEpisode(podcast: Podcast, episode: Episode): Html {
  return html`
    ${cover(episode.coverImageUrl ?? podcast.coverImageUrl)}
    <p class="quiet"><a href="${podcast.listenUrl}">${podcast.title}</a></p>
    <h1>${episode.title}</h1>
    <p class="quiet" lang="en">${episodeFacts(episode)}</p>
    ${player(episode)}
    ${descriptionSection(episode)}
    ${creditsSection(episode)}
    ${feedLink(podcast)}`;
}

/** The description is omitted if the show notes begin with it. */
function descriptionSection({ description, showNotesHtml }: Episode): Html {
  if (!showNotesHtml) return html`<p class="text">${description}</p>`;
  const foldWhitespace = (text: string) => text.replaceAll("&lt;", "<").replace(/\s+/g, " ").trim();
  const isRepeated = foldWhitespace(toPlainText(showNotesHtml, description.length + 100)).startsWith(
    foldWhitespace(description).replace(/…$/, ""), // a description derived from the notes may be truncated
  );
  return html`${!isRepeated && html`<p class="text">${description}</p>`}<div class="notes">${raw(showNotesHtml)}</div>`;
}

function creditsSection({ credits }: Episode): Html | false {
  return credits.length > 0 && html`
    <h2 lang="en">Credits</h2>
    <ul class="people" role="list">${
    credits.map(({ name, roleLabel, avatarUrl, externalUrl }) =>
      html`
      <li>${avatarUrl && html`<img src="${avatarUrl}" alt="" width="40" height="40" loading="lazy">`}
      <span>${
        externalUrl ? html`<a href="${externalUrl}">${name}</a>` : name
      } <span class="quiet" lang="en">${roleLabel}</span></span></li>`
    )
  }</ul>`;
}

/** "Season 2, episode 5 · November 22, 2026 · 12 min": the numbers are the episode's own. */
function episodeFacts({ publishedAt, durationSeconds, ...episode }: Episode): Html {
  const number = numberLabel(episode);
  const day = new Date(publishedAt).toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  const minutes = durationSeconds && Math.max(1, Math.round(durationSeconds / 60));
  return html`${number && `${number} · `}<time datetime="${publishedAt}">${day}</time>${
    minutes ? ` · ${minutes}\u00a0min` : ""
  }`;
}

function numberLabel(
  { seasonNumber, episodeNumber, episodeType }: Pick<Episode, "seasonNumber" | "episodeNumber" | "episodeType">,
) {
  const kind = { full: "Episode", trailer: "Trailer", bonus: "Bonus" }[episodeType];
  const numbers = [seasonNumber && `Season ${seasonNumber}`, episodeNumber && `${kind} ${episodeNumber}`].filter(
    Boolean,
  );
  if (!episodeNumber && episodeType !== "full") numbers.push(kind);
  const text = numbers.join(", ");
  return text.charAt(0) + text.slice(1).toLowerCase();
}
