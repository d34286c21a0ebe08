/** Links in emails of notifications, and the events of the email provider, over the wire. */
import { z } from "zod";
import { LanguageTag, successEnvelope } from "./envelope.ts";

export const EmailTokenPathParams = z.object({ token: z.string().describe("From the email") });

/** POST /api/notifications/email/unsubscribe/{token} */
export const UnsubscribeResponse = successEnvelope(
  z.strictObject({
    type: z.string().describe("A row of the table notification_types"),
    scope: z.enum(["type", "podcast", "all_podcasts"]).describe(
      "Whose emails of the type isSubscribed and action mean",
    ),
    isSubscribed: z.boolean(),
    language: LanguageTag.describe("Of the texts, the recipient's"),
    title: z.string(),
    message: z.string(),
    action: z.string().nullable().describe("Label of a button that does the opposite"),
    allAction: z.string().nullable().describe("Label of a button that ends the emails of all podcasts"),
  }).meta({ id: "EmailSubscription" }),
);

/** The body of POST /api/notifications/email/unsubscribe/{token}: of an email program, or of the page's form. */
export const UnsubscribeForm = z.object({
  "List-Unsubscribe": z.literal("One-Click").optional().describe("As RFC 8058 says"),
  emails: z.enum(["on", "off", "all-on", "all-off"]).optional().describe("Of the page's form"),
});

/** POST /api/notifications/webhooks/resend */
export const ResendWebhookResponse = successEnvelope(z.strictObject({
  recorded: z.boolean().describe("False for an event that changes no delivery"),
}));
