/** Stripe's webhook: verifies the signature of the raw body, then hands the event to the database. */
import { z } from "zod";
import { env } from "../app/env.ts";
import { ApiError } from "../app/errors.ts";
import { parseJson } from "../app/json.ts";
import { serviceSql, withRetry } from "../database/db.ts";
import { requireStripeEnv } from "./stripe.ts";

/** Stripe's own limit for its libraries: an older request may be a recorded one. */
const TOLERANCE_SECONDS = 300;

/** What the database relies on. Events of another form are not ours. */
const StripeEvent = z.looseObject({
  id: z.string().min(1).max(255),
  type: z.string().max(255),
  created: z.int().min(0).max(2 ** 40),
  data: z.looseObject({ object: z.looseObject({}) }),
});

/** Records an event. False if it changes nothing: unknown, or delivered before. */
export async function receiveEvent(body: Uint8Array, signature: string | undefined): Promise<boolean> {
  const secret = requireStripeEnv("STRIPE_WEBHOOK_SECRET", env.stripeWebhookSecret);
  const text = await verify(body, signature, secret);
  const event = parseJson(text);
  if (!StripeEvent.safeParse(event).success) return false;
  const [{ isRecorded }] = await withRetry(() =>
    serviceSql<{ isRecorded: boolean }[]>`
      select private.record_stripe_event(${text}::text::jsonb) as "isRecorded"`
  );
  return isRecorded;
}

/** Returns the body's text. The header may have several signatures, because a secret is being rotated. */
async function verify(body: Uint8Array, signature: string | undefined, secret: string): Promise<string> {
  const { default: Stripe } = await import("stripe");
  const { webhooks } = Stripe;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    await webhooks.signature!.verifyHeaderAsync(text, signature ?? "", secret, TOLERANCE_SECONDS);
    return text;
  } catch (cause) {
    // the error carries the whole body
    throw new ApiError(400, "Invalid signature", { cause: new Error((cause as Error).message) });
  }
}

/** Counts a request of this address; 429 over the limit. */
export async function limitEvents(address: string): Promise<void> {
  await serviceSql`select private.limit_stripe_webhooks(${address})`;
}
