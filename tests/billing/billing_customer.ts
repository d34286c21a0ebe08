// The steps of a history at Stripe: what the customer does on its pages, what the operator does, and the passage of time.
import type { History } from "./billing_history.ts";
import { isEnded, type Subscription } from "./stripe_peer.ts";

export const PRICES = ["price_pro", "price_plus"];

export function stripeSteps(history: History) {
  const { sql, dice, peer, model, runLate, count } = history;
  const chosen = () => {
    const live = history.subscriptions().filter((one) => !isEnded(one));
    return live.length ? dice.one(live) : undefined;
  };
  /** A step about a subscription that is not ended. */
  const step = (act: (subscription: Subscription) => unknown) => async () => {
    runLate(); // a request takes seconds at most
    const subscription = chosen();
    if (subscription) await act(subscription);
  };
  const setStatus = (status: string) =>
    step((subscription) => {
      if (subscription.status === "incomplete" || subscription.status === status) return;
      peer.setStatus(subscription, status);
      model.find(subscription.id).status = status;
    });

  /** The mark of the current closing, as the worker writes it. */
  async function closingMark(): Promise<string | undefined> {
    const [row] =
      await sql`select to_char(podcasts_closed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as mark
      from private.subscriptions where id = ${history.known()}`;
    return row?.mark ?? undefined;
  }

  function cancel(subscription: Subscription): boolean {
    const isCanceled = peer.portalCancel(subscription, dice.chance(0.5));
    if (isCanceled) history.noteCancellation(subscription);
    return isCanceled;
  }

  const steps = {
    pay,
    portalCancel: step(cancel),
    portalRenew: step(async (subscription) => {
      const mark = subscription.metadata.castbase_podcasts_closed_at;
      if (!peer.portalRenew(subscription)) return;
      const one = model.find(subscription.id);
      one.cancellation = "none";
      if (mark && mark === await closingMark()) one.isClosingPending = false;
      count("renewals");
    }),
    portalChangePlan: step((subscription) => {
      if (subscription.status === "active") peer.portalChangePlan(subscription, dice.one(PRICES));
    }),
    endPeriod: step((subscription) => {
      if (subscription.status === "incomplete") return;
      peer.endPeriod(subscription);
      if (isEnded(subscription)) model.end(subscription.id);
    }),
    failPayment: setStatus("past_due"),
    giveUpPayment: setStatus("unpaid"),
    recoverPayment: setStatus("active"),
    /** The operator resumes or voids collection by hand. */
    drift: step((subscription) => {
      const one = model.find(subscription.id);
      if (subscription.status === "incomplete" || one.hasOperatorsPause) return;
      peer.drift(subscription);
    }),
  };
  return { steps, cancel };

  /** The customer pays an open session whose URL a checkout returned. */
  async function pay() {
    await Promise.resolve();
    const session = history.payableSession();
    if (!session) return;
    const subscription = peer.completeCheckout(session.id);
    model.subscribe(subscription.id, subscription.status);
    count("payments");
  }
}
