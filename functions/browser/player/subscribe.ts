/** Links that open the feed in podcast apps: each app's own scheme, without a service between. */
import { create, link, webUrl } from "./dom.ts";
import type { Podcast } from "./data.ts";
import type { Texts } from "./texts.ts";

/** The address of an app for a feed URL, whole and without its scheme. */
const APPS: Record<string, (url: string, address: string) => string> = {
  "Apple Podcasts": (_, address) => `podcast://${address}`,
  "Overcast": (url) => `overcast://x-callback-url/add?url=${encodeURIComponent(url)}`,
  "Pocket Casts": (_, address) => `pktc://subscribe/${address}`,
  "Castro": (_, address) => `castro://subscribe/${address}`,
  "AntennaPod": (_, address) => `antennapod-subscribe://${address}`,
  "Podcast Addict": (_, address) => `podcastaddict://${address}`,
};

export function subscribeLinks({ feedUrl, funding }: Podcast, texts: Texts): HTMLElement[] {
  const url = webUrl(feedUrl), links: HTMLElement[] = [];
  if (url) {
    const address = url.replace(/^https?:\/\//i, "");
    links.push(link(url, { part: "subscribe-link" }, texts.feed));
    for (const [name, toAppUrl] of Object.entries(APPS)) {
      links.push(create("a", { href: toAppUrl(url, address), part: "subscribe-link" }, name));
    }
  }
  for (const { url, text } of funding ?? []) {
    if (webUrl(url)) links.push(link(url, { part: "subscribe-link support-link", dir: "auto" }, text || texts.support));
  }
  return links;
}
