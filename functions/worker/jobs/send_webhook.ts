/**
 * automation_webhooks: makes an attempt to send a webhook of an execution. The row in automation_webhooks decides when the
 * next one is due; the queue's own retries repeat an attempt that the worker could not finish, with the same body under
 * the same id, by which the receiver recognizes it.
 */
import { z } from "zod";
import type { WebhookRequest } from "../../automations/post_webhook.ts";
import { getFetchSettings } from "../../database/fetch_settings.ts";
import { service } from "../../database/service.ts";
import { PermanentError } from "../../runtime/job_run.ts";
import type { Job } from "../job.ts";

const schema = z.object({ podcast_id: z.guid(), execution_id: z.guid(), action_id: z.guid() });

const GONE = 410;

export const sendWebhookJob: Job<z.infer<typeof schema>> = {
  queue: "automation_webhooks",
  schema,
  batchSize: 1, // a slow receiver delays no other message
  visibilityTimeoutSeconds: 60,
  concurrency: 64, // they only wait; a podcast has at most 8 in flight
  async run([{ execution_id: executionId, action_id: actionId }]) {
    const request = await service("begin_webhook", { executionId, actionId }) as
      | WebhookRequest
      | { exhausted: string }
      | null;
    if (!request) return; // sent, skipped, or its rule is paused
    if ("exhausted" in request) throw new PermanentError(request.exhausted);
    const { postWebhook } = await import("../../automations/post_webhook.ts"); // most isolates send none
    const { outcome, status, error, retryAfterSeconds } = await postWebhook(
      request,
      await getFetchSettings(),
    );
    if (outcome === "pending") {
      const isLast = await service("record_webhook_attempt", { executionId, actionId, error, retryAfterSeconds });
      if (isLast) throw new PermanentError(error);
      return;
    }
    if (status === GONE) await service("disable_webhook", { actionId, url: request.url });
    await service("record_webhook_result", {
      executionId,
      actionId,
      status: outcome === "accepted" ? "completed" : "failed",
      result: { status_code: status, error },
    });
  },
};
