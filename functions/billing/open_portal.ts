/** Stripe's hosted billing portal, where a customer changes, cancels and renews a subscription. */
import { serviceSql } from "../database/db.ts";
import { callStripe } from "./stripe.ts";

/** Returns the URL of a new portal session. It is valid for minutes. */
export async function openPortal(userId: string): Promise<string> {
  const [{ portal }] = await serviceSql<{ portal: { customerId: string; appUrl: string } }[]>`
    select private.begin_portal(${userId}) as portal`;
  const { url } = await callStripe((stripe) =>
    stripe.billingPortal.sessions.create({ customer: portal.customerId, return_url: portal.appUrl })
  );
  return url;
}
