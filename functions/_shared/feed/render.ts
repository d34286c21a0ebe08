/** A feed in three parts: the head with the show's tags, one fragment per item, the tail. */
import { channelTags } from "./channel_tags.ts";
import { itemTags } from "./item_tags.ts";
import type { Channel, FeedEpisode, FeedPodcast, ItemContext } from "./rows.ts";
import { NAMESPACES, tags } from "./tag.ts";

/** Raise it when the same rows shall give other items: every stored fragment is then rendered anew. */
const ITEM_VERSION = 1;

const OPEN = `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"${
  Object.entries(NAMESPACES).map(([prefix, url]) => ` xmlns:${prefix}="${url}"`).join("")
}>\n<channel>\n`;

/** Everything before the first item. */
export function head(channel: Channel): string {
  return `${OPEN}${tags(channelTags, channel)}`;
}

export function item(episode: FeedEpisode, show: ItemContext): string {
  return `<item>\n${tags(itemTags, { ...episode, show })}</item>\n`;
}

export const TAIL = "</channel>\n</rss>\n";

/** What items take from their podcast, and nothing else: stored fragments of another context are rendered anew. */
export function itemContext({ cover_image_url, listen_url }: FeedPodcast): ItemContext {
  return { version: ITEM_VERSION, cover_image_url, listen_url };
}
