/** /api/notifications. */
import { subRouter } from "../../app/app.ts";
import { email } from "./email.ts";
import { resendWebhook } from "./resend_webhook.ts";

export const notifications = subRouter()
  .route("/email", email)
  .route("/webhooks", resendWebhook);
