// A peer that speaks Stripe's API for the calls of functions/billing: its routes, and what customers and operators do.
import {
  createStripeAccount,
  type Invoice,
  isEnded,
  newId,
  now,
  type Schedule,
  type Session,
  type StripeAccount,
  type Subscription,
  termsOf,
} from "./stripe_account.ts";
import { checkoutCalls } from "./stripe_checkout.ts";
import { subscriptionCalls } from "./stripe_subscriptions.ts";
import { type PeerRequest, startTransport } from "./stripe_transport.ts";
import { invalid, type Saved, saved, savedError, WireError } from "./stripe_wire.ts";

export { type Invoice, type InvoicedPeriod, isEnded, type StripeEvent, type Subscription } from "./stripe_account.ts";
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
      case "POST customers/:id":
        return calls.updateCustomer(id, params);
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
      case "GET invoiceitems":
        return calls.listInvoiceItems(params);
      case "DELETE invoiceitems/:id":
        return calls.deleteInvoiceItem(id);
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

/** A setting of the portal. */
export type Prorations = "always_invoice" | "create_prorations";

export function startStripePeer() {
  const account = createStripeAccount();
  const { customers, subscriptions, invoices, invoiceItems, schedules, sessions, events, payingIds, change, emit } =
    account;
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

  const subscriptionsOf = (customer: string) => [...subscriptions.values()].filter((one) => one.customer === customer);
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
        data: [{ id: newId("si"), price: { id: price }, current_period_start: now(), current_period_end: now() }],
      },
    };
    const invoice = account.startPeriod(subscription, "subscription_create", {
      status: isPaid ? "paid" : "open",
      trialDays,
    });
    events.pop(); // the update
    subscriptions.set(subscription.id, subscription);
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

  function expireIncomplete(subscription: Subscription) {
    if (subscription.status === "incomplete") account.end(subscription);
  }

  function renew(subscription: Subscription) {
    if (subscription.cancel_at !== null) return account.end(subscription);
    const schedule = scheduleOf(subscription);
    const changes = subscription.status === "trialing" ? { status: "active" } : {};
    // the payment of the next invoice fails, too
    const status = { past_due: "open", unpaid: "draft" }[subscription.status] as Invoice["status"] | undefined;
    account.emitInvoice(
      account.startPeriod(subscription, "subscription_cycle", { status, price: schedule?.nextPrice, changes }),
    );
    if (schedule) account.release(schedule);
  }

  /** Lets time pass for a customer. Subscriptions whose period ends meanwhile end or renew. */
  function passTime(customer: string, seconds: number) {
    if (seconds >= 23 * 3600) subscriptionsOf(customer).forEach(expireIncomplete);
    for (let left = seconds;;) {
      const renewing = subscriptionsOf(customer).filter((one) => !isEnded(one) && one.status !== "incomplete");
      const leftOf = ({ items, cancel_at }: Subscription) =>
        Math.max(Math.min(items.data[0].current_period_end, cancel_at ?? Infinity) - now(), 0);
      const step = Math.min(left, ...renewing.map(leftOf));
      account.addTime(customer, step);
      left -= step;
      for (const one of renewing) if (leftOf(one) === 0) renew(one);
      if (left <= 0) return;
    }
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
    periods: account.periods,
    clockOf: account.clockOf,
    subscriptionsOf,
    /** The customer that a request is about, or the email address of the one that it makes. */
    ownerOf({ path, params }: PeerRequest): string | undefined {
      for (const id of path.split("/")) {
        const object = subscriptions.get(id) ?? invoices.get(id) ?? invoiceItems.get(id) ?? schedules.get(id) ??
          sessions.get(id);
        if (object) return object.customer;
        if (customers.has(id)) return id;
      }
      return (params.customer ?? params.email) as string | undefined;
    },
    /** The customer in the portal, or the operator, edits the address. */
    editAddress: (id: string, email: string) => void (customers.get(id)!.email = email),
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
    expireIncomplete,
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
    /**
     * Changes the plan in the portal, at once. Another interval begins a period, unless a trial continues, and the rest of
     * the last is credited. Else the portal's setting says whether the difference is invoiced at once, or at the renewal.
     */
    portalChangePlan(subscription: Subscription, price: string, prorations: Prorations = "always_invoice") {
      const [item] = subscription.items.data, isTrial = subscription.status === "trialing";
      if (isTrial || termsOf(price).seconds === termsOf(item.price.id).seconds) {
        if (!isTrial) account.prorate(subscription, price);
        change(subscription, { items: { object: "list", data: [{ ...item, price: { id: price } }] } });
        if (isTrial || prorations === "create_prorations") return;
        account.emitInvoice(account.createInvoice(subscription, "subscription_update", "paid", 0));
      } else {
        // if a pause voids the invoice, the credit is lost with it: decisions/billing.md
        const clock = account.clockOf(subscription.customer);
        for (const one of account.periods) {
          if (one.subscription === subscription.id) one.to = Math.min(one.to, clock);
        }
        account.emitInvoice(account.startPeriod(subscription, "subscription_update", { price }));
      }
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
    passTime,
    /** The period ends, or the trial: the subscription ends or renews. */
    endPeriod(subscription: Subscription) {
      passTime(subscription.customer, subscription.items.data[0].current_period_end - now());
    },
    /** The outcome of payments of the newest invoice that is not void: past_due, unpaid, or active again. */
    setStatus(subscription: Subscription, status: string) {
      const isPaid = status === "active";
      const own = [...invoices.values()].filter(({ parent, status }) =>
        parent.subscription_details.subscription === subscription.id && status !== "void"
      );
      for (const invoice of isPaid ? own : own.slice(-1)) invoice.status = isPaid ? "paid" : "open";
      change(subscription, { status });
      if (own.length) account.emitInvoice(own.at(-1)!);
    },
    /** The operator adds an amount to the next invoice. */
    operatorCharges: (customer: string, amount: number) => account.addItem(customer, amount),
    /** The operator voids an invoice by hand, which Stripe allows before it is paid. */
    operatorVoids(invoice: Invoice): boolean {
      if (invoice.status !== "open" && invoice.status !== "draft") return false;
      invoice.status = "void";
      account.emitInvoice(invoice);
      return true;
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
