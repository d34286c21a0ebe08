/**
 * Renders a feed, or an item of one, that another tag points to
 * (https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/remote-item.md).
 */
import { toUri } from "../text/uri.ts";
import type { RemoteItem } from "./feed_values.ts";
import type { Value } from "./xml.ts";

export function remoteItem({ feed_guid, feed_url, item_guid, medium, title }: RemoteItem): Value {
  return { attributes: { feedGuid: feed_guid, feedUrl: toUri(feed_url), itemGuid: item_guid, medium, title } };
}
