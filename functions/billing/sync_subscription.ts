/** Makes Stripe's subscriptions of an account agree with the desired state. The rules are in sql/25_lifecycle. */
import type Stripe from "stripe";
import { RequeueJob } from "../app/job_run.ts";
import { serviceSql, withRetry } from "../database/db.ts";
import { expireSessions } from "./checkout_sessions.ts";
import { callStripe, listOfCustomer, StripeFailure } from "./stripe.ts";

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
  /** As Date.now(): from then on, RequeueJob is thrown in place of a further reading. */
  deadline?: number;
}

/** Several subscriptions, a replayed response and an interruption need some; a difference that stays would need all. */
const MAX_REQUESTS = 12;

/**
 * Reads Stripe, sends what differs, and reads again, until both agree. An interruption at any point is harmless: the
 * next run reads what Stripe did.
 */
export async function syncSubscription(
  id: string,
  { isBeforeCheckout = false, deadline = Infinity }: SyncOptions = {},
): Promise<void> {
  let rejection: StripeFailure | undefined;
  for (let requests = 0; requests < MAX_REQUESTS;) {
    const begun = await beginSync(id);
    if (!begun) return;
    if (begun.isDeleted) await expireSessions(begun.customerId);
    const request = await recordReading(id, begun, await listSubscriptions(begun.customerId), isBeforeCheckout);
    if (!request) return;
    if (request.action !== "read_again") {
      requests++;
      try {
        await send(request);
        await recordAnswer(id, request.version);
      } catch (error) {
        if (!(error instanceof StripeFailure)) throw error;
        if (error.isAnswer) await recordAnswer(id, request.version);
        // Stripe may have changed since the reading, or the key had another body: one more try
        if (!error.isRejection || rejection) throw error;
        rejection = error;
      }
    }
    if (Date.now() >= deadline) throw new RequeueJob();
  }
  throw new Error("Stripe still differs from the desired state; another run continues");
}

/**
 * Ends the subscriptions of an account whose first payment has not succeeded, because each could still be charged
 * beside a new one. 409 if the account holds a plan, 503 if a payment is in progress.
 */
export async function endIncompleteSubscriptions(id: string): Promise<void> {
  try {
    await syncSubscription(id, { isBeforeCheckout: true });
  } catch (error) {
    // Stripe does not end what is being paid: the database knows from the reading
    if (!(error instanceof StripeFailure && error.isRejection)) throw error;
  }
  await serviceSql`select private.require_no_subscription(${id})`;
}

async function beginSync(id: string): Promise<BegunSync | null> {
  const [{ begun }] = await serviceSql<{ begun: BegunSync | null }[]>`
    select private.begin_billing_sync(${id}) as begun`;
  return begun;
}

async function recordReading(
  id: string,
  { observedAt }: BegunSync,
  subscriptions: Stripe.Subscription[],
  isBeforeCheckout: boolean,
): Promise<NextRequest | null> {
  const facts = JSON.stringify(subscriptions.map(factsOf));
  const [{ request }] = await withRetry(() =>
    serviceSql<{ request: NextRequest | null }[]>`
      select private.record_stripe_reading(
        ${id}, ${facts}::text::jsonb, ${observedAt}::text::timestamptz, ${isBeforeCheckout}) as request`
  );
  return request;
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
  await serviceSql`select private.record_billing_answer(${id}, ${version})`;
}
