/** /api/notifications. The inbox comes last, because its router requires a login and has paths with ids. */
import { subRouter } from "../../app/app.ts";
import { chatEvents, guestRead } from "./chat.ts";
import { emailLinks } from "./email_links.ts";
import { emailStatus } from "./email_status.ts";
import { inbox } from "./inbox.ts";
import { mutes } from "./mutes.ts";
import { pushClicks, pushSubscriptions } from "./push.ts";
import { resendWebhook } from "./resend_webhook.ts";

export const notifications = subRouter()
  .route("/email", emailLinks)
  .route("/email-status", emailStatus)
  .route("/mutes", mutes)
  .route("/push", pushClicks)
  .route("/push-subscriptions", pushSubscriptions)
  .route("/events", chatEvents)
  .route("/guest-read", guestRead)
  .route("/webhooks", resendWebhook)
  .route("/", inbox);
