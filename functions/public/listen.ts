/**
 * /listen/{podcast} and /listen/{podcast}/{episode}: where the feed's links lead. The platform's default domain serves
 * pages as text, so an installation puts its own domain in front (docs/operating.md).
 */
import { html, raw } from "hono/html";
import { z } from "zod";
import { ListEpisodesQuery, SlugPathParams } from "../../types/public.ts";
import { toPlainText } from "../text/plain_text.ts";
import { describeRoute } from "../app/describe_route.ts";
import { valid } from "../app/validation.ts";
import { PageError, pageRouter } from "./error_page.ts";
import { cover, type Episode, type Html, page, player, type Podcast, read } from "./page.ts";

const EpisodeSlug = SlugPathParams.extend({ episode: z.string().min(1).describe("Slug or id") });
const Cursor = ListEpisodesQuery.pick({ cursor: true });

/** A page of a show's episodes. */
interface Listed {
  data: Episode[];
  pagination: { nextCursor: string | null };
}

export const listen = pageRouter("'self'")
  .get(
    "/:slug",
    describeRoute({
      operationId: "showPodcastPage",
      summary: "Page of a published podcast",
      responseType: "text/html",
      errors: [404, 503],
    }),
    valid("param", SlugPathParams),
    valid("query", Cursor),
    async (c) => {
      const { slug } = c.req.valid("param");
      const [{ data: show }, listed] = await Promise.all([
        read<{ data: Podcast }>(c, "get_public_podcast", { slug }),
        read<Listed>(c, "list_public_episodes", { slug, ...c.req.valid("query") }),
      ]);
      return page({ show, title: show.title, body: showPage(show, listed), framedBy: "'self'" });
    },
  )
  .get(
    "/:slug/:episode",
    describeRoute({
      operationId: "showEpisodePage",
      summary: "Page of a published episode",
      responseType: "text/html",
      errors: [404, 503],
    }),
    valid("param", EpisodeSlug),
    async (c) => {
      const { slug, episode: idOrSlug } = c.req.valid("param");
      const [{ data: show }, found] = await Promise.all([
        read<{ data: Podcast }>(c, "get_public_podcast", { slug }),
        read<{ data: Episode }>(c, "get_public_episode", { slug, idOrSlug }).catch(ifMissing),
      ]);
      if (!found) throw new PageError(404, "Episode not found", missing, show);
      const { data: episode } = found;
      const title = `${episode.title} · ${show.title}`;
      return page({ show, title, body: episodePage(show, episode), framedBy: "'self'" });
    },
  );

const missing = { title: "Episode not found", advice: "It may have been unpublished, or its address has changed." };

function ifMissing(error: { code?: string }): undefined {
  if (error.code !== "PT404") throw error;
}

// The pages are in the show's language, and our own words on them are marked as English.
const feedLink = ({ feedUrl }: Podcast) => feedUrl && html`<p lang="en"><a href="${feedUrl}">RSS feed</a></p>`;

// Lists have a role, because Safari sees none without markers.
function showPage(show: Podcast, { data: episodes, pagination: { nextCursor } }: Listed): Html {
  return html`
    ${cover(show.coverImageUrl)}
    <h1>${show.title}</h1>
    ${show.author && html`<p class="quiet">${show.author}</p>`}
    <p class="text">${show.description}</p>
    ${feedLink(show)}
    <h2 lang="en">Episodes</h2>
    ${
    episodes.length
      ? html`<ul class="episodes" role="list">${
        episodes.map((episode) =>
          html`
          <li><a href="${episode.listenUrl}">${episode.title}</a><p class="quiet" lang="en">${facts(episode)}</p></li>`
        )
      }</ul>`
      : html`<p class="quiet" lang="en">No episodes yet.</p>`
  }
    ${
    nextCursor &&
    html`<p lang="en"><a href="?cursor=${encodeURIComponent(nextCursor)}" rel="next">More episodes</a></p>`
  }`;
}

function episodePage(show: Podcast, episode: Episode): Html {
  const showUrl = episode.listenUrl.slice(0, episode.listenUrl.lastIndexOf("/")); // an episode's page is below its show's
  return html`
    ${cover(episode.coverImageUrl ?? show.coverImageUrl)}
    <p class="quiet"><a href="${showUrl}">${show.title}</a></p>
    <h1>${episode.title}</h1>
    <p class="quiet" lang="en">${facts(episode)}</p>
    ${player(episode)}
    ${described(episode)}
    ${credited(episode)}
    ${feedLink(show)}`;
}

/** Notes that begin with the description say it already. */
function described({ description, showNotesHtml }: Episode): Html {
  if (!showNotesHtml) return html`<p class="text">${description}</p>`;
  const words = (text: string) => text.replaceAll("&lt;", "<").replace(/\s+/g, " ").trim();
  const isRepeated = words(toPlainText(showNotesHtml, description.length + 100)).startsWith(
    words(description).replace(/…$/, ""), // a description that is the notes' beginning may be cut
  );
  return html`${!isRepeated && html`<p class="text">${description}</p>`}<div class="notes">${raw(showNotesHtml)}</div>`;
}

function credited({ credits }: Episode): Html | false {
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

/** "Season 2, episode 5 · November 22, 2026 · 12 min": numbers are the episode's own, never its place in a list. */
function facts({ publishedAt, durationSeconds, ...episode }: Episode): Html {
  const number = label(episode);
  const day = new Date(publishedAt).toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  const minutes = durationSeconds && Math.max(1, Math.round(durationSeconds / 60));
  return html`${number && `${number} · `}<time datetime="${publishedAt}">${day}</time>${
    minutes ? ` · ${minutes} min` : ""
  }`;
}

function label(
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
