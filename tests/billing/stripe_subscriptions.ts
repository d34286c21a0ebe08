// Calls of Stripe's API about subscriptions, their invoices and schedules.
import { isEnded, now, type StripeAccount, type Subscription, termsOf } from "./stripe_account.ts";
import { invalid, list, missing, onlyParams, type Params } from "./stripe_wire.ts";

type Cancellation = Pick<Subscription, "cancel_at" | "cancel_at_period_end" | "canceled_at">;

export function subscriptionCalls(account: StripeAccount) {
  const { customers, subscriptions, invoices, invoiceItems, schedules, find, change } = account;

  /** Its phases: until the end of the period, and after it. */
  function scheduleOf({ schedule: id, items: { data: [item] } }: Subscription) {
    const { nextPrice, ...schedule } = schedules.get(id!)!;
    const phase = (price: string, start: number, end: number) => ({
      start_date: start,
      end_date: end,
      items: [{ price, quantity: 1 }],
    });
    const { current_period_start: start, current_period_end: end } = item;
    return {
      ...schedule,
      current_phase: { start_date: start, end_date: end },
      phases: [phase(item.price.id, start, end), phase(nextPrice, end, end + termsOf(nextPrice).seconds)],
    };
  }

  /** The price that an update gives its only item. */
  function newPriceOf({ items: { data: [item] } }: Subscription, params: Params): string | undefined {
    if (params.items === undefined) return undefined;
    const { id, price, ...others } = (params.items as Params)[0] as Params;
    onlyParams(others);
    if (id !== item.id) throw invalid(`No such subscription item: '${id}'`, { code: "resource_missing" });
    return price as string;
  }

  return {
    listSubscriptions(params: Params) {
      onlyParams(params, "customer", "status", "limit", "expand");
      account.requireCustomer(params.customer);
      const expanded = Object.values(params.expand ?? {});
      const of = [...subscriptions.values()].reverse()
        .filter(({ customer, status }) =>
          customer === params.customer && (params.status === "all" || status !== "canceled")
        )
        .map((one) => ({
          ...one,
          ...expanded.includes("data.latest_invoice") && { latest_invoice: invoices.get(one.latest_invoice) },
          ...expanded.includes("data.schedule") && one.schedule && { schedule: scheduleOf(one) },
          ...expanded.includes("data.customer") && { customer: customers.get(one.customer) },
        }));
      return list("/v1/subscriptions", of, Number(params.limit));
    },

    updateSubscription(id: string, params: Params, key: string | null): Subscription {
      const subscription = find(subscriptions, "subscription", id);
      requireUpdatable(subscription, params);
      const { pause_collection: pause, metadata } = params;
      const changes: Partial<Subscription> = cancellationOf(subscription, params);
      if (pause !== undefined) {
        const { behavior } = pause as Params;
        if (pause !== "" && behavior !== "void") throw invalid("Invalid pause_collection[behavior]");
        changes.pause_collection = pause === "" ? null : { behavior: "void", resumes_at: null };
      }
      if (metadata !== undefined) {
        const entries = Object.entries({ ...subscription.metadata, ...metadata as Record<string, string> });
        changes.metadata = Object.fromEntries(entries.filter(([, value]) => value));
      }
      if (restarts(params)) {
        account.emitInvoice(account.startPeriod(subscription, "subscription_update", {
          key,
          changes,
          price: newPriceOf(subscription, params),
        }));
        account.periods.at(-1)!.isRestart = true;
      } else {
        change(subscription, changes, key);
      }
      return subscription;
    },

    cancelSubscription(id: string, key: string | null): Subscription {
      const subscription = find(subscriptions, "subscription", id);
      if (isEnded(subscription)) throw missing("subscription", id);
      account.end(subscription, key);
      return subscription;
    },

    listInvoices(params: Params) {
      onlyParams(params, "subscription", "customer", "status", "limit");
      const of = [...invoices.values()].reverse().filter(({ customer, status, parent }) =>
        (params.subscription ?? parent.subscription_details.subscription) ===
          parent.subscription_details.subscription &&
        (params.customer ?? customer) === customer && (params.status ?? status) === status
      );
      return list("/v1/invoices", of, Number(params.limit ?? 10));
    },

    listInvoiceItems(params: Params) {
      onlyParams(params, "customer", "pending", "limit");
      account.requireCustomer(params.customer);
      const of = [...invoiceItems.values()].reverse().filter(({ customer, invoice }) =>
        customer === params.customer && (params.pending === "true") === (invoice === null)
      );
      return list("/v1/invoiceitems", of, Number(params.limit ?? 10));
    },

    deleteInvoiceItem(id: string) {
      if (find(invoiceItems, "invoiceitem", id).invoice !== null) {
        throw invalid("You cannot delete an invoice item that is attached to an invoice that is no longer editable.");
      }
      invoiceItems.delete(id);
      return { id, object: "invoiceitem", deleted: true };
    },

    voidInvoice(id: string, key: string | null) {
      const invoice = find(invoices, "invoice", id);
      if (invoice.status !== "open") throw invalid("You can only pass in open invoices. This invoice isn't open.");
      const subscription = subscriptions.get(invoice.parent.subscription_details.subscription)!;
      if (account.payingIds.has(id)) throw invalid("This invoice has a payment that is processing.");
      invoice.status = "void";
      account.emit("invoice.voided", invoice, key);
      if (subscription.status === "incomplete") account.end(subscription, key);
      return invoice;
    },

    releaseSchedule(id: string, params: Params, key: string | null) {
      onlyParams(params, "preserve_cancel_date");
      const schedule = find(schedules, "subscription schedule", id);
      if (schedule.status !== "active") {
        throw invalid(
          `You cannot release a subscription schedule that is currently in the \`${schedule.status}\` status.`,
        );
      }
      account.release(schedule, key);
      return schedule;
    },
  };
}

/**
 * Whether an update begins a new period, which Stripe invoices at once.
 * https://docs.stripe.com/billing/subscriptions/billing-cycle, and for the object with a type,
 * https://docs.stripe.com/changelog/endive/2026-09-30/polymorphic-billing-cycle-anchor
 */
function restarts({ billing_cycle_anchor: anchor, proration_behavior: prorations, items }: Params): boolean {
  if (anchor === undefined && items === undefined) return false;
  const type = typeof anchor === "object" && anchor.type;
  if (type !== "now" && type !== "unchanged") throw invalid("Invalid billing_cycle_anchor");
  if (type !== "now" && items !== undefined) throw new Error("the peer changes prices only with a new period");
  if (type === "now" && prorations !== "none") throw new Error("the peer computes no prorations");
  return type === "now";
}

function requireUpdatable(subscription: Subscription, params: Params) {
  onlyParams(
    params,
    ...["pause_collection", "cancel_at_period_end", "cancel_at", "metadata"],
    ...["billing_cycle_anchor", "proration_behavior", "items"],
  );
  const isMoreThanMetadata = Object.keys(params).some((name) => name !== "metadata");
  if (isEnded(subscription) && isMoreThanMetadata) {
    throw invalid("A canceled subscription can only update its cancellation_details and metadata.");
  }
  if (subscription.status === "incomplete" && isMoreThanMetadata) {
    throw invalid("A subscription in status incomplete can only have metadata and default_source updated.");
  }
  if (subscription.schedule && (params.cancel_at_period_end !== undefined || params.cancel_at !== undefined)) {
    throw invalid(
      `The subscription is managed by the subscription schedule \`${subscription.schedule}\`, and updating any ` +
        "cancelation behavior directly is not allowed. Please update the schedule instead.",
    );
  }
}

const KEPT: Cancellation = { cancel_at: null, cancel_at_period_end: false, canceled_at: null };

function cancellationOf(subscription: Subscription, params: Params): Partial<Cancellation> {
  const { cancel_at_period_end: cancels, cancel_at: at } = params;
  if (cancels !== undefined && at !== undefined) {
    throw invalid("You may only specify one of these parameters: cancel_at, cancel_at_period_end.");
  }
  if (cancels === "true") {
    const end = subscription.items.data[0].current_period_end;
    return { cancel_at: end, cancel_at_period_end: true, canceled_at: now() };
  }
  // false for a cancellation by cancel_at alone changes nothing
  return cancels === "false" && subscription.cancel_at_period_end || at === "" ? KEPT : {};
}
