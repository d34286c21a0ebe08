// What the Stripe peer stores: the objects of Stripe's API as far as functions/billing reads them, and their events.
import { invalid, missing } from "./stripe_wire.ts";

export const DAY = 86_400;

/** The interval of a price, by its name, and its amount in cents. */
export function termsOf(price: string) {
  const factor = price.includes("_big") ? 2 : price.includes("_small") ? 0.5 : 1;
  return price.endsWith("_year")
    ? { seconds: 365 * DAY, amount: factor * 100_00 }
    : { seconds: 30 * DAY, amount: factor * 10_00 };
}

export interface Customer {
  object: "customer";
  id: string;
  email?: string;
  metadata?: Record<string, string>;
  deleted?: true;
}

export interface Subscription {
  object: "subscription";
  id: string;
  customer: string;
  status: string;
  created: number;
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  ended_at: number | null;
  pause_collection: { behavior: string; resumes_at: null } | null;
  metadata: Record<string, string>;
  latest_invoice: string;
  schedule: string | null;
  items: {
    object: "list";
    data: { id: string; price: { id: string }; current_period_start: number; current_period_end: number }[];
  };
}

export interface Invoice {
  object: "invoice";
  id: string;
  customer: string;
  status: "draft" | "open" | "paid" | "void";
  created: number;
  billing_reason: "subscription_create" | "subscription_cycle" | "subscription_update";
  amount_due: number;
  /** Of a subscription, since version 2025-03-31 of the API. */
  parent: {
    type: "subscription_details";
    quote_details: null;
    subscription_details: { metadata: Record<string, string>; subscription: string };
  };
}

/** What the next invoice charges beside the price, or credits. */
export interface InvoiceItem {
  object: "invoiceitem";
  id: string;
  customer: string;
  amount: number;
  /** Null while it is pending. */
  invoice: string | null;
  proration: boolean;
  /** Null of what the operator adds. */
  parent: { type: "subscription_details"; subscription_details: { subscription: string } } | null;
}

/** A change of the price at the end of the period. */
export interface Schedule {
  object: "subscription_schedule";
  id: string;
  status: "active" | "released" | "canceled";
  customer: string;
  subscription: string | null;
  released_subscription: string | null;
  nextPrice: string;
}

/** What an invoice charges for, in the time of the customer. */
export interface InvoicedPeriod {
  subscription: string;
  invoice: Invoice;
  price: string;
  /** It was begun by a request. */
  isRestart?: boolean;
  from: number;
  to: number;
}

export interface Session {
  object: "checkout.session";
  id: string;
  customer: string;
  mode: "subscription";
  status: "open" | "complete" | "expired";
  payment_status: "paid" | "unpaid" | "no_payment_required";
  url: string | null;
  metadata: Record<string, string>;
  subscription: string | null;
  price: string;
  success_url: string;
  cancel_url: string;
  subscriptionMetadata: Record<string, string>;
  /** 0 without a trial. */
  trialDays: number;
  allow_promotion_codes: boolean | null;
  automatic_tax: { enabled: boolean };
  tax_id_collection: { enabled: boolean };
}

export interface StripeEvent {
  id: string;
  type: string;
  created: number;
  data: { object: { customer: string }; previous_attributes?: Record<string, unknown> };
}

export const isEnded = ({ status }: { status: string }) => status === "canceled" || status === "incomplete_expired";
export const newId = (prefix: string) => `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;
export const now = () => Math.floor(Date.now() / 1000);

export function createStripeAccount() {
  const customers = new Map<string, Customer>();
  const subscriptions = new Map<string, Subscription>();
  const invoices = new Map<string, Invoice>();
  const invoiceItems = new Map<string, InvoiceItem>();
  const schedules = new Map<string, Schedule>();
  const sessions = new Map<string, Session>();
  /** Events that were not yet delivered. */
  const events: StripeEvent[] = [];
  /** Invoices and checkout sessions with a payment in progress: Stripe neither voids nor expires them. */
  const payingIds = new Set<string>();
  /** The periods of all invoices, voided ones included. */
  const periods: InvoicedPeriod[] = [];
  /** How much more time has passed for a customer than on the clock of the test, in seconds. */
  const passed = new Map<string, number>();
  /** The time of a customer, in seconds. Stripe's responses tell times as of the clock of the test. */
  const clockOf = (customer: string) => now() + (passed.get(customer) ?? 0);

  function emit(type: string, object: { customer: string }, key: string | null = null, previous?: object) {
    events.push({
      object: "event",
      id: newId("evt"),
      type,
      created: now(),
      api_version: "2026-10-28.endive",
      request: { id: key && newId("req"), idempotency_key: key },
      data: { object: structuredClone(object), ...previous && { previous_attributes: previous } },
    } as StripeEvent);
  }

  /** Changes a subscription and emits the event with what it had before. */
  function change(subscription: Subscription, changes: Partial<Subscription>, key: string | null = null) {
    const names = (Object.keys(changes) as (keyof Subscription)[])
      .filter((name) => JSON.stringify(subscription[name]) !== JSON.stringify(changes[name]));
    if (!names.length) return;
    const previous: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, subscription[name]]));
    if (changes.metadata) previous.metadata = previousMetadata(subscription.metadata, changes.metadata);
    Object.assign(subscription, changes);
    const isCanceled = subscription.status === "canceled"; // incomplete_expired is an update
    emit(
      `customer.subscription.${isCanceled ? "deleted" : "updated"}`,
      subscription,
      key,
      isCanceled ? undefined : previous,
    );
  }

  function addItem(customer: string, amount: number, subscription: string | null = null) {
    const item: InvoiceItem = {
      object: "invoiceitem",
      id: newId("ii"),
      customer,
      amount,
      invoice: null,
      proration: subscription !== null,
      parent: subscription === null ? null : { type: "subscription_details", subscription_details: { subscription } },
    };
    invoiceItems.set(item.id, item);
  }

  /** Credits the rest of the current period, and charges it at another price. */
  function prorate({ id, customer, items: { data: [item] } }: Subscription, price: string) {
    const { current_period_start: start, current_period_end: end } = item;
    const rest = Math.max(end - now(), 0) / (end - start);
    addItem(customer, Math.round(-rest * termsOf(item.price.id).amount), id);
    addItem(customer, Math.round(rest * termsOf(price).amount), id);
  }

  /** Creates the next invoice of a subscription, with the pending items. A paused collection voids it. */
  function createInvoice(
    subscription: Subscription,
    billing_reason: Invoice["billing_reason"],
    status: Invoice["status"] = "paid",
    amount = termsOf(subscription.items.data[0].price.id).amount,
  ): Invoice {
    const { id, customer, metadata } = subscription;
    const invoice: Invoice = {
      object: "invoice",
      id: newId("in"),
      customer,
      status: { void: "void", keep_as_draft: "draft" }[subscription.pause_collection?.behavior ?? ""] as undefined ??
        status,
      created: now(),
      billing_reason,
      amount_due: amount,
      parent: {
        type: "subscription_details",
        quote_details: null,
        subscription_details: { metadata: structuredClone(metadata), subscription: id },
      },
    };
    for (const item of invoiceItems.values()) {
      const of = item.parent?.subscription_details.subscription ?? id;
      if (item.customer !== customer || item.invoice !== null || of !== id) continue;
      item.invoice = invoice.id;
      invoice.amount_due += item.amount;
    }
    invoice.amount_due = Math.max(invoice.amount_due, 0);
    invoices.set(invoice.id, invoice);
    subscription.latest_invoice = invoice.id;
    return invoice;
  }

  /** Begins a period now, and creates its invoice: at the end of the last one, or before it. */
  function startPeriod(
    subscription: Subscription,
    billing_reason: Invoice["billing_reason"],
    { key = null, price = subscription.items.data[0].price.id, status, trialDays = 0, changes = {} }: {
      key?: string | null;
      price?: string;
      status?: Invoice["status"];
      trialDays?: number;
      changes?: Partial<Subscription>;
    } = {},
  ): Invoice {
    const [item] = subscription.items.data, from = clockOf(subscription.customer);
    const seconds = trialDays > 0 ? trialDays * DAY : termsOf(price).seconds;
    const end = now() + seconds;
    change(subscription, {
      ...changes,
      ...subscription.cancel_at_period_end && { cancel_at: end },
      items: {
        object: "list",
        data: [{ ...item, price: { id: price }, current_period_start: now(), current_period_end: end }],
      },
    }, key);
    const invoice = createInvoice(subscription, billing_reason, status);
    periods.push({ subscription: subscription.id, invoice, price, from, to: from + seconds });
    return invoice;
  }

  return {
    customers,
    subscriptions,
    invoices,
    invoiceItems,
    schedules,
    sessions,
    events,
    payingIds,
    emit,
    change,
    addItem,
    prorate,
    createInvoice,
    startPeriod,
    periods,
    clockOf,

    /** Lets time pass for a customer: periods and invoices are so much older. Subscriptions keep the order of creation. */
    addTime(customer: string, seconds: number) {
      passed.set(customer, (passed.get(customer) ?? 0) + seconds);
      for (const one of subscriptions.values()) {
        if (one.customer !== customer) continue;
        if (one.cancel_at !== null) one.cancel_at -= seconds;
        for (const item of one.items.data) {
          item.current_period_start -= seconds;
          item.current_period_end -= seconds;
        }
      }
      for (const one of invoices.values()) if (one.customer === customer) one.created -= seconds;
    },

    emitInvoice(invoice: Invoice) {
      const type = { draft: "created", open: "payment_failed", paid: "paid", void: "voided" }[invoice.status];
      emit(`invoice.${type}`, invoice);
    },

    /** Ends a subscription; one whose first invoice is not paid expires. */
    end(subscription: Subscription, key: string | null = null) {
      const isIncomplete = subscription.status === "incomplete";
      const schedule = subscription.schedule && schedules.get(subscription.schedule);
      if (schedule) schedule.status = "canceled";
      change(subscription, {
        status: isIncomplete ? "incomplete_expired" : "canceled",
        canceled_at: now(),
        ended_at: now(),
      }, key);
      if (isIncomplete) invoices.get(subscription.latest_invoice)!.status = "void";
    },

    release(schedule: Schedule, key: string | null = null) {
      const subscription = subscriptions.get(schedule.subscription!)!;
      Object.assign(schedule, { status: "released", subscription: null, released_subscription: subscription.id });
      change(subscription, { schedule: null }, key);
    },

    /** The object that the path of a request names. */
    find<T>(from: Map<string, T>, noun: string, id: string): T {
      const found = from.get(id);
      if (!found) throw missing(noun, id);
      return found;
    },

    /** The customer that a parameter of a request names. Stripe does not tell here whether one was deleted or never made. */
    requireCustomer(id: unknown): Customer {
      const customer = customers.get(String(id));
      if (!customer || customer.deleted) {
        throw invalid(`No such customer: '${id}'`, { code: "resource_missing", param: "customer" });
      }
      return customer;
    },
  };
}

export type StripeAccount = ReturnType<typeof createStripeAccount>;

/** Stripe names the changed keys only; an added one was null. */
function previousMetadata(before: Record<string, string>, after: Record<string, string>) {
  const names = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
  return Object.fromEntries(names.map((name) => [name, before[name] ?? null]));
}
