/** POST /api/imports/podcast reads the feed itself, so that its response can show the preview. */
import { routeService } from "../database/service.ts";
import { MAX_READING_MS, toApiError } from "./fetch_feed.ts";
import { FeedTooLongError, stageFeed } from "./stage_feed.ts";
import { ApiError } from "../runtime/api_error.ts";
import { logError } from "../runtime/log.ts";

/** A request may take longer, up to MAX_READING_MS, only for a feed of few items. */
const MAX_REQUEST_MS = 20_000, MAX_REQUEST_ITEMS = 10_000;

/**
 * Claims the import's message and stages the feed. If the feed cannot be read, the import is deleted. A feed that
 * takes too long is left to the worker; the import stays pending.
 */
export async function claimAndStageFeed(
  importId: string,
  { maxMs = MAX_REQUEST_MS, maxItems = MAX_REQUEST_ITEMS, maxTotalMs = MAX_READING_MS } = {},
): Promise<string> {
  const start = performance.now();
  const [claimed] = await routeService("claim_import_feed", { importId });
  // the worker may claim the message after five seconds, which only a suspended process misses
  if (!claimed) throw new ApiError(503, "The feed is being read; check the import later", { extra: { importId } });
  const { feed_url: feedUrl, msg_id: msgId, attempt } = claimed;
  const claim = { msgId, attempt };
  try {
    return await stageFeed({
      importId,
      feedUrl,
      ...claim,
      service: routeService,
      isTooLong: (items) => performance.now() - start >= (items > maxItems ? maxMs : maxTotalMs),
    });
  } catch (error) {
    if (error instanceof FeedTooLongError) return (await routeService.text("hand_over_feed", { importId, ...claim }))!;
    // a failure is only logged: the reason why the feed was not read matters more
    await routeService("discard_staging", { importId, ...claim }).catch((error) =>
      logError({ message: "Failed to discard import; cron will delete it", import_id: importId, error })
    );
    throw toApiError(error);
  }
}
