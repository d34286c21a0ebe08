// A peer that speaks Stripe's API for the calls of functions/billing: its routes, and what customers and operators do.
import {
  createStripeAccount,
  DAY,
  isEnded,
  newId,
  now,
  type Schedule,
  type Session,
  type StripeAccount,
  type Subscription,
} from "./stripe_account.ts";
import { checkoutCalls } from "./stripe_checkout.ts";
import { subscriptionCalls } from "./stripe_subscriptions.ts";
import { type PeerRequest, startTransport } from "./stripe_transport.ts";
import { invalid, type Saved, saved, savedError, WireError } from "./stripe_wire.ts";

export { isEnded, type StripeEvent, type Subscription } from "./stripe_account.ts";
export { type Fault, type PeerRequest, STRIPE_KEY } from "./stripe_transport.ts";

/** Executes requests on the objects of an account at Stripe. */
function routesOf(account: StripeAccount) {
  const calls = { ...subscriptionCalls(account), ...checkoutCalls(account) };
  return ({ method, path, params, key }: PeerRequest): unknown => {
    const [, resource, id, verb] =
      path.match(/^\/v1\/((?:checkout|billing_portal)\/sessions|\w+)(?:\/(\w+))?(\/\w+)?$/) ?? [];
    switch (`${method} ${resource}${id ? "/:id" : ""}${verb ?? ""}`) {
      case "POST customers":
        return calls.createCustomer(params);
      case "GET customers/:id":
        return calls.getCustomer(id);
      case "GET subscriptions":
        return calls.listSubscriptions(params);
      case "GET subscriptions/:id":
        return account.find(account.subscriptions, "subscription", id);
      case "POST subscriptions/:id":
        return calls.updateSubscription(id, params, key);
      case "DELETE subscriptions/:id":
        return calls.cancelSubscription(id, key);
      case "GET invoices":
        return calls.listInvoices(params);
      case "GET invoices/:id":
        return account.find(account.invoices, "invoice", id);
      case "POST invoices/:id/void":
        return calls.voidInvoice(id, key);
      case "POST subscription_schedules/:id/release":
        return calls.releaseSchedule(id, params, key);
      case "POST checkout/sessions":
        return calls.createSession(params);
      case "GET checkout/sessions":
        return calls.listSessions(params);
      case "GET checkout/sessions/:id":
        return calls.getSession(id, params);
      case "POST checkout/sessions/:id/expire":
        return calls.expireSession(id);
      case "POST billing_portal/sessions":
        return calls.createPortalSession(params);
    }
    throw invalid(`Unrecognized request URL (${method}: ${path}).`, {}, 404);
  };
}

export function startStripePeer() {
  const account = createStripeAccount();
  const { customers, subscriptions, invoices, schedules, sessions, events, payingIds, change, emit } = account;
  const execute = routesOf(account), executeElsewhere = routesOf(createStripeAccount());
  const transport = startTransport(run);
  let isOtherAccount = false;

  function run(request: PeerRequest): Saved {
    try {
      return saved(200, isOtherAccount ? executeElsewhere(request) : execute(request));
    } catch (error) {
      if (error instanceof WireError) return savedError(error);
      throw error;
    }
  }

  const itemsOf = ({ items: { data: [item] } }: Subscription, changes: object) => ({
    items: { object: "list" as const, data: [{ ...item, ...changes }] },
  });
  const scheduleOf = ({ schedule }: Subscription) => schedule === null ? undefined : schedules.get(schedule);

  /** Creates a subscription and its first invoice. */
  function subscribe(
    { customer, price, subscriptionMetadata: metadata, trialDays }: Pick<
      Session,
      "customer" | "price" | "subscriptionMetadata" | "trialDays"
    >,
    isPaid: boolean,
  ): Subscription {
    const subscription: Subscription = {
      object: "subscription",
      id: newId("sub"),
      customer,
      status: !isPaid ? "incomplete" : trialDays > 0 ? "trialing" : "active",
      created: now(),
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      ended_at: null,
      pause_collection: null,
      metadata,
      latest_invoice: "",
      schedule: null,
      items: {
        object: "list",
        data: [{ id: newId("si"), price: { id: price }, current_period_end: now() + (trialDays || 30) * DAY }],
      },
    };
    subscriptions.set(subscription.id, subscription);
    const invoice = account.createInvoice(subscription, isPaid ? "paid" : "open");
    emit("customer.subscription.created", subscription);
    account.emitInvoice(invoice);
    return subscription;
  }

  function completeSession(id: string, isPaid: boolean): Subscription {
    const session = sessions.get(id)!;
    if (session.status !== "open") throw new Error(`the session is ${session.status}`);
    if (session.trialDays > 0 && !isPaid) throw new Error("a trial has no first payment");
    const subscription = subscribe(session, isPaid);
    Object.assign(session, {
      status: "complete",
      payment_status: !isPaid ? "unpaid" : session.trialDays > 0 ? "no_payment_required" : "paid",
      subscription: subscription.id,
      url: null,
    });
    emit("checkout.session.completed", session);
    return subscription;
  }

  return {
    ...transport,
    customers,
    subscriptions,
    invoices,
    schedules,
    sessions,
    events,
    payingIds,
    subscriptionsOf: (customer: string) => [...subscriptions.values()].filter((one) => one.customer === customer),
    /** The customer that a request is about, or the email address of the one that it makes. */
    ownerOf({ path, params }: PeerRequest): string | undefined {
      if (params.customer ?? params.email) return (params.customer ?? params.email) as string;
      for (const id of path.split("/")) {
        const object = subscriptions.get(id) ?? invoices.get(id) ?? schedules.get(id) ?? sessions.get(id);
        if (object) return object.customer;
        if (customers.has(id)) return id;
      }
    },
    /** From now on, the API key is of another account or mode, which knows no object of this one. */
    setOtherAccount: (isOther: boolean) => void (isOtherAccount = isOther),
    sessionsOf: (customer: string) => [...sessions.values()].filter((one) => one.customer === customer),

    /** The customer pays on the checkout page. */
    completeCheckout: (sessionId: string) => completeSession(sessionId, true),
    /** The first payment fails or is not confirmed yet: the subscription is incomplete. */
    failCheckout: (sessionId: string) => completeSession(sessionId, false),
    /** The first payment succeeds within 23 hours; false if Stripe does not accept it any longer. */
    payFirstInvoice(subscription: Subscription): boolean {
      const invoice = invoices.get(subscription.latest_invoice)!;
      if (subscription.status !== "incomplete" || invoice.status !== "open") return false;
      invoice.status = "paid";
      change(subscription, { status: "active" });
      account.emitInvoice(invoice);
      return true;
    },
    /** The 23 hours for the first payment have passed. */
    expireIncomplete(subscription: Subscription) {
      if (subscription.status === "incomplete") account.end(subscription);
    },
    /** Cancels in the portal; false if the portal has no button. Flexible billing mode sets cancel_at alone. */
    portalCancel(subscription: Subscription, isFlexible: boolean): boolean {
      if (isEnded(subscription) || subscription.status === "incomplete" || subscription.cancel_at !== null) {
        return false;
      }
      const schedule = scheduleOf(subscription);
      if (schedule) account.release(schedule);
      const end = subscription.items.data[0].current_period_end;
      change(subscription, { cancel_at: end, cancel_at_period_end: !isFlexible, canceled_at: now() });
      return true;
    },
    /** Renews in the portal; false if nothing is canceled. */
    portalRenew(subscription: Subscription): boolean {
      if (isEnded(subscription) || subscription.cancel_at === null) return false;
      change(subscription, { cancel_at: null, cancel_at_period_end: false, canceled_at: null });
      return true;
    },
    /** Changes the plan in the portal, at once. */
    portalChangePlan(subscription: Subscription, price: string) {
      change(subscription, itemsOf(subscription, { price: { id: price } }));
      account.emitInvoice(account.createInvoice(subscription, "paid"));
    },
    /** Changes the plan in the portal at the end of the period: Stripe attaches a schedule. */
    portalDowngrade(subscription: Subscription, price: string): boolean {
      if (isEnded(subscription) || subscription.schedule || subscription.cancel_at !== null) return false;
      const schedule: Schedule = {
        object: "subscription_schedule",
        id: newId("sub_sched"),
        status: "active",
        customer: subscription.customer,
        subscription: subscription.id,
        released_subscription: null,
        nextPrice: price,
      };
      schedules.set(schedule.id, schedule);
      change(subscription, { schedule: schedule.id });
      return true;
    },
    /** The period ends, or the trial: the subscription ends or renews. */
    endPeriod(subscription: Subscription) {
      if (subscription.cancel_at !== null) return account.end(subscription);
      if (subscription.status === "trialing") change(subscription, { status: "active" });
      const schedule = scheduleOf(subscription);
      const { current_period_end: end } = subscription.items.data[0];
      change(
        subscription,
        itemsOf(subscription, {
          current_period_end: end + 30 * DAY,
          ...schedule && { price: { id: schedule.nextPrice } },
        }),
      );
      if (schedule) account.release(schedule);
      account.emitInvoice(account.createInvoice(subscription, subscription.pause_collection ? "void" : "paid"));
    },
    /** The outcome of payments: past_due, unpaid, or active again. */
    setStatus(subscription: Subscription, status: string) {
      change(subscription, { status });
      account.emitInvoice(account.createInvoice(subscription, status === "active" ? "paid" : "open"));
    },
    /** The operator pauses or resumes collection by hand. */
    drift(subscription: Subscription, behavior = "void") {
      change(subscription, { pause_collection: subscription.pause_collection ? null : { behavior, resumes_at: null } });
    },
    /** The operator creates a subscription by hand. */
    operatorSubscribes: (customer: string, price: string, isPaid: boolean) =>
      subscribe({ customer, price, subscriptionMetadata: {}, trialDays: 0 }, isPaid),
    /** The operator deletes the customer, which ends its subscriptions at once. */
    deleteCustomer(id: string) {
      for (const one of subscriptions.values()) if (one.customer === id && !isEnded(one)) account.end(one);
      for (const one of sessions.values()) {
        if (one.customer === id && one.status === "open") Object.assign(one, { status: "expired", url: null });
      }
      customers.set(id, { object: "customer", id, deleted: true });
    },
    /** Lets two seconds pass for the subscriptions of a customer, because Stripe's times are whole seconds. */
    age(customer: string) {
      for (const one of subscriptions.values()) if (one.customer === customer) one.created -= 2;
    },
  };
}

export type StripePeer = ReturnType<typeof startStripePeer>;
