/** Plans, subscriptions and Stripe's pages over the wire. */
import { z } from "zod";
import { successEnvelope, Timestamp } from "./envelope.ts";

/** GET /api/billing */
export const BillingResponse = successEnvelope(
  z.strictObject({
    planCode: z.string().describe("A row of the table plans"),
    planName: z.string(),
    isPaidPlan: z.boolean(),
    subscriptionStatus: z.string().describe(
      "Stripe's: active, trialing, past_due, unpaid, incomplete, incomplete_expired, paused or canceled; none without " +
        "a subscription",
    ),
    collectionPaused: z.boolean().describe("Invoices are voided while the only open podcasts are paused"),
    cancelAtPeriodEnd: z.boolean(),
    currentPeriodEnd: Timestamp.nullable().describe("Renewal, or the end if cancelAtPeriodEnd"),
    usedBytes: z.int().describe("Stored and staged bytes"),
    limitBytes: z.int().describe("The plan's allowance"),
  }).meta({ id: "Billing" }),
);

/** POST /api/billing/checkout */
export const CheckoutRequest = z.strictObject({
  planCode: z.string().min(1).max(100).describe("A paid plan of the table plans"),
});

/** POST /api/billing/checkout and POST /api/billing/portal */
export const HostedPageResponse = successEnvelope(z.strictObject({ url: z.url().describe("A page of Stripe") }));

/** POST /api/billing/webhooks/stripe */
export const StripeWebhookResponse = successEnvelope(z.strictObject({
  recorded: z.boolean().describe("False for an event that changes nothing"),
}));
