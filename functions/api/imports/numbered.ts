/**
 * What detection reads of the items, kept until the feed is over: a consensus needs all of them. As bytes, for a title
 * that was cut out of a piece of the feed would keep all of that piece alive. Of a long title it is only what is read.
 */
import { shortened } from "../../_shared/rss/numbers/title.ts";
import type { NumberedItem } from "../../_shared/rss/numbers/types.ts";
import type { FeedItem } from "../../_shared/rss/types.ts";

const encoder = new TextEncoder();
const FIRST_GUESS = 1 << 16;

/** What has such a GUID becomes no episode (sql/75_imports/51_stage_import_items.sql), so it needs no number. */
const isTooLong = (guid: string) => guid.length > 1000 && [...guid].length > 1000;

export function numberedItems() {
  let bytes = new Uint8Array(FIRST_GUESS);
  let size = 0;
  return {
    add({ guid, title, pubDate, season, episode, episodeType, durationSeconds }: FeedItem) {
      if (isTooLong(guid)) return;
      const kept = { guid, title: title && shortened(title), pubDate, season, episode, episodeType, durationSeconds };
      const json = `,${JSON.stringify(kept)}`;
      if (bytes.length - size < 3 * json.length) {
        const longer = new Uint8Array(2 * bytes.length + 3 * json.length);
        longer.set(bytes.subarray(0, size));
        bytes = longer;
      }
      size += encoder.encodeInto(json, bytes.subarray(size)).written;
    },
    /** An item that came again is there again, behind the one whose place it takes. */
    list: (): NumberedItem[] => JSON.parse(`[${new TextDecoder().decode(bytes.subarray(1, size))}]`),
  };
}
