// What must agree when a history has come to an end.
import assert from "node:assert/strict";
import type { History } from "./billing_history.ts";
import { isEnded } from "./stripe_peer.ts";

/** The first of a customer's subscriptions decides the account. */
const RANK = ["active", "trialing", "past_due", "unpaid", "paused", "incomplete"];

/** Compares Stripe, the billing account and the desired state with the model. */
export async function assertAgreement({ sql, model, user, known, subscriptions, payableSession }: History) {
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
  if (model.isDeleted) return assert.equal(payableSession(), undefined, "no session of a deleted account");
  const [account] = await sql`select plan_code as plan, subscription_status as status, collection_paused as paused,
    cancel_at_period_end as cancels from public.billing_accounts where user_id = ${user.id}`;
  const [deciding] = live.sort((a, b) =>
    RANK.indexOf(a.status) - RANK.indexOf(b.status) || b.created - a.created || (a.id < b.id ? -1 : 1)
  );
  const isPaid = deciding && ["active", "past_due"].includes(deciding.status);
  assert.deepEqual({ ...account, status: isEnded(account as { status: string }) ? "none" : account.status }, {
    plan: isPaid ? deciding.items.data[0].price.id.replace("price_", "") : "free",
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
}
