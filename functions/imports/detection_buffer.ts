/**
 * Buffers what detection reads of the items until the feed ends, because a consensus needs all of them. Long titles
 * are truncated as detection reads them.
 */
import { createTextBuffer } from "../text/text_buffer.ts";
import { truncateTitle } from "../episode_numbers/title.ts";
import type { NumberedItem } from "../episode_numbers/numbering.ts";
import type { FeedItem } from "../feed_reader/feed.ts";

/** Initial size in bytes. */
const INITIAL_BYTES = 1 << 16;

/** Items with such a GUID become no episode (sql/75_imports/jobs/stage_import_items.sql) and need no number. */
const isTooLong = (guid: string) => guid.length > 1000 && [...guid].length > 1000;

export function createDetectionBuffer() {
  const buffer = createTextBuffer(INITIAL_BYTES);
  return {
    add({ guid, title, pubDate, season, episode, episodeType }: FeedItem) {
      if (isTooLong(guid)) return;
      const kept = {
        guid,
        title: title && truncateTitle(title),
        pubDate,
        season,
        episode,
        episodeType,
      };
      buffer.add(`,${JSON.stringify(kept)}`);
    },
    /** Returns all items, duplicates after the item that they replace. Call it once. */
    list: (): NumberedItem[] => JSON.parse(`[${buffer.take().slice(1)}]`),
  };
}
