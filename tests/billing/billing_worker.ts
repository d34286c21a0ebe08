// The worker, checkout and portal with a Stripe peer, in this process and on a database of their own.
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase, makePodcast } from "../feed_writer/feed_database.ts";
import { startStripePeer, STRIPE_KEY } from "./stripe_peer.ts";
import { sign } from "./stripe_wire.ts";

const WEBHOOK_SECRET = "whsec_peer";

export async function startBillingWorker() {
  const peer = startStripePeer();
  const database = await createFeedDatabase(undefined, {
    STRIPE_SECRET_KEY: STRIPE_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_URL: peer.url,
  });
  const { sql } = database;
  const { drain } = await import("../../functions/worker/loop.ts");
  const { syncBillingJob } = await import("../../functions/worker/jobs/sync_billing.ts");
  const { openCheckout } = await import("../../functions/billing/open_checkout.ts");
  const { openPortal } = await import("../../functions/billing/open_portal.ts");
  const { receiveEvent } = await import("../../functions/billing/receive_event.ts");
  const { syncSubscription } = await import("../../functions/billing/sync_subscription.ts");
  await sql`update public.plans set stripe_price_id = 'price_pro' where code = 'pro'`;

  const work = () => drain(syncBillingJob as Job, timeBudget(60_000));

  async function deliver() {
    for (const event of peer.events.splice(0)) {
      const body = JSON.stringify(event);
      await receiveEvent(new TextEncoder().encode(body), sign(body, [WEBHOOK_SECRET]));
    }
  }

  /** What is stored of a user's customer. */
  async function subscriptionOf(userId: string) {
    const [row] = await sql<{ id: string; customer: string; session: string | null }[]>`
      select id, stripe_customer_id as customer, checkout_session_id as session
      from private.subscriptions where user_id = ${userId}`;
    return row;
  }

  /** An account with a podcast and an open checkout session. */
  async function customer() {
    const podcastId = await makePodcast(sql);
    const [{ userId }] = await sql<{ userId: string }[]>`
      select owner_id as "userId" from public.podcasts where id = ${podcastId}`;
    await openCheckout(userId, "pro");
    return { podcastId, userId, ...await subscriptionOf(userId) };
  }

  return {
    peer,
    sql,
    openCheckout,
    openPortal,
    syncSubscription,
    work,
    deliver,
    subscriptionOf,
    customer,
    waiting: async () =>
      (await sql<{ reads: number; seconds: number; error: string | null }[]>`
        select read_ct as reads, extract(epoch from vt - clock_timestamp())::float as seconds,
          headers ->> 'last_error' as error
        from pgmq.q_billing_sync`).map((row) => ({ ...row })),
    makeVisible: () => sql`update pgmq.q_billing_sync set vt = clock_timestamp()`,

    /** An account with a podcast and a paid subscription, which Stripe and the worker agree on. */
    async subscriber() {
      const { session, ...made } = await customer();
      const subscription = peer.completeCheckout(session!);
      await deliver();
      await work();
      peer.requests.length = 0;
      return { ...made, subscription };
    },
    pause: (id: string) =>
      sql`update public.podcasts set status = 'paused', paused_at = now(),
        pause_expires_at = now() + interval '90 days' where id = ${id}`,
    unpause: (id: string) =>
      sql`update public.podcasts set status = 'active', paused_at = null, pause_expires_at = null where id = ${id}`,
    /** Begins a step without messages, faults and events. */
    async reset() {
      await sql`select pgmq.purge_queue('billing_sync'), pgmq.purge_queue('billing_sync_dlq')`;
      peer.setFault(() => undefined);
      peer.events.length = 0;
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}
