/** Makes Stripe's subscription of an account agree with the desired state. The rules are in sql/25_lifecycle. */
import type Stripe from "stripe";
import { serviceSql, withRetry } from "../database/db.ts";
import { callStripe, StripeFailure } from "./stripe.ts";

/** The result of begin_billing_sync. */
interface BegunSync {
  customerId: string;
  isDeleted: boolean;
  observedAt: string;
}

/** The result of plan_billing_sync. */
type PlannedRequest = { action: "read_again" } | {
  action: "update" | "cancel";
  stripeSubscriptionId: string;
  params: Stripe.SubscriptionUpdateParams;
  version: number;
  idempotencyKey: string;
};

/** One request and the reading that confirms it are two rounds; a replayed response and an interruption add some. */
const MAX_ROUNDS = 10;

/**
 * Reads Stripe, sends what differs, and reads again, until both agree. An interruption at any point is harmless: the
 * next run reads what Stripe did.
 */
export async function syncSubscription(id: string): Promise<void> {
  let rejection: StripeFailure | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const begun = await beginSync(id);
    if (!begun) return;
    if (begun.isDeleted) await expireSessions(begun.customerId);
    const request = await planSync(id, begun, await listSubscriptions(begun.customerId));
    if (!request) return;
    if (request.action === "read_again") continue;
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
  throw new Error("Stripe still differs from the desired state; another run continues");
}

async function beginSync(id: string): Promise<BegunSync | null> {
  const [{ begun }] = await serviceSql<{ begun: BegunSync | null }[]>`
    select private.begin_billing_sync(${id}) as begun`;
  return begun;
}

async function planSync(
  id: string,
  { observedAt }: BegunSync,
  subscriptions: Stripe.Subscription[],
): Promise<PlannedRequest | null> {
  const facts = JSON.stringify(subscriptions.map(factsOf));
  const [{ request }] = await withRetry(() =>
    serviceSql<{ request: PlannedRequest | null }[]>`
      select private.plan_billing_sync(${id}, ${facts}::text::jsonb, ${observedAt}::text::timestamptz) as request`
  );
  return request;
}

/** What the rules read of a subscription. */
const factsOf = (
  { id, created, status, cancel_at, cancel_at_period_end, pause_collection, metadata, items }: Stripe.Subscription,
) => ({
  id,
  created,
  status,
  cancel_at,
  cancel_at_period_end,
  pause_collection,
  metadata,
  items: { data: items.data.map(({ price, current_period_end }) => ({ price: { id: price.id }, current_period_end })) },
});

/** The newest hundred subscriptions of a customer, ended ones included. */
async function listSubscriptions(customer: string): Promise<Stripe.Subscription[]> {
  const { data } = await callStripe((stripe) => stripe.subscriptions.list({ customer, status: "all", limit: 100 }));
  return data;
}

async function send(request: Exclude<PlannedRequest, { action: "read_again" }>): Promise<void> {
  const { action, stripeSubscriptionId, params, idempotencyKey } = request;
  await callStripe<unknown>((stripe) =>
    action === "cancel"
      ? stripe.subscriptions.cancel(stripeSubscriptionId, {}, { idempotencyKey })
      : stripe.subscriptions.update(stripeSubscriptionId, params, { idempotencyKey })
  );
}

async function recordAnswer(id: string, version: number): Promise<void> {
  await serviceSql`select private.record_billing_answer(${id}, ${version})`;
}

/** Expires the open sessions of a customer, except those of this version. One that was paid has made a subscription. */
export async function expireSessions(customer: string, exceptVersion?: number): Promise<void> {
  const { data } = await callStripe((stripe) =>
    stripe.checkout.sessions.list({ customer, status: "open", limit: 100 })
  );
  for (const { id, metadata } of data) {
    if (metadata?.castbase_checkout_version !== String(exceptVersion)) await expireSession(id);
  }
}

/** Expires a checkout session unless it has ended. */
export async function expireSession(id: string): Promise<void> {
  try {
    await callStripe((stripe) => stripe.checkout.sessions.expire(id));
  } catch (error) {
    if (!(error instanceof StripeFailure && error.isRejection)) throw error;
  }
}
