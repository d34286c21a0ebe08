/** Stripe's hosted checkout page for a plan. An account has one customer and at most one open session. */
import { createHash } from "node:crypto";
import type Stripe from "stripe";
import { serviceSql, withRetry } from "../database/db.ts";
import { ApiError } from "../app/errors.ts";
import { callStripe, StripeFailure } from "./stripe.ts";
import { endIncompleteSubscriptions, expireSession, expireSessions, syncSubscription } from "./sync_subscription.ts";

/** The state of a checkout, as its steps in sql/25_lifecycle return it. */
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
interface BegunCheckout extends Checkout {
  priceId: string;
  appUrl: string;
  email: string;
}

/** An ended session and one of another plan are replaced; more only if calls interfere with each other. */
const MAX_ROUNDS = 4;

/** Returns the URL of the open session for this plan, or of a new one. */
export async function openCheckout(userId: string, planCode: string): Promise<string> {
  const begun = await step<BegunCheckout>(() =>
    serviceSql`
    select private.begin_checkout(${userId}, ${planCode}) as state`
  );
  let checkout: Checkout = begun.customerId ? begun : await createCustomer(begun);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (checkout.isDeleted) throw new ApiError(401, "Invalid or expired token");
    if (checkout.sessionId === null) {
      const session = await createSession(begun, checkout, planCode);
      checkout = await step(() =>
        serviceSql`
        select private.store_checkout_session(${checkout.id}, ${checkout.version}, ${session.id}, ${planCode}) as state`
      );
      if (checkout.isDeleted) continue;
      if (checkout.sessionId === session.id) return session.url!;
      await expireSession(session.id); // another call stored one for another plan
    } else {
      const { sessionId, planCode: storedPlan } = checkout;
      const session = await callStripe((stripe) => stripe.checkout.sessions.retrieve(sessionId));
      if (session.status === "open" && storedPlan === planCode) return session.url!;
      if (session.status === "open") await expireSession(session.id);
      // it may have been paid: the account then holds the plan, which ends this call with 409
      await syncSubscription(checkout.id);
      checkout = await endSession(checkout);
    }
  }
  throw new ApiError(503, "Another checkout of this account is in progress; try again");
}

async function step<T extends Checkout>(call: () => Promise<readonly object[]>): Promise<T> {
  const [{ state }] = await withRetry(call) as { state: T }[];
  return state;
}

const endSession = ({ id, version }: Checkout) =>
  step<Checkout>(() => serviceSql`select private.end_checkout_session(${id}, ${version}) as state`);

async function createCustomer(begun: BegunCheckout): Promise<Checkout> {
  const { id, email, version } = begun;
  // the address may change before the next try, and a key belongs to one body
  const digest = createHash("sha256").update(email).digest("hex").slice(0, 16);
  const customer = await withNewKeyAfterAnswer(begun, (stripe) =>
    stripe.customers.create(
      { email, metadata: { castbase_account: id } },
      { idempotencyKey: `castbase:${id}:customer:${version}:${digest}` },
    ));
  return step(() => serviceSql`select private.store_stripe_customer(${id}, ${customer.id}) as state`);
}

/** Runs a request whose key has the checkout's version. Stripe replays its answer to a key, so that an error ends it. */
async function withNewKeyAfterAnswer<T>(checkout: Checkout, work: (stripe: Stripe) => Promise<T>): Promise<T> {
  try {
    return await callStripe(work);
  } catch (error) {
    if (error instanceof StripeFailure && error.isAnswer) await endSession(checkout);
    throw error;
  }
}

async function createSession(
  { priceId, appUrl }: BegunCheckout,
  checkout: Checkout,
  planCode: string,
): Promise<Stripe.Checkout.Session> {
  const { id, version, customerId } = checkout;
  const returnUrl = (state: string) => {
    const url = new URL(appUrl);
    url.searchParams.set("checkout", state);
    return url.href;
  };
  await expireSessions(customerId!, version); // one may be left of a request whose response was an error
  await endIncompleteSubscriptions(id); // after the sessions: each could still make one
  return await withNewKeyAfterAnswer(checkout, (stripe) =>
    stripe.checkout.sessions.create({
      mode: "subscription",
      customer: customerId!,
      client_reference_id: id,
      metadata: { castbase_checkout_version: String(version) },
      line_items: [{ price: priceId, quantity: 1 }],
      success_url: returnUrl("completed"),
      cancel_url: returnUrl("canceled"),
      subscription_data: { metadata: { castbase_account: id } },
    }, { idempotencyKey: `castbase:${id}:checkout:${version}:${planCode}` }));
}
