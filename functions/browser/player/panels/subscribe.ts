/** The panel with links to the feed, to the podcast in directories and apps, and to pages that take support. */
import { podcastLinks } from "../../../text/podcast_apps.ts";
import type { Context } from "../context.ts";
import { create, link, webUrl } from "../dom.ts";

export function fillSubscribe(panel: HTMLElement, { texts, media: { podcast } }: Context) {
  const { directoryLinks = [], funding = [] } = podcast, feedUrl = webUrl(podcast.feedUrl), part = "subscribe-link";
  const pages = directoryLinks.filter(({ url }) => webUrl(url));
  panel.append(
    ...feedUrl ? [link(feedUrl, texts.feed, part)] : [],
    ...podcastLinks({ feedUrl, directoryLinks: pages }).map(({ name, href }) =>
      webUrl(href) ? link(href, name, part) : create("a", { part, href }, name) // an app's scheme needs no window
    ),
    ...funding.map(({ url, text }) => link(url, text || url, `${part} support-link`)),
  );
}
