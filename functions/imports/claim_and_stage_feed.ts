/** POST /api/imports/podcast reads the feed itself, so that its response can show the preview. */
import { routeService } from "../database/service.ts";
import { toApiError } from "./fetch_feed.ts";
import { stageFeed } from "./stage_feed.ts";
import { ApiError } from "../runtime/api_error.ts";
import { logError } from "../runtime/log.ts";

/** Claims the import's message and stages the feed. If the feed cannot be read, the import is deleted. */
export async function claimAndStageFeed(importId: string): Promise<string> {
  const [claimed] = await routeService("claim_import_feed", { importId });
  // the worker may claim the message after five seconds, which only a suspended process misses
  if (!claimed) throw new ApiError(503, "The feed is being read; check the import later", { extra: { importId } });
  const { feed_url: feedUrl, msg_id: msgId, attempt } = claimed;
  const claim = { msgId, attempt };
  try {
    return await stageFeed({ importId, feedUrl, ...claim });
  } catch (error) {
    // a failure is only logged: the reason why the feed was not read matters more
    await routeService("discard_staging", { importId, ...claim }).catch((error) =>
      logError({ message: "Failed to discard import; cron will delete it", import_id: importId, error })
    );
    throw toApiError(error);
  }
}
