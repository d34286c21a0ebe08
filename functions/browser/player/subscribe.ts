/** Links that open the feed in podcast apps: each app's own scheme, without a service between. */
import { create, link, webUrl } from "./dom.ts";
import type { Podcast } from "./data.ts";
import type { Texts } from "./player_texts.ts";

/** The beginning of each app's address. The feed URL without its scheme follows, or the whole as a parameter. */
const APPS = {
  "Apple Podcasts": "podcast://",
  "Overcast": "overcast://x-callback-url/add?url=",
  "Pocket Casts": "pktc://subscribe/",
  "Castro": "castro://subscribe/",
  "AntennaPod": "antennapod-subscribe://",
  "Podcast Addict": "podcastaddict://",
};

export function subscribeLinks({ feedUrl, funding = [] }: Podcast, texts: Texts): HTMLElement[] {
  const url = webUrl(feedUrl), part = "subscribe-link";
  const apps = Object.entries(APPS).map(([name, scheme]) => {
    const feed = scheme.endsWith("=") ? encodeURIComponent(url!) : url?.replace(/^\w+:\/\//, "");
    return create("a", { part, href: scheme + feed }, name);
  });
  return [
    ...url ? [link(url, part, texts.feed), ...apps] : [],
    ...funding.map(({ url, text }) => link(url, `${part} support-link`, text || url)),
  ];
}
