/**
 * What detection reads of the items, kept until the feed is over: a consensus needs all of them. Of a long title it is
 * only what is read.
 */
import { createTextBuffer } from "../text/text_buffer.ts";
import { truncateTitle } from "../episode_numbers/title.ts";
import type { NumberedItem } from "../episode_numbers/types.ts";
import type { FeedItem } from "../feed_reader/types.ts";

/** In bytes, at first. */
const INITIAL_BYTES = 1 << 16;

/** What has such a GUID becomes no episode (sql/75_imports/51_stage_import_items.sql), so it needs no number. */
const isTooLong = (guid: string) => guid.length > 1000 && [...guid].length > 1000;

export function createDetectionBuffer() {
  const buffer = createTextBuffer(INITIAL_BYTES);
  return {
    add({ guid, title, pubDate, season, episode, episodeType, durationSeconds }: FeedItem) {
      if (isTooLong(guid)) return;
      const kept = {
        guid,
        title: title && truncateTitle(title),
        pubDate,
        season,
        episode,
        episodeType,
        durationSeconds,
      };
      buffer.add(`,${JSON.stringify(kept)}`);
    },
    /** An item that came again is there again, behind the one whose place it takes. Asked once. */
    list: (): NumberedItem[] => JSON.parse(`[${buffer.take().slice(1)}]`),
  };
}
