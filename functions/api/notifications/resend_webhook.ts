/** /api/notifications/webhooks: events of the email provider. The rules are in sql/70_notifications. */
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { ResendWebhookResponse } from "../../../types/notification_emails.ts";
import { publicRouter } from "../../app/app.ts";
import { clientAddress } from "../../app/client_address.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { requireVariable } from "../../runtime/env.ts";
import { parseJson } from "../../runtime/json.ts";
import { reply } from "../../app/reply.ts";
import { readSignedBody } from "../../app/signed_body.ts";
import { routeService } from "../../database/service.ts";

const MAX_EVENT_BYTES = 64 * 1024;

/** What the database relies on. Events of another form are not ours. */
const ResendEvent = z.looseObject({
  type: z.string().max(255),
  data: z.looseObject({ email_id: z.string().min(1).max(255) }),
});

export const resendWebhook = publicRouter()
  .post(
    "/resend",
    describeRoute({
      operationId: "recordResendEvent",
      summary: "Receive an event of Resend (signed)",
      response: ResendWebhookResponse,
      bodyTypes: ["application/json"],
      body: ResendEvent,
      errors: [413, 429, 500],
    }),
    async (c) => {
      // several events for each email, from a few addresses
      await routeService("limit_webhooks", {
        name: "resend_webhooks",
        address: clientAddress(c.req.raw),
        maxPerMinute: 3000,
      });
      const eventId = c.req.header("svix-id") ?? "", webhook = openWebhook();
      const event = await readSignedBody(c.req.raw, MAX_EVENT_BYTES, (text) =>
        webhook.verify(text, {
          "webhook-id": eventId,
          "webhook-timestamp": c.req.header("svix-timestamp") ?? "",
          "webhook-signature": c.req.header("svix-signature") ?? "",
        }, { jsonParse: false }));
      const recorded = await recordEvent(eventId, event);
      return reply({ status: 200, text: JSON.stringify({ recorded }) });
    },
  );

/** Resend signs with Svix, whose scheme is Standard Webhooks with other header names. */
function openWebhook(): Webhook {
  return new Webhook(requireVariable("RESEND_WEBHOOK_SECRET", "events of Resend cannot be verified"));
}

/** Records a verified event. False if it changes nothing. */
async function recordEvent(eventId: string, text: string): Promise<boolean> {
  if (eventId.length > 255 || !ResendEvent.safeParse(parseJson(text)).success) return false;
  return await routeService("record_resend_event", { eventId, event: text });
}
