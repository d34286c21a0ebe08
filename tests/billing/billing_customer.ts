// The steps of a history at Stripe: what the customer does on its pages, what the operator does, and the passage of time.
import type { History } from "./billing_history.ts";
import { isEnded, type PeerRequest, type Subscription } from "./stripe_peer.ts";

export function stripeSteps(history: History) {
  const { sql, dice, peer, model, prices, runLate, count } = history;
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

  const changePlan = (choose: () => string) =>
    step((subscription) => {
      if (["active", "trialing"].includes(subscription.status)) peer.portalChangePlan(subscription, choose());
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

  /** The first payment succeeds after all. */
  function payLate(subscription: Subscription): boolean {
    const isPaid = peer.payFirstInvoice(subscription);
    if (isPaid) model.find(subscription.id).status = "active";
    return isPaid;
  }

  /** The customer pays or cancels before this request, which then meets another state than was read. */
  function interrupt({ method, path, params }: PeerRequest): boolean {
    const id = path.split("/")[3], invoice = peer.invoices.get(id);
    const subscription = peer.subscriptions.get(invoice?.parent.subscription_details.subscription ?? id);
    if (!subscription || method === "GET") return false;
    if (subscription.status === "incomplete") return payLate(subscription);
    const isRemovingMark = Object.keys(params).join() === "metadata";
    return (params.cancel_at_period_end === "true" || !!params.pause_collection || isRemovingMark) &&
      cancel(subscription);
  }

  async function renew(subscription: Subscription) {
    const mark = subscription.metadata.castbase_podcasts_closed_at;
    if (!peer.portalRenew(subscription)) return;
    const one = model.find(subscription.id);
    one.cancellation = "none";
    if (mark && mark === await closingMark()) one.isClosingPending = false;
    count("renewals");
  }

  const steps = {
    pay: () => pay(true),
    payNothing: () => pay(false),
    /** The customer begins to pay on the page, or confirms the first payment. */
    startPaying: async () => {
      await Promise.resolve();
      const id = history.payableSession()?.id ?? chosen()?.latest_invoice;
      if (id) history.startPaying(id);
    },
    endPaying: async () => await Promise.resolve(history.endPaying()),
    /** The first payment succeeds after all, or expires. */
    endFirstPayment: step((subscription) => {
      if (subscription.status !== "incomplete") return;
      if (dice.chance(0.5) && payLate(subscription)) {
        count("late first payments");
      } else {
        peer.expireIncomplete(subscription);
        model.end(subscription.id);
      }
    }),
    portalCancel: step(cancel),
    portalRenew: step(renew),
    /** Renews, and cancels again. */
    changeMind: step(async (subscription) => {
      await renew(subscription);
      cancel(subscription);
    }),
    portalChangePlan: changePlan(prices.any),
    changeToKnownPrice: changePlan(prices.known),
    changeToUnwrittenPrice: changePlan(prices.unwritten),
    portalDowngrade: step((subscription) => {
      if (subscription.status !== "active") return;
      if (peer.portalDowngrade(subscription, prices.any())) count("schedules");
    }),
    endPeriod: step((subscription) => {
      if (subscription.status === "incomplete") return;
      peer.endPeriod(subscription);
      if (isEnded(subscription)) model.end(subscription.id);
      else model.find(subscription.id).status = subscription.status; // the end of a trial
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
    /** The operator pauses in another way, or ends that pause. */
    operatorsPause: step((subscription) => {
      const one = model.find(subscription.id);
      if (subscription.status === "incomplete" || !one.hasOperatorsPause && subscription.pause_collection) return;
      peer.drift(subscription, "keep_as_draft");
      one.hasOperatorsPause = !one.hasOperatorsPause;
      count("operator's pauses");
    }),
    deleteCustomer: async () => {
      const customer = history.customer();
      if (!customer || dice.chance(0.7)) return;
      runLate();
      for (const one of peer.subscriptionsOf(customer)) model.end(one.id);
      peer.deleteCustomer(customer);
      history.sawDeletedCustomer();
      count("deleted customers");
      await Promise.resolve();
    },
    /** The operator creates a subscription by hand. */
    operatorSubscribes: async () => {
      const customer = history.customer(), isPaid = dice.chance(0.5);
      if (!customer || peer.customers.get(customer)!.deleted || dice.chance(0.7)) return;
      runLate();
      history.sawSecondSubscription();
      const made = peer.operatorSubscribes(customer, prices.any(), isPaid);
      model.subscribe(made.id, made.status);
      count("second subscriptions");
      await Promise.resolve();
    },
  };
  return { steps, interrupt };

  /** The customer pays an open session whose URL a checkout returned. */
  async function pay(isPaid: boolean) {
    await Promise.resolve();
    const session = history.payableSession();
    if (!session) return;
    // a trial has no first payment that could fail
    const subscription = isPaid || session.trialDays > 0
      ? peer.completeCheckout(session.id)
      : peer.failCheckout(session.id);
    history.assertFirstTrial(subscription);
    model.subscribe(subscription.id, subscription.status);
    count({ trialing: "trials", incomplete: "failed first payments" }[subscription.status] ?? "payments");
  }
}
