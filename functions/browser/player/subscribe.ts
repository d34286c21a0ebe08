/** Links to the feed, to podcast apps that open it, and to pages that take support. */
import { podcastAppLinks } from "../../text/podcast_apps.ts";
import { create, link, webUrl } from "./dom.ts";
import type { Podcast } from "./data.ts";
import type { PlayerTexts } from "./player_texts.ts";

export function subscribeLinks({ feedUrl, funding = [] }: Podcast, texts: PlayerTexts): HTMLElement[] {
  const url = webUrl(feedUrl), part = "subscribe-link";
  return [
    ...url
      ? [
        link(url, texts.feed, part),
        ...podcastAppLinks(url).map(({ name, href }) => create("a", { part, href }, name)),
      ]
      : [],
    ...funding.map(({ url, text }) => link(url, text || url, `${part} support-link`)),
  ];
}
