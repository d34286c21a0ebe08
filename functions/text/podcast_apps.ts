/** Links that open a feed in podcast apps: each app's own scheme, without a service between. */

/** The beginning of each app's address. The feed URL without its scheme follows, or the whole as a parameter. */
const APPS = {
  "Apple Podcasts": "podcast://",
  "Overcast": "overcast://x-callback-url/add?url=",
  "Pocket Casts": "pktc://subscribe/",
  "Castro": "castro://subscribe/",
  "AntennaPod": "antennapod-subscribe://",
  "Podcast Addict": "podcastaddict://",
};

export function podcastAppLinks(feedUrl: string): { name: string; href: string }[] {
  return Object.entries(APPS).map(([name, scheme]) => ({
    name,
    href: scheme + (scheme.endsWith("=") ? encodeURIComponent(feedUrl) : feedUrl.replace(/^\w+:\/\//, "")),
  }));
}
