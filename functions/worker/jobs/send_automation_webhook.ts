/**
 * automation_webhooks: sends a webhook of an execution, and continues the execution. A second run sends the same id, by which
 * the receiver recognizes it.
 */
import { z } from "zod";
import { deliverWebhook } from "../../automations/deliver_webhook.ts";
import type { Job } from "../job.ts";

const schema = z.object({ podcast_id: z.guid(), execution_id: z.guid(), action_id: z.guid() });

export const sendAutomationWebhookJob: Job<z.infer<typeof schema>> = {
  queue: "automation_webhooks",
  schema,
  batchSize: 1, // a slow receiver delays no other message
  visibilityTimeoutSeconds: 60,
  concurrency: 64, // they only wait; a podcast has at most 8 in flight
  run: ([{ execution_id, action_id }]) => deliverWebhook(execution_id, action_id),
};
