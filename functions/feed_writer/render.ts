/** Renders a feed in three parts: the head with the channel's tags, one fragment per item, the tail. */
import { channelTags } from "./channel_tags.ts";
import { renderExtraTags } from "./extra_tags.ts";
import { itemTags } from "./item_tags.ts";
import type { ChannelRow, FeedEpisode, PodcastContext } from "./rows.ts";
import { NAMESPACES, openTag, renderTags } from "./tag.ts";

/** Raise it when the same rows give different items; every stored item is then re-rendered. */
export const ITEM_RENDER_VERSION = 7;

const OPEN = `<?xml version="1.0" encoding="UTF-8"?>\n${openTag("rss", NAMESPACES, ' version="2.0"')}\n<channel>\n`;

/** Renders everything before the first item. */
export function renderHead(channel: ChannelRow): string {
  return `${OPEN}${renderTags(channelTags, channel)}${renderExtraTags(channel.extra_tags)}`;
}

export function renderItem(episode: FeedEpisode, podcast: PodcastContext): string {
  return `<item>\n${renderTags(itemTags, { ...episode, podcast })}${renderExtraTags(episode.extra_tags)}</item>\n`;
}

export const TAIL = "</channel>\n</rss>\n";
