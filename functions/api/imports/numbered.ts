/**
 * What detection reads of the items, kept until the feed is over: a consensus needs all of them. As bytes, for a title
 * that was cut out of a piece of the feed would keep all of that piece alive.
 */
import type { NumberedItem } from "../../_shared/rss/numbers/types.ts";
import type { FeedItem } from "../../_shared/rss/types.ts";

const encoder = new TextEncoder();
const FIRST_GUESS = 1 << 16;

export function numberedItems() {
  let bytes = new Uint8Array(FIRST_GUESS);
  let size = 0;
  return {
    add({ guid, title, pubDate, season, episode, episodeType, durationSeconds }: FeedItem) {
      const json = `,${JSON.stringify({ guid, title, pubDate, season, episode, episodeType, durationSeconds })}`;
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
