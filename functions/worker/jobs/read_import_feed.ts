/**
 * import_feeds: reads the feed of an import that `start_import` created by RPC, that is too long for a request, or whose
 * route died. What another attempt cannot solve fails the import with its reason; other errors are retried. Also checks
 * the old address of an imported feed.
 */
import { z } from "zod";
import { service } from "../../database/service.ts";
import { stageFeed } from "../../imports/stage_feed.ts";
import { checkSwitch } from "../../imports/switch/check_switch.ts";
import { PermanentImportError, toUserFacingError } from "../../imports/import_errors.ts";
import { JobLostError, type RunContext } from "../../runtime/job_run.ts";
import { logError } from "../../runtime/log.ts";
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
    try {
      await readFeed(importId, context);
    } catch (error) {
      if (error instanceof JobLostError) throw error;
      const { messageIds: [msgId], attempt } = context;
      const shown = toUserFacingError(error, attempt, INTERNAL_ERROR);
      if (shown !== error) logError({ import_id: importId, error });
      if (!(shown instanceof PermanentImportError)) throw shown;
      const { code, message } = shown;
      await service("fail_import_feed", { importId, errorMessage: message, errorCode: code, msgId, attempt });
    }
  },
};

const INTERNAL_ERROR = "The feed could not be read because of an internal error; start the import again";

async function readFeed(importId: string, context: RunContext): Promise<void> {
  const { messageIds: [msgId], attempt } = context;
  const feedUrl = await service("begin_import_feed", { importId, msgId, attempt });
  if (feedUrl === null) return; // canceled, deleted, or read by another attempt
  await using heartbeat = startHeartbeat(context);
  await stageFeed({ importId, feedUrl, msgId, attempt, service, signal: heartbeat.signal });
}
