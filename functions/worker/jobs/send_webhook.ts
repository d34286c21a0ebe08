/**
 * automation_webhooks: sends a webhook of an execution, and continues the execution with its result. A second run sends the
 * same body under the same id, by which the receiver recognizes it.
 */
import { z } from "zod";
import type { WebhookRequest } from "../../automations/post_webhook.ts";
import { getFetchSettings } from "../../database/fetch_settings.ts";
import { service } from "../../database/service.ts";
import { PostponeJob, RetryAfterError } from "../../runtime/job_run.ts";
import type { Job } from "../job.ts";

const schema = z.object({ podcast_id: z.guid(), execution_id: z.guid(), action_id: z.guid() });

/** While the podcast has as many webhooks in flight as it may. */
const POSTPONED_SECONDS = 10;

export const sendWebhookJob: Job<z.infer<typeof schema>> = {
  queue: "automation_webhooks",
  schema,
  batchSize: 1, // a slow receiver delays no other message
  visibilityTimeoutSeconds: 60,
  concurrency: 64, // they only wait; a podcast has at most 8 in flight
  async run([{ execution_id: executionId, action_id: actionId }]) {
    const request = await service("begin_webhook", { executionId, actionId }) as
      | WebhookRequest
      | { postponed: true }
      | null;
    if (!request) return; // sent, canceled, or deleted
    if ("postponed" in request) throw new PostponeJob(POSTPONED_SECONDS);
    const { postWebhook } = await import("../../automations/post_webhook.ts"); // most isolates send none
    const { outcome, status, error, retryAfterSeconds } = await postWebhook(
      request,
      await getFetchSettings(),
    );
    if (outcome === "pending") {
      await service("record_webhook_attempt", { executionId, actionId, error });
      throw new RetryAfterError(error, retryAfterSeconds ?? 0);
    }
    await service("record_webhook_result", {
      executionId,
      actionId,
      status: outcome === "accepted" ? "completed" : "failed",
      result: { status_code: status, error },
    });
  },
};
