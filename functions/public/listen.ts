/**
 * /listen/{podcast} and /listen/{podcast}/{episode}: where the feed's links lead. The platform's default domain serves
 * pages as text, so an installation puts its own domain in front (docs/operating.md).
 */
import { html } from "hono/html";
import { z } from "zod";
import { EpisodeListing, Slug } from "../../types/public.ts";
import { readRouter } from "../_shared/app.ts";
import { valid } from "../_shared/valid.ts";
import { cover, type Episode, type Html, page, player, type Podcast, read } from "./page.ts";

const EpisodeSlug = Slug.extend({ episode: z.string().min(1) });
const Cursor = EpisodeListing.pick({ cursor: true });

/** A page of a show's episodes. */
interface Listed {
  data: Episode[];
  pagination: { nextCursor: string | null };
}

export const listen = readRouter()
  .get("/:slug", valid("param", Slug), valid("query", Cursor), async (c) => {
    const { slug } = c.req.valid("param");
    const [{ data: show }, listed] = await Promise.all([
      read<{ data: Podcast }>(c, "get_public_podcast", { slug }),
      read<Listed>(c, "list_public_episodes", { slug, ...c.req.valid("query") }),
    ]);
    return page(c, { show, title: show.title, body: showPage(show, listed), framedBy: "'self'" });
  })
  .get("/:slug/:episode", valid("param", EpisodeSlug), async (c) => {
    const { slug, episode: idOrSlug } = c.req.valid("param");
    const [{ data: show }, { data: episode }] = await Promise.all([
      read<{ data: Podcast }>(c, "get_public_podcast", { slug }),
      read<{ data: Episode }>(c, "get_public_episode", { slug, idOrSlug }),
    ]);
    const title = `${episode.title} · ${show.title}`;
    return page(c, { show, title, body: episodePage(show, episode), framedBy: "'self'" });
  });

function showPage(show: Podcast, { data: episodes, pagination: { nextCursor } }: Listed): Html {
  return html`
    ${cover(show.coverImageUrl)}
    <h1>${show.title}</h1>
    ${show.author && html`<p class="quiet">${show.author}</p>`}
    <p class="text">${show.description}</p>
    ${show.feedUrl && html`<p><a href="${show.feedUrl}">Feed for your podcast app</a></p>`}
    <h2>Episodes</h2>
    ${
    episodes.length
      ? html`<ol>${
        episodes.map((episode) => html`<li><a href="${episode.listenUrl}">${episode.title}</a> ${when(episode)}</li>`)
      }</ol>`
      : html`<p class="quiet">Nothing has been published yet.</p>`
  }
    ${nextCursor && html`<p><a href="?cursor=${encodeURIComponent(nextCursor)}" rel="next">More episodes</a></p>`}`;
}

function episodePage(show: Podcast, episode: Episode): Html {
  const showUrl = episode.listenUrl.slice(0, episode.listenUrl.lastIndexOf("/")); // an episode's page is below its show's
  return html`
    ${cover(episode.coverImageUrl ?? show.coverImageUrl)}
    <p class="quiet"><a href="${showUrl}">${show.title}</a></p>
    <h1>${episode.title}</h1>
    <p class="quiet">${when(episode)}</p>
    ${player(episode)}
    <p class="text">${episode.description}</p>
    ${credited(episode)}
    ${show.feedUrl && html`<p><a href="${show.feedUrl}">Feed for your podcast app</a></p>`}`;
}

function credited({ credits }: Episode): Html | false {
  return credits.length > 0 && html`
    <h2>With</h2>
    <ul class="people">${
    credits.map(({ name, roleLabel, avatarUrl, externalUrl }) =>
      html`
      <li>${avatarUrl && html`<img src="${avatarUrl}" alt="" width="40" height="40" loading="lazy">`}
      <span>${
        externalUrl ? html`<a href="${externalUrl}">${name}</a>` : name
      } <span class="quiet">${roleLabel}</span></span></li>`
    )
  }</ul>`;
}

function when({ publishedAt, durationSeconds }: Episode): Html {
  const day = new Date(publishedAt).toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  const minutes = durationSeconds && Math.max(1, Math.round(durationSeconds / 60));
  return html`<time datetime="${publishedAt}">${day}</time>${minutes ? ` · ${minutes} min` : ""}`;
}
