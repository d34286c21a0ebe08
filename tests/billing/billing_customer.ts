// The steps of a history at Stripe: what the customer does on its pages, what the operator does, and the passage of time.
import type { History } from "./billing_history.ts";
import { now } from "./stripe_account.ts";
import { isEnded, type PeerRequest, type Subscription } from "./stripe_peer.ts";

const DAY = 86_400;

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
      if (!["active", "trialing"].includes(subscription.status)) return;
      peer.portalChangePlan(subscription, choose(), dice.one(["always_invoice", "create_prorations"]));
      // an invoice after the voided one hides it: the documented loss of the minutes before the restart
      if (peer.invoices.get(subscription.latest_invoice)!.status !== "void") {
        model.find(subscription.id).isVoidedByPause = false;
      }
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
    endPeriod: step(async ({ customer, status, items: { data: [{ current_period_end: end }] } }) => {
      if (status !== "incomplete") await history.passTime(customer, end - now());
    }),
    /** Hours or days pass, after the worker has done everything or not. */
    wait: step(async ({ customer }) => {
      if (dice.chance(0.5)) await history.settle();
      await history.passTime(customer, (1 + dice.below(24)) * (dice.chance(0.5) ? 3600 : DAY));
    }),
    /** A pause around a renewal. */
    renewInPause: step(async ({ id, customer }) => {
      await history.pauseAround(async () => {
        const { status, items } = peer.subscriptions.get(id)!;
        if (!["active", "past_due"].includes(status)) return;
        await history.passTime(customer, items.data[0].current_period_end - now());
      });
    }),
    /** The operator voids an open invoice by hand. */
    operatorVoids: step(async ({ id }) => {
      await history.settle();
      const subscription = peer.subscriptions.get(id)!;
      if (isEnded(subscription) || subscription.status === "incomplete") return;
      if (peer.operatorVoids(peer.invoices.get(subscription.latest_invoice)!)) count("invoices voided by hand");
    }),
    /** The user confirms another address. */
    changeAddress: async () => {
      await history.changeAddress(`${crypto.randomUUID()}@test.local`);
    },
    /** The customer edits the address in the portal, or the operator in the dashboard. */
    editAddress: async () => {
      const id = history.customer(), customer = id === undefined ? undefined : peer.customers.get(id);
      if (!customer || customer.deleted) return;
      await history.settle(); // until then, the worker may write the user's
      const address = `${crypto.randomUUID()}@company.test`;
      peer.editAddress(customer.id, address);
      history.noteEditedAddress(address);
      count("addresses edited at Stripe");
    },
    failPayment: setStatus("past_due"),
    giveUpPayment: setStatus("unpaid"),
    recoverPayment: setStatus("active"),
    /** The operator resumes or voids collection by hand. */
    drift: step((subscription) => {
      const one = model.find(subscription.id);
      if (subscription.status === "incomplete" || one.hasOperatorsPause) return;
      if (subscription.pause_collection && !model.isCollectionVoid) return; // else no reading may have seen the void
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
