/**
 * Renders a feed in parts: the head with the channel's tags, the links of a page, one fragment per item, the tail. A
 * feed with a single page has its links in the head.
 */
import { channelTags } from "./channel_tags.ts";
import { renderExtraTags } from "./extra_tags.ts";
import { itemTags } from "./item_tags.ts";
import type { ChannelRow, FeedEpisode, PodcastContext } from "./feed_rows.ts";
import { NAMESPACES, openTag, renderTags } from "./tag.ts";

/** Raise it when the same rows give different items or findings; every stored item is then re-rendered. */
export const ITEM_RENDER_VERSION = 10;

const OPEN = `<?xml version="1.0" encoding="UTF-8"?>\n${openTag("rss", NAMESPACES, ' version="2.0"')}\n<channel>\n`;

/** Renders everything before the links of a page. */
export function renderHead(channel: ChannelRow): string {
  return `${OPEN}${renderTags(channelTags, channel)}${renderExtraTags(channel.extra_tags)}`;
}

export function renderItem(episode: FeedEpisode, podcast: PodcastContext): string {
  return `<item>\n${renderTags(itemTags, { ...episode, podcast })}${renderExtraTags(episode.extra_tags)}</item>\n`;
}

export const TAIL = "</channel>\n</rss>\n";

/** A document with a single item, which can be parsed. */
export const aloneInFeed = (item: string) => `${OPEN}${item}${TAIL}`;
