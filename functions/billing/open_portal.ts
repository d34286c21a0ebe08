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
  const { id, customerId, appUrl } = await beginPortal(userId);
  try {
    return await createPortalSession(customerId, appUrl);
  } catch (error) {
    await requireDeletedCustomer(error, customerId);
    const { customerId: other } = await routeService("forget_stripe_customer", {
      subscriptionId: id,
      stripeCustomerId: customerId,
    }) as { customerId: string | null };
    // a checkout at the same time made the other one; without one, begin_portal is 409
    const next = other && other !== customerId ? other : (await beginPortal(userId)).customerId;
    return await createPortalSession(next, appUrl);
  }
}

const beginPortal = async (userId: string) => await routeService("begin_portal", { userId }) as BegunPortal;

async function createPortalSession(customer: string, appUrl: string): Promise<string> {
  const { url } = await callStripe((stripe) => stripe.billingPortal.sessions.create({ customer, return_url: appUrl }));
  return url;
}
