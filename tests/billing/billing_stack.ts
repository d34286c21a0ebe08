// The edge functions with a Stripe peer, on the services of the shared stack.
import { type ApiResponse, person, sql, stackInfo } from "../http/harness.ts";
import { startFunctions } from "../functions.ts";
import { startStripePeer, STRIPE_KEY } from "./stripe_peer.ts";
import { sign } from "./stripe_wire.ts";

export const WEBHOOK_SECRET = "whsec_peer";
export const PRICE = "price_pro";

await sql`select private.offer_plan_price(${PRICE}, 'pro', 'month', 'eur')`;

/** Functions that call the peer. The shared stack's own worker has no key of Stripe, and changes nothing. */
export async function startBilling(changes: Record<string, string> = {}) {
  const peer = startStripePeer();
  const functions = await startFunctions(stackInfo, {
    STRIPE_SECRET_KEY: STRIPE_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_URL: peer.url,
    ...changes,
  });

  async function request(method: string, path: string, init: RequestInit): Promise<ApiResponse> {
    const response = await fetch(`${functions.url}/api/billing${path}`, { method, ...init });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }

  return {
    peer,
    /** A request by a user. */
    async send(as: string, method: string, path: string, json?: unknown): Promise<ApiResponse> {
      const { token } = await person(as);
      return await request(method, path, {
        headers: { authorization: `Bearer ${token}`, ...json !== undefined && { "content-type": "application/json" } },
        body: json === undefined ? undefined : JSON.stringify(json),
      });
    },
    checkout(as: string, planCode = "pro") {
      return this.send(as, "POST", "/checkout", { planCode });
    },
    /** Opens a checkout, some seconds ago: payments on the page are later than its reading of Stripe. Its session's id. */
    async checkoutEarlier(as: string, choice: object = { planCode: "pro" }): Promise<string> {
      await this.send(as, "POST", "/checkout", choice);
      const { id, session } = await this.subscriptionOf(as);
      await sql`update private.subscriptions set observed_at = observed_at - interval '5 s' where id = ${id}`;
      return session!;
    },
    /** An event with a header: signed now by default. */
    webhook(body: BodyInit, headers: Record<string, string> = {}) {
      const signature: Record<string, string> = typeof body === "string"
        ? { "stripe-signature": sign(body, [WEBHOOK_SECRET]) }
        : {};
      return request("POST", "/webhooks/stripe", { body, headers: { ...signature, ...headers } });
    },
    /** Delivers the peer's events in their order, as of some seconds later. */
    async deliver(later = 0) {
      for (const { created, ...event } of peer.events.splice(0)) {
        await this.webhook(JSON.stringify({ ...event, created: created + later }));
      }
    },
    /** What is stored of a user's customer. */
    async subscriptionOf(as: string) {
      const { id } = await person(as);
      const [row] = await sql<{ id: string; customer: string; session: string | null }[]>`
        select id, stripe_customer_id as customer, checkout_session_id as session
        from private.subscriptions where user_id = ${id}`;
      return row;
    },
    async [Symbol.asyncDispose]() {
      await functions[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}
