/** POST /api/imports/podcast reads the feed itself, so that its response can show the preview. */
import { routeSql, withRetry } from "../database/db.ts";
import { toApiError } from "./fetch_feed.ts";
import { type FeedReading, stageFeed } from "./stage_feed.ts";
import { ApiError } from "../runtime/api_error.ts";
import { logError } from "../runtime/log.ts";

/** Claims the import's message and stages the feed. If the feed cannot be read, the import is deleted. */
export async function claimAndStageFeed(importId: string, feedUrl: string): Promise<string> {
  const [claim] = await withRetry(() =>
    routeSql<Pick<FeedReading, "messageId" | "attempt">[]>`
      select msg_id as "messageId", attempt from private.claim_import_feed(${importId})`
  );
  // the worker may claim the message after five seconds, which only a suspended process misses
  if (!claim) throw new ApiError(503, "The feed is being read; check the import later", { extra: { importId } });
  try {
    return await stageFeed({ importId, feedUrl, ...claim });
  } catch (error) {
    await discardStaging(importId, claim);
    throw toApiError(error);
  }
}

/** Failures are only logged: the reason why the feed was not read matters more, and cron deletes the import. */
async function discardStaging(importId: string, { messageId, attempt }: Pick<FeedReading, "messageId" | "attempt">) {
  await withRetry(() => routeSql`select private.discard_staging(${importId}, ${messageId}, ${attempt})`)
    .catch((error) =>
      logError({ message: "Failed to discard import; cron will delete it", import_id: importId, error })
    );
}
