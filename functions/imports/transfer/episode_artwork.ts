/** Imports an episode's image. It is optional: a failure becomes a warning and does not stop the episode. */
import { fetchFile } from "../../safe_fetch/fetch_file.ts";
import { checkImage, IMAGE_TYPES, storeImage } from "./store_image.ts";
import { PermanentItemError, toUserFacingError } from "./item_errors.ts";
import type { Artwork, Item } from "./claimed_item.ts";
import type { FetchLimits } from "./enclosure_source.ts";

/** For all attempts together. */
const FETCH_TIMEOUT_MS = 30_000;
/** Delay before each attempt. */
const RETRY_DELAYS_MS = [0, 1000, 3000];

/** Fetches and stores the item's image, if it has one. `audioBytes` counts against the same allowance. */
export async function storeArtwork(item: Item, audioBytes: number, limits: FetchLimits): Promise<Artwork | null> {
  const { image } = item.payload;
  if (!image) return null;
  try {
    const bytes = await fetchImage(image, item.maxImageBytes, limits);
    const info = checkImage(bytes);
    if (audioBytes + bytes.length > item.remainingAllowanceBytes) {
      throw new PermanentItemError(
        "STORAGE_ALLOWANCE_EXCEEDED",
        "It would exceed the account's storage allowance",
      );
    }
    return await storeImage(
      { podcastId: item.podcastId, type: "episode_cover", episodeId: item.episodeId },
      bytes,
      info,
    );
  } catch (error) {
    limits.signal.throwIfAborted();
    const userError = toUserFacingError(error);
    const code = userError instanceof PermanentItemError && userError.code === "STORAGE_ALLOWANCE_EXCEEDED"
      ? userError.code
      : "INVALID_IMAGE";
    return { warning: { code, message: `Episode artwork was skipped: ${userError.message}` } };
  }
}

/**
 * Retries transient errors while there is time, because no later run does: the queue repeats an item that failed, and
 * one without its image is imported with a warning.
 */
async function fetchImage(url: string, maxBytes: number, limits: FetchLimits): Promise<Uint8Array> {
  const { deadline, ...options } = limits;
  const end = Math.min(deadline, Date.now() + FETCH_TIMEOUT_MS);
  let last: unknown;
  for (const pause of RETRY_DELAYS_MS) {
    if (last && Date.now() + pause >= end) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    limits.signal.throwIfAborted();
    try {
      const timeoutMs = Math.max(1, end - Date.now());
      return (await fetchFile(url, { maxBytes, timeoutMs, ...options, accept: IMAGE_TYPES })).bytes;
    } catch (error) {
      last = error;
      if (toUserFacingError(error) instanceof PermanentItemError) break;
    }
  }
  throw last;
}
