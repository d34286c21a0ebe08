/** Plans, subscriptions and Stripe's pages over the wire. */
import { z } from "zod";
import { successEnvelope, Timestamp } from "./envelope.ts";

/** How often a price is charged. */
export const BillingInterval = z.enum(["day", "week", "month", "year"]);
export type BillingInterval = z.infer<typeof BillingInterval>;

const Currency = z.string().regex(/^[a-z]{3}$/, "must be three lower-case letters");

/** A recurring price. */
const price = {
  interval: BillingInterval,
  currency: z.string().describe("Three lower-case letters, such as eur"),
  unitAmount: z.int().nullable().describe("In the currency's smallest unit, such as cents; null: not shown"),
};

/** A price that a checkout accepts. */
export const PlanOffer = z.strictObject({
  planCode: z.string(),
  planName: z.string(),
  ...price,
  storageGb: z.int().describe("The plan's allowance; 1 GB is 1,073,741,824 bytes"),
}).meta({ id: "PlanOffer" });

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
    price: z.strictObject(price).nullable().describe("The subscription's; null without a paid plan"),
    offers: z.array(PlanOffer).describe("What a checkout accepts, by storage, interval and currency"),
  }).meta({ id: "Billing" }),
);

/** POST /api/billing/checkout */
export const CheckoutRequest = z.strictObject({
  planCode: z.string().min(1).max(100).describe("A paid plan of the table plans"),
  interval: BillingInterval.optional().describe("Required if the plan's offers differ in it"),
  currency: Currency.optional().describe("Required if the plan's offers differ in it"),
});
export type CheckoutRequest = z.infer<typeof CheckoutRequest>;

/** POST /api/billing/checkout and POST /api/billing/portal */
export const HostedPageResponse = successEnvelope(z.strictObject({ url: z.url().describe("A page of Stripe") }));

/** POST /api/billing/webhooks/stripe */
export const StripeWebhookResponse = successEnvelope(z.strictObject({
  recorded: z.boolean().describe("False for an event that changes nothing"),
}));
