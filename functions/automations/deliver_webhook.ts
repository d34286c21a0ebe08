/** Sends the webhook of an execution, and continues the execution with its result. */
import { getAllowedHosts } from "../database/allowed_hosts.ts";
import { PostponeJob, RetryAfterError } from "../runtime/job_run.ts";
import { service } from "../database/service.ts";
import type { WebhookRequest } from "./send_webhook.ts";

/** While the podcast has as many webhooks in flight as it may. */
const POSTPONED_SECONDS = 10;

/**
 * Throws RetryAfterError if another attempt may succeed, which sends the same body under the same id, and PostponeJob
 * while the podcast has too many webhooks in flight.
 */
export async function deliverWebhook(executionId: string, actionId: string): Promise<void> {
  const request = await service("begin_webhook", { executionId, actionId }) as
    | WebhookRequest
    | { postponed: true }
    | null;
  if (!request) return; // sent, canceled, or deleted
  if ("postponed" in request) throw new PostponeJob(POSTPONED_SECONDS);
  const { sendWebhook } = await import("./send_webhook.ts"); // most isolates send none
  const { outcome, status, error, retryAfterSeconds } = await sendWebhook(request, {
    allowedHosts: await getAllowedHosts(),
  });
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
}
