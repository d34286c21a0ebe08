/**
 * import_feeds: reads the feed of an import that `start_import` created by RPC, that is too long for a request, or whose
 * route died. An unreadable feed fails the import with its reason; other errors are retried. Also checks the old address
 * of an imported feed.
 */
import { z } from "zod";
import { service } from "../../database/service.ts";
import { databaseRejection, type Rejection } from "../../imports/database_rejection.ts";
import { isFeedFailure } from "../../imports/fetch_feed.ts";
import { stageFeed } from "../../imports/stage_feed.ts";
import { checkSwitch } from "../../imports/switch/check_switch.ts";
import { JobLostError } from "../../runtime/job_run.ts";
import { startHeartbeat } from "../heartbeat.ts";
import type { Job } from "../job.ts";

const schema = z.object({ type: z.enum(["import_feed", "check_switch"]), import_id: z.guid() });

export const readImportFeedJob: Job<z.infer<typeof schema>> = {
  queue: "import_feeds",
  schema,
  batchSize: 1,
  visibilityTimeoutSeconds: 60,
  concurrency: 2,
  async run([{ type, import_id: importId }], context) {
    if (type === "check_switch") return await checkSwitch(importId);
    const { messageIds: [msgId], attempt } = context;
    const feedUrl = await service("begin_import_feed", { importId, msgId, attempt });
    if (feedUrl === null) return; // canceled, deleted, or read by another attempt
    await using heartbeat = startHeartbeat(context);
    try {
      await stageFeed({ importId, feedUrl, msgId, attempt, service, signal: heartbeat.signal });
    } catch (error) {
      if (error instanceof JobLostError) throw error;
      const { code, reason } = readFailure(error);
      await service("fail_import_feed", { importId, errorMessage: reason, errorCode: code, msgId, attempt });
    }
  },
};

/** The reason that the import's admins read. Throws errors that are not the feed's, which the queue retries. */
function readFailure(error: unknown): Rejection {
  if (isFeedFailure(error)) return { code: error.code, reason: error.message };
  const rejection = databaseRejection(error);
  if (rejection) return rejection;
  throw error;
}
