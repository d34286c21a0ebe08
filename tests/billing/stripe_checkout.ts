// Calls of Stripe's API about customers and the pages on which they pay and change a subscription.
import { type Customer, newId, type Session, type StripeAccount } from "./stripe_account.ts";
import { invalid, list, onlyParams, type Params } from "./stripe_wire.ts";

export function checkoutCalls(account: StripeAccount) {
  const { customers, sessions, find } = account;

  return {
    createCustomer(params: Params): Customer {
      onlyParams(params, "email", "metadata");
      if (String(params.email).endsWith(".invalid")) {
        throw invalid(`Invalid email address: ${params.email}`, { code: "email_invalid", param: "email" });
      }
      const customer: Customer = { object: "customer", id: newId("cus"), email: params.email as string };
      customers.set(customer.id, customer);
      return customer;
    },

    getCustomer(id: string) {
      const customer = find(customers, "customer", id);
      return customer.deleted ? { id, object: "customer", deleted: true } : customer;
    },

    createSession(params: Params): Session {
      onlyParams(
        params,
        ...["mode", "customer", "metadata", "line_items"],
        ...["success_url", "cancel_url", "subscription_data"],
      );
      account.requireCustomer(params.customer);
      const { price, quantity } = (params.line_items as Params)[0] as Params;
      if (!String(price).startsWith("price_")) {
        throw invalid(`No such price: '${price}'`, { code: "resource_missing", param: "line_items[0][price]" });
      }
      if (params.mode !== "subscription" || quantity !== "1") throw invalid("Invalid mode or quantity");
      const id = newId("cs");
      const session = {
        object: "checkout.session",
        id,
        customer: params.customer,
        mode: "subscription",
        status: "open",
        payment_status: "unpaid",
        url: `https://checkout.stripe.test/${id}`,
        metadata: params.metadata ?? {},
        subscription: null,
        price,
        success_url: params.success_url,
        cancel_url: params.cancel_url,
        subscriptionMetadata: (params.subscription_data as Params | undefined)?.metadata ?? {},
      } as Session;
      sessions.set(id, session);
      return session;
    },

    getSession(id: string, params: Params) {
      onlyParams(params, "expand");
      const session = find(sessions, "checkout.session", id);
      return Object.values(params.expand ?? {}).includes("customer")
        ? { ...session, customer: customers.get(session.customer) }
        : session;
    },

    listSessions(params: Params) {
      onlyParams(params, "customer", "status", "limit");
      account.requireCustomer(params.customer);
      const of = [...sessions.values()].filter(({ customer, status }) =>
        customer === params.customer && status === (params.status ?? status)
      );
      return list("/v1/checkout/sessions", of, Number(params.limit));
    },

    expireSession(id: string) {
      const session = find(sessions, "checkout.session", id);
      if (session.status !== "open" || account.payingIds.has(id)) {
        throw invalid("Only Checkout Sessions with a status in [open] can be expired.");
      }
      Object.assign(session, { status: "expired", url: null });
      return session;
    },

    createPortalSession(params: Params) {
      onlyParams(params, "customer", "return_url");
      account.requireCustomer(params.customer);
      const url = `https://billing.stripe.test/${params.customer}`;
      return { object: "billing_portal.session", id: newId("bps"), url };
    },
  };
}
