/** Links in emails of notifications, and the events of the email provider, over the wire. */
import { z } from "zod";
import { successEnvelope } from "./envelope.ts";

export const EmailTokenPathParams = z.object({ token: z.string().describe("From the email") });

/** POST /api/notifications/email/unsubscribe/{token} */
export const UnsubscribeResponse = successEnvelope(
  z.strictObject({
    type: z.string().describe("A row of the table notification_types"),
    scope: z.enum(["type", "podcast", "all_podcasts"]).describe(
      "Whose emails of the type isSubscribed and action mean",
    ),
    isSubscribed: z.boolean(),
    language: z.string().describe("Of the texts, the recipient's"),
    title: z.string(),
    message: z.string(),
    action: z.string().nullable().describe("Label of a button that does the opposite"),
    allAction: z.string().nullable().describe("Label of a button that ends the emails of all podcasts"),
  }).meta({ id: "EmailSubscription" }),
);

/** POST /api/notifications/webhooks/resend */
export const ResendWebhookResponse = successEnvelope(z.strictObject({
  recorded: z.boolean().describe("False for an event that changes no delivery"),
}));
