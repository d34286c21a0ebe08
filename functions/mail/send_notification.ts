/** Sends the email of a notification's delivery. */
import { requireVariable } from "../runtime/env.ts";
import { RequeueJob } from "../runtime/job_run.ts";
import { service } from "../database/service.ts";
import { type NotificationContent, renderNotification } from "./notification_email.ts";
import { sendEmail } from "./send_email.ts";
import { addressOf } from "./topic_headers.ts";

/** Until an older email about the same calendar event is sent. */
const POSTPONED_SECONDS = 3;

/**
 * A second run sends the same email under the same key, because tokens are derived and the content is stored; content
 * that changed meanwhile has another version. An attempt ends within `attemptSeconds`.
 */
export async function sendNotification(deliveryId: string, attemptSeconds: number): Promise<void> {
  const senderAddress = addressOf(requireVariable("MAIL_FROM", "email cannot be sent"));
  const content = await service("begin_email_delivery", { deliveryId, attemptSeconds, senderAddress }) as
    | NotificationContent
    | { postponed: true }
    | null;
  if (!content) return; // sent, canceled, or deleted
  if ("postponed" in content) throw new RequeueJob(POSTPONED_SECONDS);
  const { email, tokens } = await renderNotification(content, deliveryId);
  await service("store_email_tokens", { deliveryId, tokens });
  const idempotencyKey = content.version ? `${deliveryId}/${content.version}` : deliveryId;
  const providerMessageId = await sendEmail(email, idempotencyKey, deliveryId);
  await service("record_email_sent", { deliveryId, providerMessageId });
}
