// Calls of Stripe's API about customers and the pages on which they pay and change a subscription.
import { type Customer, newId, type Session, type StripeAccount } from "./stripe_account.ts";
import { invalid, list, missing, onlyParams, type Params } from "./stripe_wire.ts";

function requireEmail(email: unknown) {
  if (String(email).endsWith(".invalid")) {
    throw invalid(`Invalid email address: ${email}`, { code: "email_invalid", param: "email" });
  }
}

function flagOf(value: string | Params): boolean {
  if (value !== "true" && value !== "false") throw invalid(`Invalid boolean: ${value}`);
  return value === "true";
}

const isEnabled = (params: Params, name: string) =>
  params[name] !== undefined && flagOf((params[name] as Params).enabled);

/**
 * With a customer, the address that the tax needs and the business name of a tax id must be saved on it.
 * https://docs.stripe.com/tax/checkout, https://docs.stripe.com/tax/checkout/tax-ids
 */
function requireTaxUpdates(params: Params) {
  const { address, name, ...others } = (params.customer_update ?? {}) as Params;
  onlyParams(others, "shipping");
  if (isEnabled(params, "automatic_tax") && address !== "auto") {
    throw invalid(
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the " +
        "Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save " +
        "the address entered in Checkout to the Customer.",
      { code: "customer_tax_location_invalid" },
    );
  }
  if (isEnabled(params, "tax_id_collection") && name !== "auto") {
    throw invalid(
      "Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing " +
        "customer, please set `customer_update[name]` to `auto`.",
    );
  }
}

/** https://docs.stripe.com/billing/subscriptions/trials */
function requireTrialDays(days?: string | Params) {
  if (days === undefined) return;
  const param = "subscription_data[trial_period_days]";
  if (!/^\d+$/.test(String(days))) {
    throw invalid(`Invalid integer: ${days}`, { code: "parameter_invalid_integer", param });
  }
  if (Number(days) < 1) throw invalid("The minimum number of trial period days is 1.", { param });
  if (Number(days) > 730) throw invalid("Trial periods must be at most 730 days (2 years).", { param });
}

export function checkoutCalls(account: StripeAccount) {
  const { customers, sessions, find } = account;

  return {
    createCustomer(params: Params): Customer {
      onlyParams(params, "email", "metadata");
      requireEmail(params.email);
      const customer: Customer = {
        object: "customer",
        id: newId("cus"),
        email: params.email as string,
        metadata: (params.metadata ?? {}) as Record<string, string>,
      };
      customers.set(customer.id, customer);
      return customer;
    },

    updateCustomer(id: string, params: Params): Customer {
      onlyParams(params, "email", "metadata");
      const customer = find(customers, "customer", id);
      if (customer.deleted) throw missing("customer", id);
      requireEmail(params.email);
      const { metadata = {} } = customer;
      Object.assign(customer, {
        ...params.email !== undefined && { email: params.email },
        metadata: { ...metadata, ...params.metadata as Record<string, string> | undefined },
      });
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
        ...["allow_promotion_codes", "automatic_tax", "tax_id_collection", "customer_update"],
      );
      account.requireCustomer(params.customer);
      requireTaxUpdates(params);
      const { metadata: subscriptionMetadata = {}, trial_period_days: trialDays, ...others } =
        (params.subscription_data ?? {}) as Params;
      onlyParams(others);
      requireTrialDays(trialDays);
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
        subscriptionMetadata,
        trialDays: Number(trialDays ?? 0),
        allow_promotion_codes: params.allow_promotion_codes === undefined ? null : flagOf(params.allow_promotion_codes),
        automatic_tax: { enabled: isEnabled(params, "automatic_tax") },
        tax_id_collection: { enabled: isEnabled(params, "tax_id_collection") },
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
