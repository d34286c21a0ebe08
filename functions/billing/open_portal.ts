/** Stripe's hosted billing portal, where a customer changes, cancels and renews a subscription. */
import { routeService } from "../database/service.ts";
import { callStripe, requireDeletedCustomer } from "./stripe.ts";

/** The result of begin_portal. */
interface BegunPortal {
  id: string;
  customerId: string;
  appUrl: string;
}

/** Returns the URL of a new portal session. It is valid for minutes. */
export async function openPortal(userId: string): Promise<string> {
  const { id, customerId, appUrl } = await routeService("begin_portal", { userId }) as BegunPortal;
  try {
    const { url } = await callStripe((stripe) =>
      stripe.billingPortal.sessions.create({ customer: customerId, return_url: appUrl })
    );
    return url;
  } catch (error) {
    await requireDeletedCustomer(error, customerId);
    await routeService("forget_stripe_customer", { subscriptionId: id, stripeCustomerId: customerId });
    return await openPortal(userId); // 409, or the customer of a checkout at the same time
  }
}
