/** /api/notifications. */
import { subRouter } from "../../app/app.ts";
import { emailLinks } from "./email_links.ts";
import { resendWebhook } from "./resend_webhook.ts";

export const notifications = subRouter()
  .route("/email", emailLinks)
  .route("/webhooks", resendWebhook);
