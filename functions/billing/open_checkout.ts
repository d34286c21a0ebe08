/** Stripe's hosted checkout page for an offered price. An account has one customer and at most one open session. */
import { createHash } from "node:crypto";
import type Stripe from "stripe";
import type { CheckoutRequest } from "../../types/billing.ts";
import { routeService } from "../database/service.ts";
import { ApiError } from "../runtime/api_error.ts";
import { expireSession, expireSessions, retrieveSession } from "./checkout_sessions.ts";
import { callStripe, requireDeletedCustomer, StripeFailure, type TimeCheck } from "./stripe.ts";
import { endIncompleteSubscriptions } from "./sync_subscription.ts";

/** The state of a checkout, as its steps in sql/27_billing return it. */
interface Checkout {
  id: string;
  isDeleted: boolean;
  customerId: string | null;
  /** Changes with each session, and is part of its idempotency key. */
  version: number;
  sessionId: string | null;
  sessionPriceId: string | null;
}

/** The result of begin_checkout. */
interface BegunCheckout extends Checkout, Page {}

/** What the checkout page needs. */
interface Page {
  priceId: string;
  appUrl: string;
  email: string;
  /** Changes with the address. */
  addressVersion: number;
}

/** The result of get_checkout_terms. */
interface Terms {
  allowsPromotionCodes: boolean;
  collectsTax: boolean;
  /** 0 without a trial. */
  trialDays: number;
}

/** The plan to check out, its page, and the check of the time that is left. */
interface CheckoutOptions extends Page {
  planCode: string;
  requireTime: TimeCheck;
}

/** A missing customer and an ended session are replaced; more only if calls interfere with each other. */
const MAX_ROUNDS = 6;
/** From then on, a checkout begins nothing more. */
const MAX_MS = 60_000;

/** Returns the URL of the open session with the chosen price, or of a new one. */
export async function openCheckout(userId: string, choice: CheckoutRequest): Promise<string> {
  const deadline = Date.now() + MAX_MS;
  const requireTime = () => {
    if (Date.now() >= deadline) throw new ApiError(503, "The payment service is slow; try again later");
  };
  const { priceId, appUrl, email, addressVersion, ...begun } = await routeService("begin_checkout", {
    userId,
    ...choice,
  }) as BegunCheckout;
  const options: CheckoutOptions = { planCode: choice.planCode, priceId, appUrl, email, addressVersion, requireTime };
  let checkout: Checkout = begun;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (checkout.isDeleted) throw new ApiError(401, "Invalid or expired token");
    const next = await proceed(options, checkout);
    if (typeof next === "string") return next;
    checkout = next;
    requireTime();
  }
  throw new ApiError(503, "Another checkout of this account is in progress; try again");
}

/** Takes the next step: returns the URL of a session, or the new state of the checkout. */
async function proceed(options: CheckoutOptions, checkout: Checkout): Promise<string | Checkout> {
  if (checkout.customerId === null) return await createCustomer(options, checkout);
  try {
    return checkout.sessionId === null ? await openSession(options, checkout) : await reuseSession(options, checkout);
  } catch (error) {
    await requireDeletedCustomer(error, checkout.customerId);
    return await forgetCustomer(checkout);
  }
}

async function openSession(options: CheckoutOptions, checkout: Checkout): Promise<string | Checkout> {
  const { id, version } = checkout;
  const session = await createSession(options, checkout);
  const next = await routeService("store_checkout_session", {
    subscriptionId: id,
    checkoutVersion: version,
    sessionId: session.id,
    stripePriceId: options.priceId,
  }) as Checkout;
  if (next.sessionId === session.id && !next.isDeleted) return session.url!;
  if (!next.isDeleted) await expireSession(session.id); // another call stored one with another price
  return next;
}

async function reuseSession({ priceId }: CheckoutOptions, checkout: Checkout): Promise<string | Checkout> {
  const session = await retrieveSession(checkout.sessionId!);
  if (isDeleted(session.customer)) return await forgetCustomer(checkout);
  if (session.status === "open" && checkout.sessionPriceId === priceId) return session.url!;
  if (session.status === "open") await expireSession(session.id);
  return await endSession(checkout); // it may have been paid: the next step reads the subscriptions, and is 409
}

const isDeleted = (customer: Stripe.Checkout.Session["customer"]) =>
  typeof customer === "object" && customer?.deleted === true;

const endSession = async ({ id, version }: Checkout) =>
  await routeService("end_checkout_session", { subscriptionId: id, checkoutVersion: version }) as Checkout;

const forgetCustomer = async ({ id, customerId }: Checkout) =>
  await routeService("forget_stripe_customer", { subscriptionId: id, stripeCustomerId: customerId! }) as Checkout;

async function createCustomer({ email, addressVersion }: CheckoutOptions, checkout: Checkout): Promise<Checkout> {
  const { id } = checkout;
  const params = {
    email,
    metadata: { castbase_subscription: id, castbase_address_version: String(addressVersion) },
  };
  const request = callStripe(
    (stripe) => stripe.customers.create(params, { idempotencyKey: keyOf("customer", checkout, params) }),
    { hasPersonalData: true },
  );
  const customer = await withNewKeyAfterAnswer(checkout, request);
  return await routeService("store_stripe_customer", {
    subscriptionId: id,
    stripeCustomerId: customer.id,
    addressVersion,
  }) as Checkout;
}

/** A key belongs to one body, and address, offers and settings may change before the next try. */
function keyOf(action: string, { id, version }: Checkout, params: object): string {
  const digest = createHash("sha256").update(JSON.stringify(params)).digest("hex").slice(0, 16);
  return `castbase:${id}:${action}:${version}:${digest}`;
}

/** Awaits a request whose key has the checkout's version. Stripe replays its answer, so that an error ends the key. */
async function withNewKeyAfterAnswer<T>(checkout: Checkout, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof StripeFailure && error.isAnswer) await endSession(checkout);
    throw error;
  }
}

async function createSession(options: CheckoutOptions, checkout: Checkout): Promise<Stripe.Checkout.Session> {
  const { requireTime } = options, { id, version, customerId } = checkout;
  await expireSessions(customerId!, requireTime, version); // one may be left of a request whose response was an error
  await endIncompleteSubscriptions(id, requireTime); // after the sessions: each could still make one
  requireTime();
  const params = sessionParams(
    options,
    checkout,
    await routeService("get_checkout_terms", { subscriptionId: id }) as Terms,
  );
  const request = callStripe((stripe) =>
    stripe.checkout.sessions.create(params, { idempotencyKey: keyOf("checkout", checkout, params) })
  );
  return await withNewKeyAfterAnswer(checkout, request);
}

function sessionParams(
  { planCode, priceId, appUrl }: CheckoutOptions,
  { id, version, customerId }: Checkout,
  { allowsPromotionCodes, collectsTax, trialDays }: Terms,
): Stripe.Checkout.SessionCreateParams {
  const returnUrl = (state: string) => {
    const url = new URL(appUrl);
    url.searchParams.set("checkout", state);
    return url.href;
  };
  return {
    mode: "subscription",
    customer: customerId!,
    metadata: { castbase_checkout_version: String(version) },
    line_items: [{ price: priceId, quantity: 1 }],
    success_url: returnUrl("completed"),
    cancel_url: returnUrl("canceled"),
    ...allowsPromotionCodes && { allow_promotion_codes: true },
    ...collectsTax && {
      automatic_tax: { enabled: true },
      tax_id_collection: { enabled: true },
      // with a customer, Stripe requires to save the address for the tax, and the business name of the tax id
      customer_update: { address: "auto", name: "auto" },
    },
    subscription_data: {
      metadata: { castbase_subscription: id, castbase_plan: planCode },
      ...trialDays > 0 && { trial_period_days: trialDays },
    },
  };
}
