/** Stripe's hosted checkout page for a plan. An account has one customer and at most one open session. */
import { createHash } from "node:crypto";
import type Stripe from "stripe";
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
  planCode: string | null;
}

/** The result of begin_checkout. */
interface BegunCheckout extends Checkout, Page {}

/** What the checkout page needs. */
interface Page {
  priceId: string;
  appUrl: string;
  email: string;
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

/** Returns the URL of the open session for this plan, or of a new one. */
export async function openCheckout(userId: string, planCode: string): Promise<string> {
  const deadline = Date.now() + MAX_MS;
  const requireTime = () => {
    if (Date.now() >= deadline) throw new ApiError(503, "The payment service is slow; try again later");
  };
  const { priceId, appUrl, email, ...begun } = await routeService("begin_checkout", {
    userId,
    planCode,
  }) as BegunCheckout;
  const options: CheckoutOptions = { planCode, priceId, appUrl, email, requireTime };
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
    planCode: options.planCode,
  }) as Checkout;
  if (next.sessionId === session.id && !next.isDeleted) return session.url!;
  if (!next.isDeleted) await expireSession(session.id); // another call stored one for another plan
  return next;
}

async function reuseSession({ planCode }: CheckoutOptions, checkout: Checkout): Promise<string | Checkout> {
  const session = await retrieveSession(checkout.sessionId!);
  if (isDeleted(session.customer)) return await forgetCustomer(checkout);
  if (session.status === "open" && checkout.planCode === planCode) return session.url!;
  if (session.status === "open") await expireSession(session.id);
  return await endSession(checkout); // it may have been paid: the next step reads the subscriptions, and is 409
}

const isDeleted = (customer: Stripe.Checkout.Session["customer"]) =>
  typeof customer === "object" && customer?.deleted === true;

const endSession = async ({ id, version }: Checkout) =>
  await routeService("end_checkout_session", { subscriptionId: id, checkoutVersion: version }) as Checkout;

const forgetCustomer = async ({ id, customerId }: Checkout) =>
  await routeService("forget_stripe_customer", { subscriptionId: id, stripeCustomerId: customerId! }) as Checkout;

async function createCustomer({ email }: CheckoutOptions, checkout: Checkout): Promise<Checkout> {
  const { id, version } = checkout;
  // the address may change before the next try, and a key belongs to one body
  const digest = createHash("sha256").update(email).digest("hex").slice(0, 16);
  const request = callStripe((stripe) =>
    stripe.customers.create(
      { email, metadata: { castbase_subscription: id } },
      { idempotencyKey: `castbase:${id}:customer:${version}:${digest}` },
    ), { hasPersonalData: true });
  const customer = await withNewKeyAfterAnswer(checkout, request);
  return await routeService("store_stripe_customer", {
    subscriptionId: id,
    stripeCustomerId: customer.id,
  }) as Checkout;
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

async function createSession(
  { planCode, priceId, appUrl, requireTime }: CheckoutOptions,
  checkout: Checkout,
): Promise<Stripe.Checkout.Session> {
  const { id, version, customerId } = checkout;
  const returnUrl = (state: string) => {
    const url = new URL(appUrl);
    url.searchParams.set("checkout", state);
    return url.href;
  };
  await expireSessions(customerId!, requireTime, version); // one may be left of a request whose response was an error
  await endIncompleteSubscriptions(id, requireTime); // after the sessions: each could still make one
  requireTime();
  const request = callStripe((stripe) =>
    stripe.checkout.sessions.create({
      mode: "subscription",
      customer: customerId!,
      metadata: { castbase_checkout_version: String(version) },
      line_items: [{ price: priceId, quantity: 1 }],
      success_url: returnUrl("completed"),
      cancel_url: returnUrl("canceled"),
      subscription_data: { metadata: { castbase_subscription: id } },
    }, { idempotencyKey: `castbase:${id}:checkout:${version}:${planCode}` })
  );
  return await withNewKeyAfterAnswer(checkout, request);
}
