/** Makes Stripe's subscriptions of an account agree with the desired state. The rules are in sql/27_billing. */
import type Stripe from "stripe";
import { ApiError } from "../runtime/api_error.ts";
import { routeService } from "../database/service.ts";
import { expireSessions } from "./checkout_sessions.ts";
import { callStripe, listOfCustomer, StripeFailure, type TimeCheck } from "./stripe.ts";

/** The result of begin_billing_sync. */
interface BegunSync {
  customerId: string;
  isDeleted: boolean;
  observedAt: string;
}

/** A request of record_stripe_reading. The id is that of a subscription, or of its invoice or schedule. */
interface StripeRequest {
  action:
    | "void_collection"
    | "resume_collection"
    | "schedule_cancellation"
    | "mark_closing"
    | "withdraw_cancellation"
    | "remove_mark"
    | "release_schedule"
    | "void_invoice"
    | "cancel";
  id: string;
  params: Stripe.SubscriptionUpdateParams;
  version: number;
  idempotencyKey: string;
}

type NextRequest = { action: "read_again" } | StripeRequest;

interface SyncOptions {
  /** A new checkout session follows: subscriptions whose first payment has not succeeded are ended. */
  isBeforeCheckout?: boolean;
  /** Called before each further reading. */
  requireTime?: TimeCheck;
}

/** Several subscriptions, a replayed response and an interruption need some; a difference that stays would need all. */
const MAX_ROUNDS = 16;

/**
 * Reads Stripe, sends what differs, and reads again, until both agree. An interruption at any point is harmless: the
 * next run reads what Stripe did.
 */
export async function syncSubscription(
  id: string,
  { isBeforeCheckout = false, requireTime = () => {} }: SyncOptions = {},
): Promise<void> {
  let rejection: StripeFailure | undefined, areSessionsExpired = false;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const begun = await beginSync(id);
    if (!begun) return;
    const request = await recordReading(id, begun, await listSubscriptions(begun.customerId), isBeforeCheckout);
    if (!request) {
      if (!begun.isDeleted || areSessionsExpired) return;
      // after the cancellations, which a session must not block that Stripe keeps open; a paid one needs another reading
      await expireSessions(begun.customerId, requireTime);
      areSessionsExpired = true;
    } else if (request.action !== "read_again") {
      const failure = await attempt(id, request);
      if (failure && rejection) throw failure;
      rejection ??= failure;
    }
    requireTime();
  }
  throw new ApiError(503, "Stripe still differs from the desired state; try again");
}

/** Sends a request. Returns a rejection: Stripe may have changed since the reading, or the key had another body. */
async function attempt(id: string, request: StripeRequest): Promise<StripeFailure | undefined> {
  try {
    await send(request);
    await recordAnswer(id, request.version);
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error;
    if (error.isAnswer) await recordAnswer(id, request.version);
    if (!error.isRejection) throw error;
    return error;
  }
}

/**
 * Ends the subscriptions of an account whose first payment has not succeeded, because each could still be charged
 * beside a new one. 409 if the account holds a plan, 503 if a payment is in progress.
 */
export async function endIncompleteSubscriptions(id: string, requireTime: TimeCheck): Promise<void> {
  try {
    await syncSubscription(id, { isBeforeCheckout: true, requireTime });
  } catch (error) {
    await requireNoPlanOrPayment(id); // what the database knows from the reading says more than a failure after it
    throw error;
  }
  await requireNoPlanOrPayment(id);
}

async function requireNoPlanOrPayment(id: string): Promise<void> {
  await routeService("require_no_plan_or_payment", { subscriptionId: id });
}

async function beginSync(id: string): Promise<BegunSync | null> {
  return await routeService("begin_billing_sync", { subscriptionId: id }) as BegunSync | null;
}

async function recordReading(
  id: string,
  { observedAt }: BegunSync,
  subscriptions: Stripe.Subscription[],
  isBeforeCheckout: boolean,
): Promise<NextRequest | null> {
  return await routeService("record_stripe_reading", {
    subscriptionId: id,
    stripeSubscriptions: subscriptions.map(factsOf),
    observedAt,
    isBeforeCheckout,
  }) as NextRequest | null;
}

/** What the rules read of a subscription. */
function factsOf({ items, latest_invoice: invoice, ...subscription }: Stripe.Subscription) {
  const { id, created, status, cancel_at, cancel_at_period_end, pause_collection, schedule, metadata } = subscription;
  return {
    id,
    created,
    status,
    cancel_at,
    cancel_at_period_end,
    pause_collection,
    schedule,
    metadata,
    latest_invoice: typeof invoice === "object" && invoice ? { id: invoice.id, status: invoice.status } : null,
    items: {
      data: items.data.map(({ price, current_period_end }) => ({ price: { id: price.id }, current_period_end })),
    },
  };
}

/** The newest hundred subscriptions of a customer, ended ones included. */
const listSubscriptions = (customer: string): Promise<Stripe.Subscription[]> =>
  listOfCustomer(
    customer,
    (stripe) => stripe.subscriptions.list({ customer, status: "all", limit: 100, expand: ["data.latest_invoice"] }),
  );

async function send({ action, id, params, idempotencyKey }: StripeRequest): Promise<void> {
  const options = { idempotencyKey };
  await callStripe<unknown>((stripe) => {
    switch (action) {
      case "cancel":
        return stripe.subscriptions.cancel(id, {}, options);
      case "void_invoice":
        return stripe.invoices.voidInvoice(id, {}, options);
      case "release_schedule":
        return stripe.subscriptionSchedules.release(id, {}, options);
      default:
        return stripe.subscriptions.update(id, params, options);
    }
  });
}

async function recordAnswer(id: string, version: number): Promise<void> {
  await routeService("record_billing_answer", { subscriptionId: id, version });
}
