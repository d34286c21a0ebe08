// The worker, checkout and portal with a Stripe peer, in this process and on a database of their own.
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase, makePodcast } from "../feed_writer/feed_database.ts";
import type { PodcastStatus } from "./billing_model.ts";
import { setPodcastStatus } from "./podcast_status.ts";
import { newId } from "./stripe_account.ts";
import { startStripePeer, STRIPE_KEY } from "./stripe_peer.ts";
import { signedRequest } from "./stripe_wire.ts";

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
  const { release } = await import("../../functions/app/body_memory.ts");
  const { syncSubscription } = await import("../../functions/billing/sync_subscription.ts");
  await sql`select private.offer_plan_price('price_pro', 'pro', 'month', 'eur')`;

  const work = () => drain(syncBillingJob as Job, timeBudget(60_000));

  async function deliver() {
    for (const event of peer.events.splice(0)) {
      const request = signedRequest(event, WEBHOOK_SECRET);
      await receiveEvent(request).finally(() => release(request));
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
    await openCheckout(userId, { planCode: "pro" });
    return { podcastId, userId, ...await subscriptionOf(userId) };
  }

  /** Changes a podcast. Two seconds pass first, so that a closing is later than the start of the subscription. */
  async function setStatus(podcastId: string, status: PodcastStatus) {
    for (const { customer } of peer.subscriptions.values()) peer.age(customer);
    await setPodcastStatus(sql, podcastId, status);
  }

  return {
    peer,
    sql,
    env: database.env,
    openCheckout,
    openPortal,
    syncSubscription,
    syncBillingJob,
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
    setStatus,
    pause: (podcastId: string) => setStatus(podcastId, "paused"),
    unpause: (podcastId: string) => setStatus(podcastId, "active"),
    /** Lets time pass for a customer at Stripe, and for what is known of it. */
    async passTime(customer: string, seconds: number) {
      peer.passTime(customer, seconds);
      await sql`update private.subscriptions s
        set collection_void_since = s.collection_void_since - passed, observed_at = s.observed_at - passed
        from make_interval(secs => ${seconds}) passed where s.stripe_customer_id = ${customer}`;
    },
    /** Changes the address of a user and confirms it, as Auth does. */
    setAddress: (userId: string, email: string) => sql`update auth.users set email = ${email} where id = ${userId}`,
    /** The updates of subscriptions that the worker sent. */
    updates: () => peer.requests.filter(({ method, path }) => method === "POST" && /subscriptions\//.test(path)),
    /** The actions of the worker's requests, which their keys contain. */
    actions: () => peer.requests.flatMap(({ key }) => key?.split(":").slice(3, 4) ?? []),
    /** Another open session of a customer who has paid, as a lost response may leave it. */
    copySession(customer: string): string {
      const id = newId("cs");
      peer.sessions.set(id, { ...peer.sessionsOf(customer).at(-1)!, id, status: "open" });
      return id;
    },
    async deleteAccount({ podcastId, userId }: { podcastId: string; userId: string }) {
      await sql`delete from public.podcasts where id = ${podcastId}`;
      await sql`delete from auth.users where id = ${userId}`;
    },
    /** Steps that begin without messages, faults and events. */
    stepsOf: (t: Deno.TestContext) => (name: string, run: () => Promise<void>, ignore = false) =>
      t.step({
        name,
        ignore,
        fn: async () => {
          await sql`select pgmq.purge_queue('billing_sync'), pgmq.purge_queue('billing_sync_dlq')`;
          peer.setFault(() => undefined);
          peer.events.length = 0;
          await run();
        },
      }),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}
