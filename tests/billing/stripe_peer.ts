// A peer that speaks Stripe's API for the calls of functions/billing, with faults on demand.
import { startHttpServer } from "../http_server.ts";
import {
  cutOff,
  decodeForm,
  invalid,
  list,
  missing,
  onlyParams,
  type Params,
  type Saved,
  saved,
  savedError,
  WireError,
} from "./stripe_wire.ts";

export const STRIPE_KEY = "sk_test_peer";
const DAY = 86_400;

/** What the peer does with a request instead of responding normally. */
export type Fault =
  | "lost_before"
  | "lost_after"
  | "hang_after"
  | "rate_limit"
  | "lock"
  | "error_before"
  | "error_after"
  | "unauthorized";

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
  items: { object: "list"; data: { id: string; price: { id: string }; current_period_end: number }[] };
}

interface Session {
  object: "checkout.session";
  id: string;
  customer: string;
  mode: "subscription";
  status: "open" | "complete" | "expired";
  url: string | null;
  client_reference_id: string;
  metadata: Record<string, string>;
  subscription: string | null;
  price: string;
  success_url: string;
  cancel_url: string;
  subscriptionMetadata: Record<string, string>;
}

export interface StripeEvent {
  id: string;
  type: string;
  created: number;
  data: { object: { customer: string }; previous_attributes?: Record<string, unknown> };
}

export interface PeerRequest {
  method: string;
  path: string;
  params: Params;
  key: string | null;
  version: string | null;
}

export const isEnded = ({ status }: { status: string }) => status === "canceled" || status === "incomplete_expired";

export function startStripePeer() {
  const customers = new Map<string, { id: string; email?: string; metadata: Params }>();
  const subscriptions = new Map<string, Subscription>();
  const sessions = new Map<string, Session>();
  const keys = new Map<string, { request: string; response?: Saved }>();
  const requests: PeerRequest[] = [];
  /** Events that were not yet delivered. */
  const events: StripeEvent[] = [];
  let fault: (request: PeerRequest) => Fault | undefined = () => undefined;
  const id = (prefix: string) => `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;
  const now = () => Math.floor(Date.now() / 1000);

  function emit(type: string, object: { customer: string }, key: string | null = null, previous?: object) {
    events.push({
      object: "event",
      id: id("evt"),
      type,
      created: now(),
      api_version: "2026-10-28.endive",
      request: { id: key && id("req"), idempotency_key: key },
      data: { object: structuredClone(object), ...previous && { previous_attributes: previous } },
    } as StripeEvent);
  }

  /** Changes a subscription and emits the event with what it had before. */
  function change(subscription: Subscription, changes: Partial<Subscription>, key: string | null = null) {
    const differs = (name: string) =>
      JSON.stringify(subscription[name as keyof Subscription]) !==
        JSON.stringify(changes[name as keyof Subscription]);
    const names = Object.keys(changes).filter(differs);
    if (!names.length) return;
    const previous = Object.fromEntries(names.map((name) => [name, subscription[name as keyof Subscription]]));
    Object.assign(subscription, changes);
    const type = isEnded(subscription) ? "deleted" : "updated";
    emit(`customer.subscription.${type}`, subscription, key, type === "updated" ? previous : undefined);
  }

  const find = <T>(from: Map<string, T>, noun: string, id: string): T => {
    const found = from.get(id);
    if (!found) throw missing(noun, id);
    return found;
  };
  const cancelNow = (subscription: Subscription, key: string | null) =>
    change(subscription, { status: "canceled", canceled_at: now(), ended_at: now() }, key);

  function update(subscription: Subscription, params: Params, key: string | null): Subscription {
    onlyParams(params, "pause_collection", "cancel_at_period_end", "metadata");
    if (isEnded(subscription) && Object.keys(params).some((name) => name !== "metadata")) {
      throw invalid("A canceled subscription can only update its cancellation_details and metadata.");
    }
    const changes: Partial<Subscription> = {};
    const { pause_collection: pause, cancel_at_period_end: cancels, metadata } = params;
    if (pause !== undefined) {
      const { behavior } = pause as Params;
      if (pause !== "" && behavior !== "void") throw invalid("Invalid pause_collection[behavior]");
      changes.pause_collection = pause === "" ? null : { behavior: "void", resumes_at: null };
    }
    if (cancels === "true") {
      const end = subscription.items.data[0].current_period_end;
      Object.assign(changes, { cancel_at_period_end: true, cancel_at: end, canceled_at: now() });
    } else if (cancels === "false") {
      Object.assign(changes, { cancel_at_period_end: false, cancel_at: null, canceled_at: null });
    }
    if (metadata !== undefined) {
      changes.metadata = Object.fromEntries(
        Object.entries({ ...subscription.metadata, ...metadata as Record<string, string> }).filter(([, value]) =>
          value
        ),
      );
    }
    change(subscription, changes, key);
    return subscription;
  }

  function createSession(params: Params): Session {
    onlyParams(
      params,
      ...[
        "mode",
        "customer",
        "client_reference_id",
        "metadata",
        "line_items",
        "success_url",
        "cancel_url",
        "subscription_data",
      ],
    );
    find(customers, "customer", params.customer as string);
    const { price, quantity } = (params.line_items as Params)[0] as Params;
    if (!String(price).startsWith("price_")) throw missing("price", String(price));
    if (params.mode !== "subscription" || quantity !== "1") throw invalid("Invalid mode or quantity");
    const session = {
      object: "checkout.session",
      id: id("cs"),
      customer: params.customer,
      mode: "subscription",
      status: "open",
      client_reference_id: params.client_reference_id,
      metadata: params.metadata,
      subscription: null,
      price,
      success_url: params.success_url,
      cancel_url: params.cancel_url,
      subscriptionMetadata: (params.subscription_data as Params).metadata,
    } as unknown as Session;
    session.url = `https://checkout.stripe.test/${session.id}`;
    sessions.set(session.id, session);
    return session;
  }

  function execute({ method, path, params, key }: PeerRequest): unknown {
    const [resource, first, second, third] = path.replace("/v1/", "").split("/");
    switch (`${method} ${resource}`) {
      case "POST customers": {
        onlyParams(params, "email", "metadata");
        const customer = { object: "customer", id: id("cus"), email: params.email as string, metadata: {} };
        customers.set(customer.id, customer);
        return customer;
      }
      case "GET subscriptions": {
        onlyParams(params, "customer", "status", "limit");
        find(customers, "customer", params.customer as string);
        const of = [...subscriptions.values()].filter(({ customer }) => customer === params.customer);
        return list("/v1/subscriptions", of.reverse(), Number(params.limit));
      }
      case "POST subscriptions":
        return update(find(subscriptions, "subscription", first), params, key);
      case "DELETE subscriptions": {
        const subscription = find(subscriptions, "subscription", first);
        if (isEnded(subscription)) throw missing("subscription", first);
        cancelNow(subscription, key);
        return subscription;
      }
      case "POST checkout": {
        if (!second) return createSession(params);
        const session = find(sessions, "checkout.session", second);
        if (third !== "expire") break;
        if (session.status !== "open") throw invalid("Only Checkout Sessions with a status in [open] can be expired.");
        Object.assign(session, { status: "expired", url: null });
        return session;
      }
      case "GET checkout":
        if (second) return find(sessions, "checkout.session", second);
        return list(
          "/v1/checkout/sessions",
          [...sessions.values()].filter((one) => one.customer === params.customer && one.status === params.status),
          Number(params.limit),
        );
      case "POST billing_portal":
        onlyParams(params, "customer", "return_url");
        find(customers, "customer", params.customer as string);
        return {
          object: "billing_portal.session",
          id: id("bps"),
          url: `https://billing.stripe.test/${params.customer}`,
        };
    }
    throw invalid(`Unrecognized request URL (${method}: ${path}).`, undefined, 404);
  }

  function run(request: PeerRequest): Saved {
    try {
      return saved(200, execute(request));
    } catch (error) {
      if (error instanceof WireError) return savedError(error);
      throw error;
    }
  }

  /** Runs a request once per idempotency key, and replays its response, errors included. */
  async function respond(request: PeerRequest, kind: Fault | undefined): Promise<Saved | undefined> {
    const { method, path, params, key } = request;
    const failed = () => savedError(new WireError(500, "api_error", "An unknown error occurred"));
    if (key === null) return kind === "error_before" ? failed() : run(request);
    const entry = keys.get(key), text = JSON.stringify([method, path, params]);
    if (!entry) {
      const created: { request: string; response?: Saved } = { request: text };
      keys.set(key, created);
      await Promise.resolve(); // a concurrent request with this key finds it locked
      if (kind === "error_before") return created.response = failed();
      const response = run(request);
      return created.response = kind === "error_after" ? failed() : response;
    }
    if (entry.request !== text) {
      const message =
        "Keys for idempotent requests can only be used with the same parameters they were first used with.";
      return savedError(new WireError(400, "idempotency_error", message));
    }
    if (!entry.response) {
      const message = "There is currently another in-progress request using this Idempotent Key";
      return savedError(new WireError(409, "idempotency_error", message, "idempotency_key_in_use"));
    }
    return { ...entry.response, headers: { ...entry.response.headers, "idempotent-replayed": "true" } };
  }

  const server = startHttpServer(async (http) => {
    const url = new URL(http.url), key = http.headers.get("idempotency-key");
    const body = await http.text(), params = decodeForm(http.method === "POST" ? body : url.search.slice(1));
    const version = http.headers.get("stripe-version");
    const request = { method: http.method, path: url.pathname, params, key, version };
    requests.push(request);
    const kind = fault(request);
    if (http.headers.get("authorization") !== `Bearer ${STRIPE_KEY}` || kind === "unauthorized") {
      const { status, ...rest } = savedError(
        new WireError(401, "invalid_request_error", "Invalid API Key provided: sk_test_****eer"),
      );
      return new Response(rest.body, { status, headers: rest.headers });
    }
    if (kind === "lost_before") return cutOff();
    if (kind === "rate_limit" || kind === "lock") {
      const { status, body, headers } = savedError(
        kind === "lock"
          ? new WireError(409, "invalid_request_error", "This object cannot be accessed right now", "lock_timeout")
          : new WireError(429, "invalid_request_error", "Too many requests", "rate_limit", { "retry-after": "7" }),
      );
      return new Response(body, { status, headers });
    }
    const response = await respond(request, kind);
    if (kind === "lost_after") return cutOff();
    if (kind === "hang_after") await new Promise<void>(() => {});
    return new Response(response!.body, { status: response!.status, headers: response!.headers });
  });

  return {
    url: server.url,
    customers,
    subscriptions,
    sessions,
    requests,
    events,
    setFault: (choose: typeof fault) => fault = choose,
    subscriptionsOf: (customer: string) => [...subscriptions.values()].filter((one) => one.customer === customer),
    sessionsOf: (customer: string) => [...sessions.values()].filter((one) => one.customer === customer),

    /** The customer pays on the checkout page. */
    completeCheckout(sessionId: string): Subscription {
      const session = sessions.get(sessionId)!;
      if (session.status !== "open") throw new Error(`the session is ${session.status}`);
      const subscription: Subscription = {
        object: "subscription",
        id: id("sub"),
        customer: session.customer,
        status: "active",
        created: now(),
        cancel_at: null,
        cancel_at_period_end: false,
        canceled_at: null,
        ended_at: null,
        pause_collection: null,
        metadata: session.subscriptionMetadata,
        items: {
          object: "list",
          data: [{ id: id("si"), price: { id: session.price }, current_period_end: now() + 30 * DAY }],
        },
      };
      subscriptions.set(subscription.id, subscription);
      Object.assign(session, { status: "complete", subscription: subscription.id, url: null });
      emit("customer.subscription.created", subscription);
      emit("invoice.paid", { object: "invoice", customer: session.customer } as { customer: string });
      emit("checkout.session.completed", session);
      return subscription;
    },
    /** Cancels in the portal; false if the portal has no button. Flexible billing mode sets cancel_at alone. */
    portalCancel(subscription: Subscription, isFlexible: boolean): boolean {
      if (isEnded(subscription) || subscription.cancel_at !== null) return false;
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
    /** The period ends: the subscription ends or renews. */
    endPeriod(subscription: Subscription) {
      if (subscription.cancel_at !== null) {
        return change(subscription, { status: "canceled", canceled_at: now(), ended_at: now() });
      }
      const [item] = subscription.items.data;
      const items = {
        object: "list" as const,
        data: [{ ...item, current_period_end: item.current_period_end + 30 * DAY }],
      };
      change(subscription, { items });
      emit("invoice.paid", subscription);
    },
    /** The outcome of payments: past_due, unpaid, or active again. */
    setStatus(subscription: Subscription, status: string) {
      change(subscription, { status });
      emit(status === "active" ? "invoice.paid" : "invoice.payment_failed", subscription);
    },
    /** The operator pauses or resumes collection by hand. */
    drift(subscription: Subscription) {
      change(subscription, {
        pause_collection: subscription.pause_collection ? null : { behavior: "void", resumes_at: null },
      });
    },
    /** Lets two seconds pass for the subscriptions of a customer, because Stripe's times are whole seconds. */
    age(customer: string) {
      for (const one of subscriptions.values()) if (one.customer === customer) one.created -= 2;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export type StripePeer = ReturnType<typeof startStripePeer>;
