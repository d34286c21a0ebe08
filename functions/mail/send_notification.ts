/** Sends the email of a notification's delivery. */
import { serviceSql } from "../database/db.ts";
import { type NotificationContent, renderNotification } from "./notification_email.ts";
import { sendEmail } from "./send_email.ts";

/** A second run sends the same email under the same key, because tokens are derived and the content is stored. */
export async function sendNotification(deliveryId: string): Promise<void> {
  const [{ content }] = await serviceSql<{ content: NotificationContent | null }[]>`
    select private.begin_email_delivery(${deliveryId}) as content`;
  if (!content) return; // sent, canceled, or deleted
  const { email, tokens } = await renderNotification(content, deliveryId);
  await serviceSql`select private.store_email_tokens(${deliveryId}, ${JSON.stringify(tokens)}::text::jsonb)`;
  const messageId = await sendEmail(email, deliveryId);
  await serviceSql`select private.record_email_sent(${deliveryId}, ${messageId})`;
}
