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

/** A request of record_stripe_reading. The id is that of a subscription, its invoice or schedule, or the customer. */
interface StripeRequest {
  action:
    | "update_customer"
    | "void_collection"
    | "resume_collection"
    | "schedule_cancellation"
    | "mark_closing"
    | "withdraw_cancellation"
    | "remove_mark"
    | "store_scheduled_price"
    | "restart_period"
    | "release_schedule"
    | "void_invoice"
    | "cancel";
  id: string;
  params: Stripe.SubscriptionUpdateParams | Stripe.CustomerUpdateParams;
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
  let rejection: StripeFailure | undefined, addressRejection: StripeFailure | undefined, areSessionsExpired = false;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const begun = await beginSync(id);
    if (!begun) return;
    const { subscriptions, customer } = await readCustomer(begun.customerId);
    const request = await recordReading(id, begun, {
      subscriptions,
      customer: addressRejection ? null : customer, // an address that Stripe does not accept holds up nothing else
    }, isBeforeCheckout);
    if (!request) {
      if (addressRejection && customer && !isBeforeCheckout) throw addressRejection; // billing_sync reports it
      if (!begun.isDeleted || areSessionsExpired) return;
      // after the cancellations, which a session must not block that Stripe keeps open; a paid one needs another reading
      await expireSessions(begun.customerId, requireTime);
      areSessionsExpired = true;
    } else if (
      request.action === "restart_period" && await deleteProrations(begun.customerId, request.id, requireTime)
    ) {
      continue; // with another reading
    } else if (request.action !== "read_again") {
      const failure = await attempt(id, request);
      if (request.action === "update_customer") addressRejection = failure;
      else if (failure && rejection) throw failure;
      else rejection ??= failure;
    }
    requireTime();
  }
  throw new ApiError(503, "Stripe still differs from the desired state; try again");
}

/**
 * Deletes what changes of the plan added to the next invoice of a subscription, before its period is restarted: the
 * difference is of a period that was not paid. Returns whether there was something.
 */
async function deleteProrations(customer: string, subscription: string, requireTime: TimeCheck): Promise<boolean> {
  const pending = await listOfCustomer(
    customer,
    (stripe) => stripe.invoiceItems.list({ customer, pending: true, limit: 100 }),
  );
  const prorations = pending.filter(({ proration, parent }) =>
    proration && parent?.subscription_details?.subscription === subscription
  );
  for (const { id } of prorations) {
    try {
      await callStripe((stripe) => stripe.invoiceItems.del(id));
    } catch (error) {
      if (!(error instanceof StripeFailure && error.isRejection)) throw error; // else another run was faster
    }
    requireTime();
  }
  return prorations.length > 0;
}

/** Sends a request. Returns a rejection: Stripe may have changed since the reading, or the key had another body. */
async function attempt(id: string, request: StripeRequest): Promise<StripeFailure | undefined> {
  try {
    await send(request);
    await recordAnswer(id, request);
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error;
    if (error.isAnswer) await recordAnswer(id, request);
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
  { subscriptions, customer }: Reading,
  isBeforeCheckout: boolean,
): Promise<NextRequest | null> {
  return await routeService("record_stripe_reading", {
    subscriptionId: id,
    stripeSubscriptions: subscriptions.map(factsOf),
    observedAt,
    isBeforeCheckout,
    stripeCustomer: customer && { metadata: customer.metadata },
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
    schedule: typeof schedule === "object" && schedule ? schedule.id : schedule,
    scheduled_price: typeof schedule === "object" && schedule && items.data.length === 1 ? nextPriceOf(schedule) : null,
    metadata,
    latest_invoice: typeof invoice === "object" && invoice
      ? { id: invoice.id, status: invoice.status, created: invoice.created }
      : null,
    items: {
      data: items.data.map(({ id, price, current_period_start, current_period_end }) => ({
        id,
        price: { id: price.id },
        current_period_start,
        current_period_end,
      })),
    },
  };
}

/** The only price of the phase that follows the current one. */
function nextPriceOf({ phases, current_phase: current }: Stripe.SubscriptionSchedule): string | null {
  const [item, other] = phases.find((phase) => current && phase.start_date >= current.end_date)?.items ?? [];
  if (!item || other) return null;
  return typeof item.price === "string" ? item.price : item.price.id;
}

/** What the worker read of a customer. */
interface Reading {
  /** The newest hundred, ended ones included. */
  subscriptions: Stripe.Subscription[];
  /** Null if it was deleted. */
  customer: Stripe.Customer | null;
}

async function readCustomer(id: string): Promise<Reading> {
  const subscriptions = await listOfCustomer(id, (stripe) =>
    stripe.subscriptions.list({
      customer: id,
      status: "all",
      limit: 100,
      expand: ["data.latest_invoice", "data.customer", "data.schedule"],
    }));
  const customer = subscriptions[0]?.customer ?? await callStripe((stripe) => stripe.customers.retrieve(id));
  return { subscriptions, customer: typeof customer === "string" || customer.deleted ? null : customer };
}

async function send({ action, id, params, idempotencyKey }: StripeRequest): Promise<void> {
  const options = { idempotencyKey };
  await callStripe<unknown>((stripe) => {
    switch (action) {
      case "update_customer":
        return stripe.customers.update(id, params as Stripe.CustomerUpdateParams, options);
      case "cancel":
        return stripe.subscriptions.cancel(id, {}, options);
      case "void_invoice":
        return stripe.invoices.voidInvoice(id, {}, options);
      case "release_schedule":
        return stripe.subscriptionSchedules.release(id, {}, options);
      default:
        return stripe.subscriptions.update(id, params as Stripe.SubscriptionUpdateParams, options);
    }
  }, { hasPersonalData: action === "update_customer" });
}

async function recordAnswer(id: string, { action, version }: StripeRequest): Promise<void> {
  await routeService("record_billing_answer", { subscriptionId: id, action, version });
}
