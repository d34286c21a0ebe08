/** Imports an episode's image. It is optional: a failure becomes a warning and does not stop the episode. */
import { serviceSql } from "../../database/db.ts";
import { FetchError, readAll, safeFetch, type SafeFetchResponse } from "../../safe_fetch/safe_fetch.ts";
import { parseImageHeader } from "../../media/image_header.ts";
import { putObject } from "../../media/storage.ts";
import { errorForStatus, PermanentItemError, toUserFacingError } from "./item_errors.ts";
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
    const info = parseImageHeader(bytes);
    if (!info) throw new PermanentItemError("INVALID_CONTENT_TYPE", "The file is not a JPEG or PNG image");
    const { type: contentType, width, height } = info;
    if (audioBytes + bytes.length > item.remainingAllowanceBytes) {
      throw new PermanentItemError(
        "STORAGE_ALLOWANCE_EXCEEDED",
        "It would exceed the account's storage allowance",
      );
    }
    const [{ path }] = await serviceSql<{ path: string }[]>`
      select private.validate_image(private.image_spec('episode_cover'), ${contentType}, ${bytes.length},
          ${JSON.stringify(info)}::text::jsonb, 0.05)::text as fits,
        private.image_path(${item.podcastId}, 'episode_cover', ${item.episodeId}, gen_random_uuid(), ${contentType}) as path`;
    await putObject(path, bytes, contentType);
    return { path, bytes: bytes.length, contentType, width, height };
  } catch (error) {
    limits.signal.throwIfAborted();
    const userError = toUserFacingError(error);
    const code = userError instanceof PermanentItemError && userError.code === "STORAGE_ALLOWANCE_EXCEEDED"
      ? userError.code
      : "INVALID_IMAGE";
    return { warning: { code, message: `Episode artwork was skipped: ${userError.message}` } };
  }
}

/** Retries transient errors while there is time. */
async function fetchImage(url: string, maxBytes: number, limits: FetchLimits): Promise<Uint8Array> {
  const { signal, deadline, allowedHosts } = limits;
  const end = Math.min(deadline, Date.now() + FETCH_TIMEOUT_MS);
  let last: unknown;
  for (const pause of RETRY_DELAYS_MS) {
    if (last && Date.now() + pause >= end) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    signal.throwIfAborted();
    try {
      const headers = { accept: "image/jpeg, image/png" };
      const timeoutMs = Math.max(1, end - Date.now());
      const response = await safeFetch(url, { timeoutMs, signal, allowedHosts, headers });
      return await readAll(await requireSuccess(response), maxBytes);
    } catch (error) {
      last = error;
      if (toUserFacingError(error) instanceof PermanentItemError || isTooLarge(error)) break;
    }
  }
  throw last;
}

const isTooLarge = (error: unknown) => error instanceof FetchError && error.code === "TOO_LARGE";

async function requireSuccess(response: SafeFetchResponse): Promise<SafeFetchResponse> {
  const { status, headers, body } = response;
  if (status >= 200 && status < 300) return response;
  await body.cancel();
  throw errorForStatus(status, headers);
}
