/**
 * /listen/{podcast} and /listen/{podcast}/{episode}: where the feed's links lead. Plain pages without script; the
 * platform's default domain serves them as text, so an installation puts its own domain in front (docs/operating.md).
 */
import type { Context } from "hono";
import { html, raw } from "hono/html";
import { z } from "zod";
import { PublicEpisode, PublicPodcast, Slug } from "../../types/public.ts";
import { type AppEnv, openRouter } from "../_shared/app.ts";
import { setting } from "../_shared/db.ts";
import { valid } from "../_shared/valid.ts";

type Episode = z.infer<typeof PublicEpisode>;
type Podcast = z.infer<typeof PublicPodcast>;

const EpisodeSlug = Slug.extend({ episode: z.string().min(1) });

export const listen = openRouter()
  .get("/:slug", valid("param", Slug), async (c) => {
    const { slug } = c.req.valid("param");
    const [show, episodes, base] = await Promise.all([
      read<Podcast>(c, "get_public_podcast", { slug }),
      read<Episode[]>(c, "list_public_episodes", { slug }),
      setting("listen_url"),
    ]);
    return page(c, show, show.title, showPage(show, episodes, base));
  })
  .get("/:slug/:episode", valid("param", EpisodeSlug), async (c) => {
    const { slug, episode: idOrSlug } = c.req.valid("param");
    const [show, episode, base] = await Promise.all([
      read<Podcast>(c, "get_public_podcast", { slug }),
      read<Episode>(c, "get_public_episode", { slug, idOrSlug }),
      setting("listen_url"),
    ]);
    return page(c, show, `${episode.title} · ${show.title}`, episodePage(show, episode, base));
  });

async function read<T>(c: Context<AppEnv>, verb: string, args: Record<string, unknown>): Promise<T> {
  return JSON.parse((await c.var.db.call(verb, args)).text).data;
}

type Html = ReturnType<typeof html>;

function showPage(show: Podcast, episodes: Episode[], base: string): Html {
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
        episodes.map((episode) =>
          html`<li><a href="${base}/${show.slug}/${episode.slug}">${episode.title}</a> ${when(episode)}</li>`
        )
      }</ol>`
      : html`<p class="quiet">Nothing has been published yet.</p>`
  }`;
}

function episodePage(show: Podcast, episode: Episode, base: string): Html {
  return html`
    ${cover(episode.coverImageUrl ?? show.coverImageUrl)}
    <p class="quiet"><a href="${base}/${show.slug}">${show.title}</a></p>
    <h1>${episode.title}</h1>
    <p class="quiet">${when(episode)}</p>
    ${
    episode.audioUrl &&
    html`<audio controls preload="metadata" aria-label="${episode.title}"><source src="${episode.audioUrl}" type="${episode.audioContentType}"></audio>`
  }
    <p class="text">${episode.description}</p>
    ${show.feedUrl && html`<p><a href="${show.feedUrl}">Feed for your podcast app</a></p>`}`;
}

const cover = (url: string | null) => url && html`<img src="${url}" alt="" width="240" height="240">`;

function when({ publishedAt, durationSeconds }: Episode): Html {
  const day = new Date(publishedAt).toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  const minutes = durationSeconds && Math.max(1, Math.round(durationSeconds / 60));
  return html`<time datetime="${publishedAt}">${day}</time>${minutes && ` · ${minutes} min`}`;
}

const style = raw(`
  :root { color-scheme: light dark; font: 1.06rem/1.55 system-ui, sans-serif; }
  body { max-width: 38rem; margin: 2.5rem auto; padding: 0 1.25rem; }
  h1 { line-height: 1.2; margin: .3rem 0; overflow-wrap: anywhere; }
  img { border-radius: .75rem; max-width: 100%; height: auto; }
  audio { width: 100%; margin: 1rem 0; }
  li { margin: .5rem 0; }
  .quiet, li time { color: color-mix(in srgb, CanvasText 62%, Canvas); }
  .text { white-space: pre-line; overflow-wrap: anywhere; }
  a { color: light-dark(#9a3412, #ffa07a); }
`);

async function page(c: Context<AppEnv>, show: Podcast, title: string, body: Html): Promise<Response> {
  const text = String(
    await html`<!doctype html>
<html lang="${show.language}" dir="auto">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <meta name="description" content="${show.description.slice(0, 200)}">
  ${
      show.feedUrl &&
      html`<link rel="alternate" type="application/rss+xml" title="${show.title}" href="${show.feedUrl}">`
    }
  <link rel="icon" href="data:,">
  <style>${style}</style>
</head>
<body><main>${body}</main></body>
</html>
`,
  );
  return c.body(text, 200, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "public, max-age=60",
    "content-security-policy":
      "default-src 'none'; img-src http: https: data:; media-src http: https:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    "referrer-policy": "strict-origin-when-cross-origin",
    "x-content-type-options": "nosniff",
  });
}
