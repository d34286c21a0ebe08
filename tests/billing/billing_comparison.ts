// What must agree when a history has come to an end.
import assert from "node:assert/strict";
import type { History } from "./billing_history.ts";
import { termsOf } from "./stripe_account.ts";
import { isEnded, type Subscription } from "./stripe_peer.ts";

/** The first of a customer's subscriptions decides the account. */
const RANK = ["active", "trialing", "past_due", "unpaid", "paused", "incomplete"];

export const decidingOf = (subscriptions: Subscription[]): Subscription | undefined =>
  subscriptions.filter((one) => !isEnded(one)).sort((a, b) =>
    RANK.indexOf(a.status) - RANK.indexOf(b.status) || b.created - a.created || (a.id < b.id ? -1 : 1)
  )[0];

/** Compares Stripe, the billing account and the desired state with the model. */
export async function assertAgreement(history: History) {
  const { sql, peer, model, user, prices, known, subscriptions, payableSession } = history;
  const live = subscriptions().filter((one) => !isEnded(one));
  assert.deepEqual(
    Object.fromEntries(
      live.map((one) => [one.id, [one.status, one.pause_collection?.behavior, one.cancel_at !== null]]),
    ),
    Object.fromEntries(model.subscriptions.map((one) => {
      const ours = model.isCollectionVoid && one.status !== "incomplete" ? "void" : undefined;
      const pause = one.hasOperatorsPause ? "keep_as_draft" : ours;
      return [one.id, [one.status, pause, one.cancellation !== "none"]];
    })),
    "Stripe's subscriptions",
  );
  for (const { id } of subscriptions()) assertPeriods(history, id);
  for (const one of model.subscriptions) assert.ok(!model.isRestarted(one), "a voided period is restarted");
  if (model.isDeleted) return assert.equal(payableSession(), undefined, "no session of a deleted account");
  const [{ planCode, unknownPriceId, ...account }] = await sql`
    select a.plan_code as "planCode", s.unknown_price_id as "unknownPriceId", a.subscription_status as status,
      a.collection_paused as paused, a.cancel_at_period_end as cancels
    from public.billing_accounts a left join private.subscriptions s using (user_id) where a.user_id = ${user.id}`;
  const deciding = decidingOf(live);
  prices.assertPlan(deciding, { planCode, unknownPriceId });
  assert.deepEqual({ ...account, status: isEnded(account as { status: string }) ? "none" : account.status }, {
    status: deciding?.status ?? "none",
    paused: !!deciding?.pause_collection,
    cancels: !!deciding && deciding.cancel_at !== null,
  }, "the billing account");
  if (known() === null) return;
  const [desired] = await sql`select is_collection_void as void, has_open_podcasts as open
    from private.subscriptions where id = ${known()}`;
  assert.deepEqual(
    { ...desired },
    { void: model.isCollectionVoid, open: model.hasOpenPodcasts },
    "the desired state",
  );
  const customer = peer.customers.get(history.customer() ?? "");
  if (customer && !customer.deleted) assert.equal(customer.email, history.address(), "the customer's address");
}

/** No time of a subscription is invoiced twice, and only periods that a pause voided are restarted, at their price. */
function assertPeriods({ peer, voidedByPause }: History, id: string) {
  const periods = peer.periods.filter(({ subscription }) => subscription === id);
  const invoiced = periods.filter(({ invoice }) => invoice.status !== "void");
  for (const [n, { from }] of invoiced.entries()) {
    assert.ok(n === 0 || from >= invoiced[n - 1].to, "no time is invoiced twice");
  }
  for (const [n, { isRestart, invoice, price }] of periods.entries()) {
    if (!isRestart) continue;
    assert.ok(voidedByPause.has(periods[n - 1].invoice.id), "a period is restarted that a pause voided");
    assert.equal(invoice.amount_due, termsOf(price).amount, "a restart charges the price of its period");
  }
}
