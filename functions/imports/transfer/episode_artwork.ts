/**
 * Imports an episode's image. It is optional: a failure becomes a warning, or work for the queue import_files, and does
 * not stop the episode.
 */
import { fetchFile } from "../../safe_fetch/fetch_file.ts";
import { authorizationFor } from "../feed_login.ts";
import { checkImage, IMAGE_TYPES, storeImage } from "./store_image.ts";
import { PermanentImportError, toUserFacingError } from "../import_errors.ts";
import type { Artwork, Item } from "./claimed_item.ts";
import type { FetchLimits } from "./enclosure_source.ts";

/** Short, because the episode waits; another attempt takes longer. */
const FETCH_TIMEOUT_MS = 10_000;

/** Fetches and stores the item's image, if it has one. `audioBytes` counts against the same allowance. */
export async function storeArtwork(item: Item, audioBytes: number, limits: FetchLimits): Promise<Artwork | null> {
  const { image } = item.payload;
  if (!image) return null;
  const { deadline, login, ...options } = limits;
  try {
    const { bytes } = await fetchFile(image, {
      maxBytes: item.maxImageBytes,
      timeoutMs: Math.max(1, Math.min(FETCH_TIMEOUT_MS, deadline - Date.now())),
      ...options,
      accept: IMAGE_TYPES,
      headers: authorizationFor(image, login),
    });
    const info = checkImage(bytes);
    if (audioBytes + bytes.length > item.remainingAllowanceBytes) {
      throw new PermanentImportError(
        "STORAGE_ALLOWANCE_EXCEEDED",
        "It would exceed the account's storage allowance",
      );
    }
    return await storeImage(
      { podcastId: item.podcastId, episodeId: item.episodeId },
      bytes,
      info,
    );
  } catch (error) {
    limits.signal.throwIfAborted();
    const userError = toUserFacingError(error, 1);
    if (!(userError instanceof PermanentImportError)) return { isPending: true };
    const code = userError.code === "STORAGE_ALLOWANCE_EXCEEDED" ? userError.code : "INVALID_IMAGE";
    return { warning: { code, message: `Episode artwork was skipped: ${userError.message}` } };
  }
}
