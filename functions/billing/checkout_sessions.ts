/** Checkout sessions at Stripe. */
import type Stripe from "stripe";
import { ApiError } from "../runtime/api_error.ts";
import { callStripe, listOfCustomer, StripeFailure, type TimeCheck } from "./stripe.ts";

/** A session with its customer. */
export const retrieveSession = (id: string): Promise<Stripe.Checkout.Session> =>
  callStripe((stripe) => stripe.checkout.sessions.retrieve(id, { expand: ["customer"] }));

/** Expires the open sessions of a customer, except those of this version. One that was paid has made a subscription. */
export async function expireSessions(customer: string, requireTime: TimeCheck, exceptVersion?: number): Promise<void> {
  const open = await listOfCustomer(
    customer,
    (stripe) => stripe.checkout.sessions.list({ customer, status: "open", limit: 100 }),
  );
  for (const { id, metadata } of open) {
    if (exceptVersion !== undefined && metadata?.castbase_checkout_version === String(exceptVersion)) continue;
    await expireSession(id);
    requireTime();
  }
}

/** Expires a session unless it has ended. 503 if Stripe keeps it open, because it and a new one could both be paid. */
export async function expireSession(id: string): Promise<void> {
  try {
    await callStripe((stripe) => stripe.checkout.sessions.expire(id));
  } catch (error) {
    if (!(error instanceof StripeFailure && error.isRejection)) throw error;
    if ((await retrieveSession(id)).status === "open") {
      throw new ApiError(503, "An earlier checkout of this account is in progress; try again", { cause: error });
    }
  }
}
