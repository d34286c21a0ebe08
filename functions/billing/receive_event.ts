/** Stripe's webhook: verifies the signature of the raw body, then hands the event to the database. */
import { z } from "zod";
import { requireVariable } from "../runtime/env.ts";
import { parseJson } from "../runtime/json.ts";
import { readSignedBody } from "../app/signed_body.ts";
import { routeService } from "../database/service.ts";
import { UNAVAILABLE } from "./stripe.ts";

const MAX_EVENT_BYTES = 256 * 1024;
/** Stripe's own limit for its libraries: an older request may be a recorded one. */
const TOLERANCE_SECONDS = 300;

/** What the database relies on. Events of another form are not ours. */
export const StripeEvent = z.looseObject({
  id: z.string().min(1).max(255),
  type: z.string().max(255),
  created: z.int().min(0).max(2 ** 40),
  data: z.looseObject({ object: z.looseObject({}) }),
});

/** Records an event. False if it changes nothing: unknown, or delivered before. */
export async function receiveEvent(request: Request): Promise<boolean> {
  const secret = requireVariable("STRIPE_WEBHOOK_SECRET", UNAVAILABLE);
  const { default: { webhooks } } = await import("stripe");
  // the header may have several signatures, because a secret is being rotated
  const signature = request.headers.get("stripe-signature") ?? "";
  const text = await readSignedBody(
    request,
    MAX_EVENT_BYTES,
    (body) => webhooks.signature!.verifyHeaderAsync(body, signature, secret, TOLERANCE_SECONDS),
  );
  const event = parseJson(text);
  if (!StripeEvent.safeParse(event).success) return false;
  return await routeService("record_stripe_event", { event: text });
}

/** Counts a request of this address; 429 over the limit. */
export async function limitEvents(address: string): Promise<void> {
  await routeService("limit_webhooks", { name: "stripe_webhooks", address, maxPerMinute: 300 });
}
