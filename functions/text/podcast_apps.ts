/** Links under Subscribe: the podcast's pages in directories, and links that open the feed in an app. */
import type { DIRECTORIES } from "../../types/public.ts";

/** The beginning of each app's address. The feed URL without its scheme follows, or the whole as a parameter. */
const APPS = {
  "AntennaPod": "antennapod-subscribe://",
  "Apple Podcasts": "podcast://",
  "Overcast": "overcast://x-callback-url/add?url=",
  "Pocket Casts": "pktc://subscribe/",
  "Castro": "castro://subscribe/",
  "Podcast Addict": "podcastaddict://",
};

export interface SubscribeLink {
  name: string;
  href: string;
}

/** Each app's own scheme, without a service between. */
export function podcastAppLinks(feedUrl: string): SubscribeLink[] {
  return Object.entries(APPS).map(([name, scheme]) => ({
    name,
    href: scheme + (scheme.endsWith("=") ? encodeURIComponent(feedUrl) : feedUrl.replace(/^\w+:\/\//, "")),
  }));
}

type Directory = (typeof DIRECTORIES)[number];

const DIRECTORY_NAMES: Record<Directory, string> = {
  apple_podcasts: "Apple Podcasts",
  spotify: "Spotify",
  youtube: "YouTube",
  amazon_music: "Amazon Music",
  pocket_casts: "Pocket Casts",
  overcast: "Overcast",
  podcast_addict: "Podcast Addict",
  castbox: "Castbox",
};

interface Subscribable {
  feedUrl?: string | null;
  directoryLinks?: { directory: Directory; url: string }[];
}

/** The podcast's pages in directories, and then the apps that have none of these, by the feed. */
export function podcastLinks({ feedUrl, directoryLinks = [] }: Subscribable): SubscribeLink[] {
  const pages = directoryLinks.map(({ directory, url }) => ({ name: DIRECTORY_NAMES[directory], href: url }));
  const apps = feedUrl ? podcastAppLinks(feedUrl) : [];
  return [...pages, ...apps.filter((app) => !pages.some(({ name }) => name === app.name))];
}
