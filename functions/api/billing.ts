/** /api/billing: plan and subscription, Stripe's pages, and Stripe's webhook. The rules are in sql/27_billing. */
import { NoFields } from "../../types/envelope.ts";
import { BillingResponse, CheckoutRequest, HostedPageResponse, StripeWebhookResponse } from "../../types/billing.ts";
import { authenticatedRouter, publicRouter } from "../app/app.ts";
import { clientAddress } from "../app/client_address.ts";
import { describeRoute } from "../app/describe_route.ts";
import { operation } from "../app/operation.ts";
import { reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";
import { openCheckout } from "../billing/open_checkout.ts";
import { openPortal } from "../billing/open_portal.ts";
import { limitEvents, receiveEvent, StripeEvent } from "../billing/receive_event.ts";
import { toApiError } from "../billing/stripe.ts";

const accountRoutes = authenticatedRouter([
  operation("GET", "/", "get_billing", {
    summary: "Get the caller's plan, subscription and storage, and the offers",
    response: BillingResponse,
    errors: [403],
  }),
])
  .post(
    "/checkout",
    describeRoute({
      operationId: "openCheckout",
      summary: "Get Stripe's checkout page for a paid plan",
      response: HostedPageResponse,
      errors: [403, 409, 429, 500],
    }),
    valid("json", CheckoutRequest),
    (c) => replyWithUrl(openCheckout(c.var.userId, c.req.valid("json"))),
  )
  .post(
    "/portal",
    describeRoute({
      operationId: "openPortal",
      summary: "Get Stripe's billing portal",
      response: HostedPageResponse,
      errors: [403, 409, 429, 500],
    }),
    valid("json", NoFields),
    (c) => replyWithUrl(openPortal(c.var.userId)),
  );

// The account's routes come last, because their router requires a login
export const billing = publicRouter()
  .post(
    "/webhooks/stripe",
    describeRoute({
      operationId: "recordStripeEvent",
      summary: "Receive an event of Stripe (signed)",
      response: StripeWebhookResponse,
      bodyTypes: ["application/json"],
      body: StripeEvent,
      errors: [413, 429, 500],
    }),
    async (c) => {
      await limitEvents(clientAddress(c.req.raw));
      const recorded = await receiveEvent(c.req.raw);
      return reply({ status: 200, text: JSON.stringify({ recorded }) });
    },
  )
  .route("/", accountRoutes);

async function replyWithUrl(opening: Promise<string>): Promise<Response> {
  try {
    return reply({ status: 200, text: JSON.stringify({ url: await opening }) });
  } catch (error) {
    throw toApiError(error);
  }
}
