// A random history of one account: its podcasts, its customer at Stripe, faults of the network, and a worker that is
// interrupted between calls.
import assert from "node:assert/strict";
import type postgres from "postgres";
import type { SeededRandom } from "../random.ts";
import { BillingModel, type PodcastStatus } from "./billing_model.ts";
import { type Fault, isEnded, type StripeEvent, type StripePeer, type Subscription } from "./stripe_peer.ts";
import { sign } from "./stripe_wire.ts";

export const WEBHOOK_SECRET = "whsec_peer";

/** What the histories call of functions/billing. */
export interface BillingFunctions {
  openCheckout(userId: string, planCode: string): Promise<string>;
  syncSubscription(id: string): Promise<void>;
  receiveEvent(body: Uint8Array, signature: string): Promise<boolean>;
}

const FAULTS: Fault[] = ["lost_before", "lost_after", "rate_limit", "lock", "error_before", "error_after"];

export async function runHistory(
  sql: postgres.Sql,
  peer: StripePeer,
  faultsByCustomer: Map<string, () => Fault | undefined>,
  functions: BillingFunctions,
  dice: SeededRandom,
) {
  const model = new BillingModel();
  const steps: string[] = [];
  const newUser = async () =>
    (await sql`insert into auth.users (id, email, email_confirmed_at, aud, role) values (gen_random_uuid(),
      gen_random_uuid() || '@test.local', now(), 'authenticated', 'authenticated') returning id`)[0].id as string;
  const userId = await newUser(), otherId = await newUser();
  let delayed: StripeEvent[] = [];
  const delivered: StripeEvent[] = [];
  let faultRate = 0, podcasts = 0;

  const row = async () =>
    (await sql<{ id: string; customer: string; session: string }[]>`select id, stripe_customer_id as customer,
      checkout_session_id as session from private.subscriptions where user_id = ${userId} or id = ${known}`)[0];
  let known: string | null = null;
  let customer: string | undefined;
  const current = (): Subscription | undefined => customer ? peer.subscriptionsOf(customer).at(-1) : undefined;

  const shuffled = <T>(from: T[]) =>
    from.map((one) => [dice.next(), one] as const).sort(([a], [b]) => a - b).map(([, x]) => x);

  /** Takes this customer's events from the peer and delivers some, in any order and repeatedly. */
  async function deliver(all: boolean) {
    const own = peer.events.filter(({ data }) => data.object.customer === customer);
    for (const event of own) peer.events.splice(peer.events.indexOf(event), 1);
    delayed.push(...own);
    const chosen = shuffled(delayed).filter(() => all || dice.chance(0.5));
    delayed = delayed.filter((event) => !chosen.includes(event));
    const repeated = delivered.filter(() => dice.chance(0.1));
    for (const event of [...chosen, ...repeated]) {
      const body = JSON.stringify(event);
      await functions.receiveEvent(new TextEncoder().encode(body), sign(body, [WEBHOOK_SECRET]));
      delivered.push(event);
    }
  }

  /** Runs the worker if it has a message; a failure keeps the message, as the queue does. */
  async function work(): Promise<boolean> {
    const messages = known === null ? [] : await sql<{ id: string }[]>`
      select msg_id as id from pgmq.q_billing_sync where message ->> 'subscription_id' = ${known}`;
    if (!messages.length) return false;
    try {
      // two workers may have messages of the same subscription
      await Promise.all(Array.from({ length: dice.chance(0.2) ? 2 : 1 }, () => functions.syncSubscription(known!)));
    } catch (error) {
      // without faults, Stripe may still replay an earlier 500, once
      if (faultRate === 0 && !/^Stripe responded 500/.test((error as Error).message)) throw error;
      return true;
    }
    await sql`delete from pgmq.q_billing_sync where msg_id = any (${messages.map(({ id }) => Number(id))}::bigint[])`;
    return true;
  }

  async function settle() {
    const rate = faultRate;
    faultRate = 0;
    for (let rounds = 0;; rounds++) {
      assert.ok(rounds < 50, "the worker and Stripe come to an end");
      await deliver(true);
      if (!await work() && !peer.events.some(({ data }) => data.object.customer === customer)) break;
    }
    faultRate = rate;
    model.settle();
  }

  async function setStatus(name: string, status: PodcastStatus) {
    const before = model.podcasts.get(name);
    // reopening before Stripe has delivered that the customer canceled is a known weakness
    if (before === "pending_deletion") await deliver(true);
    else if (customer) peer.age(customer);
    await sql`update public.podcasts set status = ${status},
      paused_at = case ${status} when 'active' then null when 'paused' then coalesce(paused_at, now()) else paused_at end,
      pause_expires_at = case ${status} when 'active' then null
        when 'paused' then coalesce(pause_expires_at, now() + interval '90 days') else pause_expires_at end,
      deletion_requested_at = case ${status} when 'pending_deletion' then now() end,
      deletion_scheduled_at = case ${status} when 'pending_deletion' then now() + interval '9 days' end
      where id = ${name}`;
    model.setPodcast(name, status);
  }

  async function checkout() {
    let isSettled = false;
    for (let tries = 0;; tries++) {
      try {
        await functions.openCheckout(userId, "pro");
        assert.equal(model.status, "none", "a checkout opens without a subscription only");
        break;
      } catch (error) {
        const { status, message } = error as { status?: number; message: string };
        if (status === undefined && /already has a subscription/.test(message)) {
          if (model.status !== "none") break;
          assert.ok(!isSettled, "a checkout is rejected with a subscription only");
          await settle(); // Stripe had not delivered yet that the subscription ended
          isSettled = true;
          continue;
        }
        // tries end when the network works again; Stripe's failures reach the route as such
        assert.ok(tries < 30 && faultRate > 0, `${(error as Error).stack}`);
        if (tries === 20) faultRate = 0;
      }
    }
    const { id, customer: made } = await row();
    known = id;
    customer = made;
    faultsByCustomer.set(customer, () => dice.chance(faultRate) ? dice.one(FAULTS) : undefined);
    assert.ok(peer.sessionsOf(customer).filter(({ status }) => status === "open").length <= 1, "one open session");
  }

  function pay() {
    const open = customer && peer.sessionsOf(customer).find(({ status }) => status === "open");
    if (!open || model.status !== "none") return;
    peer.completeCheckout(open.id);
    model.pay();
  }

  const byStatus = (...statuses: PodcastStatus[]) =>
    [...model.podcasts].filter(([, status]) => statuses.includes(status)).map(([name]) => name);

  const actions: Record<string, () => Promise<void>> = {
    create: async () => {
      await deliver(true);
      const [{ id }] = await sql`insert into public.podcasts ${
        sql({ owner_id: userId, title: `Show ${++podcasts}`, hosting_type: dice.chance(0.2) ? "external" : "native" })
      } returning id`;
      model.setPodcast(id, "active");
    },
    pause: async () => {
      for (const name of byStatus("active").slice(0, 1)) await setStatus(name, "paused");
    },
    unpause: async () => {
      for (const name of byStatus("paused").slice(0, 1)) await setStatus(name, "active");
    },
    delete: async () => {
      for (const name of shuffled(byStatus("active", "paused")).slice(0, 1)) {
        const [{ type }] = await sql`select hosting_type as type from public.podcasts where id = ${name}`;
        if (type === "native") await setStatus(name, "pending_deletion");
        else await leave(name, () => sql`delete from public.podcasts where id = ${name}`);
      }
    },
    cancelDeletion: async () => {
      for (const name of byStatus("pending_deletion").slice(0, 1)) {
        const [{ isPaused }] = await sql`
          select paused_at is not null as "isPaused" from public.podcasts where id = ${name}`;
        await setStatus(name, isPaused ? "paused" : "active");
      }
    },
    purge: async () => {
      for (const name of byStatus("pending_deletion").slice(0, 1)) {
        await leave(name, () => sql`delete from public.podcasts where id = ${name}`);
      }
    },
    give: async () => {
      for (const name of shuffled(byStatus("active", "paused")).slice(0, 1)) {
        await leave(name, () => sql`update public.podcasts set owner_id = ${otherId} where id = ${name}`);
      }
    },
    receive: async () => {
      await deliver(true);
      const [received] = await sql`update public.podcasts set owner_id = ${userId}
        where id = (select id from public.podcasts where owner_id = ${otherId} limit 1) returning id, status`;
      if (received) model.setPodcast(received.id, received.status);
    },
    checkout,
    pay: () => Promise.resolve(pay()),
    checkoutAndPay: async () => {
      await checkout();
      pay();
    },
    portalCancel: async () => {
      const subscription = current();
      if (subscription && peer.portalCancel(subscription, dice.chance(0.5))) model.cancellation = "customer";
      await Promise.resolve();
    },
    portalRenew: async () => {
      await settle(); // the customer sees what the worker did
      const subscription = current();
      if (subscription && peer.portalRenew(subscription)) model.cancellation = "none";
    },
    endPeriod: async () => {
      await settle();
      const subscription = current();
      if (!subscription || isEnded(subscription)) return;
      peer.endPeriod(subscription);
      if (model.cancellation !== "none") model.end();
    },
    failPayment: () => changeStatus("past_due"),
    giveUpPayment: () => changeStatus("unpaid"),
    recoverPayment: () => changeStatus("active"),
    drift: async () => { // the operator resumes or voids collection by hand
      const subscription = current();
      if (!subscription || isEnded(subscription)) return;
      await settle();
      peer.drift(subscription);
    },
    deliver: () => deliver(false),
    work: async () => void await work(),
    settle,
    network: async () => {
      faultRate = dice.one([0, 0.2, 0.5]);
      await Promise.resolve();
    },
  };

  async function leave(name: string, change: () => PromiseLike<unknown>) {
    if (customer) peer.age(customer);
    await change();
    model.setPodcast(name, null);
  }

  async function changeStatus(status: "active" | "past_due" | "unpaid") {
    const subscription = current();
    await Promise.resolve();
    if (!subscription || isEnded(subscription) || subscription.status === status) return;
    peer.setStatus(subscription, status);
    model.status = status;
  }

  async function deleteAccount() {
    await sql`delete from public.podcasts where owner_id = ${userId}`;
    for (const name of model.podcasts.keys()) model.setPodcast(name, null);
    const isPaidLate = dice.chance(0.5);
    if (!isPaidLate) pay();
    await sql`delete from auth.users where id = ${userId}`;
    const open = customer && peer.sessionsOf(customer).find(({ status }) => status === "open");
    if (isPaidLate && open) peer.completeCheckout(open.id);
    model.deleteAccount();
  }

  /** Compares Stripe, the billing account and the desired state with the model. */
  async function compare() {
    const live = (customer ? peer.subscriptionsOf(customer) : []).filter((one) => !isEnded(one));
    assert.deepEqual(
      live.map((one) => [one.status, !!one.pause_collection, one.cancel_at !== null]),
      model.status === "none" ? [] : [[model.status, model.isCollectionVoid, model.cancellation !== "none"]],
      "Stripe's subscription",
    );
    if (model.isDeleted) {
      const open = (customer ? peer.sessionsOf(customer) : []).filter(({ status }) => status === "open");
      return assert.equal(open.length, 0, "no open session of a deleted account");
    }
    const [account] = await sql`select plan_code as plan, subscription_status as status, collection_paused as paused,
      cancel_at_period_end as cancels from public.billing_accounts where user_id = ${userId}`;
    assert.deepEqual({ ...account, status: account.status === "canceled" ? "none" : account.status }, {
      plan: model.plan,
      status: model.status,
      paused: live.length > 0 && model.isCollectionVoid,
      cancels: model.cancellation !== "none",
    }, "the billing account");
    if (!known) return;
    const [desired] = await sql`select is_collection_void as void, has_open_podcasts as open
      from private.subscriptions where id = ${known}`;
    assert.deepEqual(
      { ...desired },
      { void: model.isCollectionVoid, open: model.hasOpenPodcasts },
      "the desired state",
    );
  }

  // closing and reopening beside the customer's own cancellations is where most rules meet
  const often = ["delete", "delete", "give", "cancelDeletion", "create", "portalCancel", "portalRenew", "work"];
  const names = [...Object.keys(actions), ...often];
  const first = dice.one(["create", "checkoutAndPay", "create"]); // a third pays before the first podcast
  try {
    for (let n = 0, length = 8 + dice.below(14); n < length; n++) {
      const name = n === 0 ? first : n === 1 ? "checkoutAndPay" : dice.one(names);
      steps.push(name);
      await actions[name]();
    }
    if (dice.chance(0.15)) {
      steps.push("deleteAccount");
      await deleteAccount();
    }
    await settle();
    await compare();
  } catch (error) {
    throw new Error(`after ${steps.join(", ")}`, { cause: error });
  }
}
